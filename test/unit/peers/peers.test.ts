import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wordsBelow, wordsIn } from '../../peers/wordSearch';
import { fittingText, WordServer } from '../../peers/wordServer';

describe('the words of an answer', () => {
  it('are found on a screen, also where its lines break, and not those of other answers', () => {
    expect([...wordsIn('│ a0000001 a0000002\n a0000002 b0000001 a00000031 │', 'a')]).toEqual(['a0000001', 'a0000002']);
  });

  it('are found in every file below a folder, whatever is around them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-words-'));
    try {
      mkdirSync(join(folder, 'deep/er'), { recursive: true });
      writeFileSync(join(folder, 'deep/er/pages.db'), Buffer.from([0, 7, ...Buffer.from('9a0000001'), 0xff]));
      writeFileSync(join(folder, 'session.json'), '{"text":"a0000002\\nb0000003"}');
      expect([...wordsBelow(folder, 'a')].sort()).toEqual(['a0000001', 'a0000002']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('an answer that is not streamed', () => {
  it('has the fields that the request has a schema for', () => {
    const schema = {
      type: 'OBJECT',
      properties: {
        why: { type: 'STRING' },
        model: { type: 'string', enum: ['small', 'large'] },
        score: { type: 'integer' },
      },
    };
    expect([
      fittingText(JSON.stringify({ generationConfig: { responseJsonSchema: schema } })),
      fittingText(JSON.stringify({ contents: [] })),
      fittingText(''),
    ]).toEqual(['{"why":"Words","model":"small","score":1}', 'Words', 'Words']);
  });
});

describe('the model of other agents', () => {
  let server: WordServer;
  beforeEach(async () => {
    server = await WordServer.start();
  });
  afterEach(() => server.close());

  const ask = (path: string, body: object): Promise<string> =>
    fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify({ tools: [{}], ...body }) }).then((answer) =>
      answer.text(),
    );

  it.each([
    ['/v1/chat/completions', { stream: true }],
    ['/v1/responses', { stream: true }],
    ['/v1/messages?beta=true', { stream: true }],
    ['/v1beta/models/test-model:streamGenerateContent?alt=sse', {}],
  ])('streams the words that were planned at %s', async (path, body) => {
    server.plan({ words: 3, cuts: false });
    expect([...wordsIn(await ask(path, body), 'a')]).toEqual(['a0000001', 'a0000002', 'a0000003']);
  });

  it('cuts the connection where it was told to, and gives a title no words', async () => {
    server.plan({ words: 2, cuts: true });
    expect(await ask('/v1/chat/completions', { stream: true, tools: [] })).not.toMatch(/[a-z]\d{7}/);
    await expect(ask('/v1/chat/completions', { stream: true })).rejects.toThrow();
    expect(server.requests.map(({ letter }) => letter)).toEqual([null, 'a']);
  });
});
