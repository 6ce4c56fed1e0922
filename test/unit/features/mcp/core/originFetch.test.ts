import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stayingAtOrigin } from '../../../../../src/features/mcp/core/originFetch';

const seen: string[] = [];
let servers: readonly Server[] = [];
let trusted = '';
let other = '';

beforeEach(async () => {
  seen.length = 0;
  other = await listening((request) => [`other ${request.headers['x-api-key'] ?? ''}`, 200, null]);
  trusted = await listening((request) => {
    const name = `trusted ${request.method ?? ''} ${request.url ?? ''} ${request.headers['x-api-key'] ?? ''}`;
    if (request.url === '/away') return [name, 307, `${other}/mcp`];
    if (request.url === '/twice') return [name, 308, '/away'];
    if (request.url === '/here') return [name, 307, '/mcp/'];
    if (request.url === '/round') return [name, 302, '/round'];
    return [name, 200, null];
  });
});
afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  servers = [];
});

async function listening(
  answer: (request: IncomingMessage) => readonly [string, number, string | null],
): Promise<string> {
  const server = createServer((request, response) => {
    const [name, status, location] = answer(request);
    seen.push(name);
    response.writeHead(status, { connection: 'close', ...(location === null ? {} : { location }) }).end('ok');
  });
  servers = [...servers, server];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const asked = (path: string): Promise<string> =>
  stayingAtOrigin((address, init) => globalThis.fetch(address, init))(`${trusted}${path}`, {
    method: 'POST',
    body: '{}',
    headers: { 'X-Api-Key': 'key' },
  }).then(
    (response) => response.text(),
    (error: Error) => error.message.replaceAll(trusted, '<trusted>').replaceAll(other, '<other>'),
  );

it('a key and the data sent with it never follow a server to another one', async () => {
  const away =
    'The server at <trusted> leads to <other>. Nothing was sent there: write that address into the definition if it is the right one.';
  expect([await asked('/away'), await asked('/twice'), seen.filter((name) => name.startsWith('other'))]).toEqual([
    away,
    away,
    [],
  ]);
});

it('a server may redirect to another path of its own, and not in a circle', async () => {
  expect([await asked('/here'), [...seen], await asked('/round')]).toEqual([
    'ok',
    ['trusted POST /here key', 'trusted POST /mcp/ key'],
    'The server at <trusted> redirects more than 5 times.',
  ]);
});
