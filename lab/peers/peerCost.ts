import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tracing, type Written, readRanges } from '../bench/writes/diskTrace';
import { median } from '../bench/figures';
import { inTemporaryFolder } from '../support/temporaryFolder';
import type { PeerAgent } from './agents';
import { type RunningPeer, withPeer } from './peerHome';
import { costTurns, costWords, type PeerCost, type PeerStart, type TurnCost } from './trialResult';

const restMs = 1500;

export function peerStart(agent: PeerAgent, programs: string): Promise<PeerStart> {
  const begin = performance.now();
  return withPeer(agent, programs, async ({ screen, terminal }) => {
    await screen.isReady(30);
    const startMs = performance.now() - begin;
    await sleep(4000);
    return { startMs, memory: terminal.memory() };
  });
}

/** Traces a session of an agent through `costTurns` turns. Needs `strace`. */
export function peerCost(agent: PeerAgent, programs: string): Promise<PeerCost> {
  return inTemporaryFolder('peer-trace', (folder) => {
    const trace = join(folder, 'trace');
    const measured = async (peer: RunningPeer): Promise<PeerCost> => {
      const starts = await turns(peer);
      return costsAt(readRanges(readFileSync(trace, 'utf8'), peer.home, starts));
    };
    return withPeer(agent, programs, measured, tracing(trace));
  });
}

/** When each turn began, in seconds since 1970. */
async function turns({ screen, server }: RunningPeer): Promise<readonly number[]> {
  await screen.isReady();
  await sleep(1500);
  const starts: number[] = [];
  for (let turn = 1; turn <= costTurns; turn++) {
    server.plan({ words: costWords, cuts: false });
    const before = server.ended;
    starts.push(Date.now() / 1000);
    // Its own words, so that the one before on the screen is not taken for it.
    await screen.ask(`${turn} more: please count parcels.`);
    await screen.until('the end of the answer', () => server.ended > before);
    await sleep(restMs);
  }
  return starts;
}

/** Medians of the five turns around the fifth and around the last but two. `written`: by turn. */
export function costsAt(written: readonly Written[]): PeerCost {
  const around = (turn: number): TurnCost => {
    const five = written.slice(turn - 3, turn + 2);
    return {
      turn,
      bytes: median(five.map(({ bytes }) => bytes)),
      syncs: median(five.map(({ syncs }) => syncs)),
    };
  };
  return { early: around(5), late: around(written.length - 2) };
}
