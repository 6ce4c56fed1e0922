import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { HandoverRequest, type HandoverOutcome } from '../../../../src/store/ownership/handoverRequest';
import { HandoverServer, type HandoverOwner } from '../../../../src/store/ownership/handoverServer';
import { LockAcquisition, type OwnershipAttempt } from '../../../../src/store/ownership/lockAcquisition';
import type { StoreState } from '../../../../src/store/ownership/storeState';

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

  it('releases once for all who ask at the same time', async () => {
    let releases = 0;
    const server = await listening({
      release: async () => {
        releases++;
        await passing(50);
      },
    });
    const outcomes = await Promise.all([asking(server), asking(server), asking(server)]);
    expect({ kinds: outcomes.map(({ kind }) => kind), asked: releases }).toEqual({
      kinds: ['released', 'released', 'released'],
      asked: 3,
    });
  });

  it('distinguishes slow closing from a silent owner', async () => {
    const slow = await listening({ release: () => passing(450) });
    const stuck = await listening({ release: () => new Promise(() => undefined) });
    expect([(await asking(slow)).kind, (await asking(stuck)).kind]).toEqual(['released', 'silent']);
  });

  it('passes on why an owner could not stop its turn', async () => {
    const server = await listening({
      busy: () => ({ sessionTitle: null }),
      stopRunning: () => Promise.reject(new Error('The turn does not settle.')),
    });
    expect(await asking(server, 'stop')).toEqual({ kind: 'refused', technical: 'The turn does not settle.' });
  });
});

describe('acquiring a lock', () => {
  it('waits longer for an owner that cannot be seen, and names the owner', async () => {
    const states: StoreState[] = [];
    let freeAt = Infinity;
    const started = performance.now();
    const acquisition = new LockAcquisition(() => (performance.now() > freeAt ? free : heldBy(false)), systemClock, {
      ...patience,
      answerMs: 50,
    });
    acquisition.onState((state) => states.push(state));
    freeAt = started + 400;
    const lock = await acquisition.obtain();
    expect({ held: lock !== null, last: states.at(-1) }).toEqual({
      held: true,
      last: { kind: 'opening', blockedBy: 'process 7 on elsewhere' },
    });
  });

  it('gives up on an owner that is visible and does not answer', async () => {
    await expect(new LockAcquisition(() => heldBy(true), systemClock, patience).obtain()).rejects.toMatchObject({
      causeClass: 'locked',
    });
  });

  it('ends at once with no result when the window closes', async () => {
    const acquisition = new LockAcquisition(() => heldBy(false), systemClock, { ...patience, retryMs: 60_000 });
    const obtaining = acquisition.obtain();
    await passing(20);
    acquisition.dispose();
    expect(await obtaining).toBeNull();
  });
});

const free: OwnershipAttempt = {
  kind: 'held',
  lock: { fence: 'mark', assertHeld: () => undefined, heartbeat: () => undefined, release: () => undefined },
};
const heldBy = (visible: boolean): OwnershipAttempt => ({
  kind: 'heldBy',
  owner: {
    endpoint: { socketPath: '/nonexistent/s.sock', token: 'x' },
    visible,
    description: 'process 7 on elsewhere',
  },
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

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
