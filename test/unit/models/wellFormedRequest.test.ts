import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/models/chatModel';
import { wellFormedRequest } from '../../../src/models/http/wellFormedRequest';
import type { JsonObject } from '../../../src/transcript/json';
import { startModelServer, reply } from '../../support/modelServer';
import { halfCharacters } from '../../support/wellFormed';
import { ask, modelAt, prompt, request } from './asking';

const half = '\ud83d';
const deep: JsonObject = { path: `nowhere ${half}`, [`key ${half}`]: [{ inner: [half, 1, null, true] }], whole: '😀' };

/** Half a character wherever a request has a string that a service takes as it is. */
const torn: ModelRequest = request({
  system: `Be ${half} brief.`,
  messages: [
    { role: 'user', content: [{ kind: 'text', text: `\udc00 Hello` }] },
    {
      role: 'assistant',
      content: [
        {
          kind: 'thinking',
          text: `Hm ${half}`,
          metadata: {
            endpoint: { field: 'reasoning_content', reasoning_details: [{ type: 'reasoning.text', text: half }] },
          },
        },
        { kind: 'text', text: `I look ${half}` },
        { kind: 'toolCall', callId: 'a', name: 'read_file', arguments: deep },
      ],
    },
    { role: 'tool', results: [{ callId: 'a', name: 'read_file', text: `read ${half}`, isError: false }] },
  ],
  tools: [
    {
      name: 'read_file',
      description: `Reads ${half}`,
      parameters: { type: 'object', properties: { [`key ${half}`]: { type: 'string', enum: [half] } } },
    },
  ],
});

describe.each(['openai', 'anthropic'] as const)('a request over the %s protocol', (protocol) => {
  it('contains no half of a surrogate pair, wherever one was', async () => {
    const server = await startModelServer();
    server.otherwise(reply().says('Fine.'));
    const { terminal } = await ask(modelAt({ url: server.url, protocol }), torn);
    const [sent] = server.requests;
    await server.close();
    expect([
      terminal.outcome,
      sent?.rejection,
      halfCharacters(sent?.body),
      JSON.stringify(sent?.body).includes('nowhere \ufffd'),
      JSON.stringify(sent?.body).includes('😀'),
    ]).toEqual(['complete', null, [], true, true]);
  });

  it('is unchanged if every string was whole', async () => {
    const server = await startModelServer();
    server.otherwise(reply().says('Fine.'));
    const bodies = await Promise.all(
      [torn, wellFormedRequest(torn)].map(
        async (what) => (await ask(modelAt({ url: server.url, protocol }), what), server.requests.at(-1)?.body),
      ),
    );
    await server.close();
    expect(bodies[0]).toEqual(bodies[1]);
  });
});

describe('cleaning a request', () => {
  it('leaves whole strings, numbers, lists and images unchanged, and no half pair anywhere', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, fc.jsonValue(), fc.boolean(), (said, name, value, tearing) => {
        const put = tearing ? `${said}${half}` : said;
        const given: JsonObject = JSON.parse(JSON.stringify({ [name]: value, put }));
        const what = request({
          system: put,
          cacheKey: put,
          messages: [
            prompt(put),
            { role: 'user', content: [{ kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' }] },
            {
              role: 'assistant',
              content: [{ kind: 'toolCall', callId: put, name: put, arguments: given, metadata: given }],
            },
            {
              role: 'tool',
              results: [
                {
                  callId: put,
                  name: put,
                  text: put,
                  isError: true,
                  images: [{ kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' }],
                },
              ],
            },
          ],
          tools: [{ name: put, description: put, parameters: given }],
        });
        const sent = wellFormedRequest(what);
        expect(halfCharacters(sent)).toEqual([]);
        if (halfCharacters(what).length === 0) expect(sent).toEqual(what);
      }),
    );
  });
});
