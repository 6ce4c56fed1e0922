import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { HandoverRequest, type HandoverOutcome } from '../../../../src/store/ownership/handoverRequest';
import { HandoverServer, type HandoverOwner } from '../../../../src/store/ownership/handoverServer';

const patience = { answerMs: 300, closingMs: 1500, lockedMs: 200, invisibleLockedMs: 600, retryMs: 20 };
const servers: HandoverServer[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

describe('the socket of an owner', () => {
  it('is in a folder that only its user can enter, and is removed with the server', async () => {
    const server = await listening({});
    const folder = dirname(server.endpoint.socketPath);
    const mode = statSync(folder).mode & 0o777;
    server.close();
    expect({ mode, short: Buffer.byteLength(server.endpoint.socketPath) < 100, after: existsSync(folder) }).toEqual({
      mode: 0o700,
      short: true,
      after: false,
    });
  });

  it('is created again at the same place after a cleaner of temporary files removed it', async () => {
    const server = await listening({});
    rmSync(dirname(server.endpoint.socketPath), { recursive: true });
    const lost = await asking(server);
    await server.keepReachable();
    expect([lost.kind, (await asking(server)).kind]).toEqual(['unreachable', 'released']);
  });
});

async function listening(owner: Partial<HandoverOwner>): Promise<HandoverServer> {
  const server = new HandoverServer(
    { busy: () => null, stopRunning: () => Promise.resolve(), release: () => Promise.resolve(), ...owner },
    systemClock,
  );
  servers.push(server);
  await server.listen();
  return server;
}

function asking(server: HandoverServer, ask: 'handOver' | 'stop' = 'handOver'): Promise<HandoverOutcome> {
  const request = new HandoverRequest(server.endpoint, systemClock, patience);
  return new Promise((resolve) => {
    request.onOutcome((outcome) => {
      if (outcome.kind === 'busy') return;
      request.dispose();
      resolve(outcome);
    });
    request.ask(ask);
  });
}
