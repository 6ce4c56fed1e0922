import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHindsightApi } from '../../../../src/features/hindsight/core/client';
import type { HindsightAnswer } from '../../../../src/features/hindsight/core/failure';
import { type ServerVersion, testHindsight } from '../../../../src/features/hindsight/core/hindsightApi';
import { HindsightStandIn } from '../../../support/hindsight/standIn';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function tested(baseUrl: string, key: string | null = null): Promise<HindsightAnswer<ServerVersion>> {
  const { origin, host } = new URL(baseUrl);
  const api = createHindsightApi({
    place: { baseUrl, origin, host, bank: 'notes' },
    key,
    fetch: globalThis.fetch,
    after: (ms, done) => {
      const timer = setTimeout(done, ms);
      return () => clearTimeout(timer);
    },
  });
  return testHindsight(api, new AbortController().signal);
}

/** A web server that knows none of the paths it is asked for, but those given. */
async function anotherServer(answers: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const server: Server = createServer((request, response) => {
    const body = answers[request.url ?? ''];
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? { error: { message: 'Invalid URL' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

async function standIn(options: Parameters<typeof HindsightStandIn.start>[0]): Promise<string> {
  const server = await HindsightStandIn.start(options);
  closing.push(() => server.close());
  return server.url;
}

const cause = (answer: HindsightAnswer<unknown>): string => (answer.kind === 'ok' ? 'ok' : answer.failure.cause);

describe('the connection test', () => {
  it("does not mistake another web server that knows none of Hindsight's paths for Hindsight", async () => {
    expect([
      cause(await tested(await anotherServer())),
      cause(await tested(await anotherServer({ '/health': { status: 'ok' } }))),
    ]).toEqual(['notHindsight', 'notHindsight']);
  });

  it('recognizes an early server, which reports no version, by its health check', async () => {
    const url = await standIn({
      server: 'overwrites',
      fault: (operation) => (operation === 'get_version' ? 404 : null),
    });
    expect(await tested(url)).toEqual({ kind: 'ok', value: { version: '0', appends: false } });
  });

  it('asks for a key if the bank is not public', async () => {
    const url = await standIn({ key: 'right' });
    expect([cause(await tested(url)), cause(await tested(url, 'wrong')), cause(await tested(url, 'right'))]).toEqual([
      'auth',
      'auth',
      'ok',
    ]);
  });
});
