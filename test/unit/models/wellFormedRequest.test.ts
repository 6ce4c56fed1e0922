import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wellFormedRequest } from '../../../src/models/http/wellFormedRequest';
import type { JsonObject } from '../../../src/transcript/json';
import { halfCharacters } from '../../support/wellFormed';
import { prompt, request } from './asking';

const half = '\ud83d';

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
              content: [
                { kind: 'thinking', text: put, metadata: given },
                { kind: 'toolCall', callId: put, name: put, arguments: given, metadata: given },
              ],
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
