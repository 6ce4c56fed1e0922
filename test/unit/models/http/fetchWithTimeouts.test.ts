import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchWithTimeouts } from '../../../../src/models/http/fetchWithTimeouts';
import { refuses, reply, startModelServer } from '../../../support/modelServer';
import type { ModelServer } from '../../../support/modelServer';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ strict: false });
});
afterEach(() => server.close());

const elsewhere: typeof globalThis.fetch = (input) => Promise.resolve(new Response(`elsewhere: ${String(input)}`));
const ask = (init: RequestInit = {}): Promise<Response> =>
  fetchWithTimeouts(elsewhere)(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'test-model' }),
    ...init,
  });

describe('fetch to this machine', () => {
  it('gives a slow reader everything that arrived before the connection dropped, and then the error', async () => {
    server.script(reply().says('one two three four five six', { in: 'words' }).drops());
    const reader = (await ask()).body?.getReader();
    await server.requests[0]?.ended;
    await new Promise((resolve) => setTimeout(resolve, 20));
    let text = '';
    const end = await (async () => {
      for (;;) {
        const read = await reader?.read();
        if (read === undefined || read.done) return 'ended in order';
        text += Buffer.from(read.value).toString('utf8');
      }
    })().catch((error: unknown) => (error instanceof Error ? error.message : error));
    expect([Buffer.byteLength(text), end]).toEqual([server.requests[0]?.bytesDelivered, 'terminated']);
  });

  it('sends method, headers and body, and returns status and headers', async () => {
    server.script(refuses(429, { retryAfter: 7 }));
    const response = await ask({ headers: { authorization: 'Bearer sk-1', 'content-type': 'application/json' } });
    expect([
      response.status,
      response.headers.get('retry-after'),
      response.ok,
      server.requests[0]?.headers.authorization,
      server.requests[0]?.body,
    ]).toEqual([429, '7', false, 'Bearer sk-1', { model: 'test-model' }]);
  });

  it('ends when aborted, before and after the answer starts', async () => {
    const stop = new AbortController();
    server.script(reply().says('One').hangs());
    const response = await ask({ signal: stop.signal });
    stop.abort();
    await expect(response.text()).rejects.toThrow();
    await expect(ask({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    await server.requests[0]?.ended;
    expect(server.requests.map(({ clientClosed }) => clientClosed)).toEqual([true]);
  });

  it('fails as fetch fails if nothing listens', async () => {
    await server.close();
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
    server = await startModelServer();
  });

  it.each(['https://127.0.0.1/v1', 'http://models.example/v1', 'https://models.example/v1'])(
    'leaves %s to the given fetch',
    async (url) => {
      expect(await (await fetchWithTimeouts(elsewhere)(url)).text()).toBe(`elsewhere: ${url}`);
    },
  );
});
