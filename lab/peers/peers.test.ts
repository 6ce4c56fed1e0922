import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installedNode24 } from '../../scripts/vscodeInstall.mjs';
import { readRanges } from '../bench/writes/diskTrace';
import { costsAt } from './peerCost';
import { costsTable } from './report';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';
import { fittingText, wordOf, WordServer } from './wordServer';

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

  // The tests run under Node 24 also.
  const node24 = installedNode24();
  if (node24 !== undefined)
    it('are found in a database where a page ends in the middle of a word', () => {
      const folder = mkdtempSync(join(tmpdir(), 'hermes-words-'));
      try {
        const file = join(folder, 'session.db');
        const words = Array.from({ length: 2000 }, (_, n) => wordOf('a', n));
        const program = `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
          database.exec('CREATE TABLE messages (content TEXT)');
          database.prepare('INSERT INTO messages VALUES (?)').run(process.argv[2]);`;
        execFileSync(node24, ['--no-warnings', '-e', program, file, words.join(' ')]);
        expect({
          isWholeInBytes: wordsInBody(readFileSync(file, 'latin1'), 'a').size === words.length,
          found: wordsBelow(folder, 'a').size,
        }).toEqual({ isWholeInBytes: false, found: words.length });
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

describe('what turns cost', () => {
  it('is counted from the beginning of each turn to that of the next, in files of its home alone', () => {
    const trace = [
      '7 10.000000 write(3</home/a/log>, "x", 5) = 5',
      '7 11.000000 write(3</home/a/log>, "x" <unfinished ...>',
      '8 11.100000 fsync(4</home/a/log>) = 0',
      '7 11.200000 <... write resumed>, 20) = 20',
      '8 11.300000 write(5</tmp/elsewhere>, "x", 7) = 7',
      '8 12.500000 pwrite64(4</home/a/state.db>, "x", 4096, 0) = 4096',
    ].join('\n');
    expect(readRanges(trace, '/home/a/', [10.5, 12])).toEqual([
      { syncs: 1, bytes: 20 },
      { syncs: 0, bytes: 4096 },
    ]);
  });

  it('is the median of the five turns around the fifth and around the last but two', () => {
    const written = Array.from({ length: 52 }, (_, index) => ({ bytes: (index + 1) * 10, syncs: index + 1 }));
    expect(costsAt(written)).toEqual({
      early: { turn: 5, bytes: 50, syncs: 5 },
      late: { turn: 50, bytes: 500, syncs: 50 },
    });
  });

  it('stands in a table, with the agents that could not be measured', () => {
    const cost = { early: { turn: 5, bytes: 2690, syncs: 0 }, late: { turn: 50, bytes: 640_000, syncs: 3 } };
    const starts = [5000, 1000, 1234].map((startMs) => ({ startMs, memory: startMs * 100_000 }));
    const pi = { agent: 'pi', label: 'pi', version: '1', problems: [] };
    const amp = { agent: 'amp', label: 'Amp', version: '2', problems: ['it did not start'] };
    expect(
      costsTable(
        [
          { kind: 'cost', trials: [cost], ...pi },
          { kind: 'start', trials: starts, ...pi },
          { kind: 'cost', trials: [], ...amp },
        ],
        '2026-11-27',
      ).split('\n'),
    ).toEqual([
      'Measured on 2026-11-27.',
      '',
      '| Agent | Version | Written, turn 5 | Written, turn 50 | Syncs, turn 50 | Start | Memory |',
      '|---|---|---:|---:|---:|---:|---:|',
      '| pi | 1 | 2.7 KB | 640 KB | 3 | 1.2 s | 123 MB |',
      '| Amp | 2 | not measured | not measured | not measured | not measured | not measured |',
    ]);
  });
});
