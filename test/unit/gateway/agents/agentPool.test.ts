import { describe, expect, it } from 'vitest';
import type { SurfaceAgent } from '../../../../src/gateway/agents/surfaceAgent';
import { AgentPool } from '../../../../src/gateway/agents/agentPool';
import { silentLog } from '../../../../src/base/log';
import type { Session } from '../../../../src/transcript/session';
import { session as storedSession } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { memoryOf } from '../../../support/memoryOf';
import { RecordingMemory } from '../../../support/recordingMemory';

const session = (id: string, change: Partial<Session> = {}): Session =>
  storedSession({ id, conversationId: id, ...change });

/** A agentPool whose agents write down, each for itself, what their memory hears. */
function agentPoolWith(pause?: (clock: ManualClock) => Promise<void>) {
  const clock = new ManualClock();
  const heard: string[][] = [];
  const createMemory = ({ isPrivate }: { readonly isPrivate: boolean }) => {
    const log: string[] = [];
    heard.push(log);
    return memoryOf([new RecordingMemory(log, pause === undefined ? {} : { pause: () => pause(clock) })], {
      clock,
      log: silentLog,
      isPrivate,
    });
  };
  return { clock, heard, agentPool: new AgentPool({ createMemory, clock }) };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const running = (agent: SurfaceAgent): SurfaceAgent => {
  agent.turnBegan();
  return agent;
};

describe('agents of surfaces', () => {
  it('are at most sixteen: the least recently used one is released first, but none in which a turn runs', async () => {
    const { agentPool, heard } = agentPoolWith();
    running(agentPool.agentFor('surface-0', session('s0'), 'resume'));
    for (let number = 1; number < 20; number++)
      agentPool.agentFor(`surface-${number}`, session(`s${number}`), 'resume');
    await settle();
    const gone = heard.flatMap((log, number) => (log.includes('shutdown') ? [number] : []));
    expect({ gone, ended: heard.flat().filter((line) => line.startsWith('end')) }).toEqual({
      gone: [1, 2, 3, 4],
      ended: [],
    });
  });

  it('may exceed the limit while turns run in all of them', async () => {
    const { agentPool, heard } = agentPoolWith();
    for (let number = 0; number < 20; number++)
      running(agentPool.agentFor(`surface-${number}`, session(`s${number}`), 'resume'));
    await settle();
    expect(heard.flat().filter((line) => line === 'shutdown')).toEqual([]);
  });

  it('are released after an idle hour without ending their sessions; slow work is still completed', async () => {
    const { agentPool, heard, clock } = agentPoolWith((time) => new Promise((resolve) => time.after(2000, resolve)));
    const agent = agentPool.agentFor('one', session('s1'), 'resume');
    agent.memory.syncTurn({
      turnUid: 't1',
      outcome: 'complete',
      prompt: 'a long question',
      answer: 'a',
      startedAt: 1,
      settledAt: 2,
    });
    await clock.advance(1);
    const later = clock.now() + 3601;
    Object.assign(clock, { now: () => later });
    agentPool.agentFor('two', session('s2'), 'resume');
    for (let moment = 0; moment < 12; moment++) await clock.advance(1000);
    expect(heard[0]).toEqual(['initialize s1', 'sync s1: a long question -> a', 'shutdown']);
  });

  it('are reused by a surface that returns to their session while a turn runs there', async () => {
    const { agentPool, heard } = agentPoolWith();
    const first = running(agentPool.agentFor('panel', session('s1'), 'resume'));
    agentPool.agentFor('panel', session('s2'), 'new_session');
    const back = agentPool.agentFor('panel', session('s1'), 'resume');
    first.turnEnded();
    agentPool.settled(first);
    await settle();
    expect({ same: back === first, heard }).toEqual({
      same: true,
      heard: [['initialize s1'], ['initialize s2', 'shutdown']],
    });
  });

  it('all follow a compression, visible or not, so that none serves a closed segment', async () => {
    const { agentPool, heard } = agentPoolWith();
    agentPool.agentFor('one', session('s1'), 'resume');
    agentPool.agentFor('two', session('s1'), 'resume');
    agentPool.movedOn('s1', session('s1b', { parentSessionId: 's1', parentKind: 'compression', conversationId: 's1' }));
    agentPool.agentFor('two', session('s2'), 'new_session');
    await settle();
    expect(heard).toEqual([
      ['initialize s1', 'switch s1b compression parent s1'],
      ['initialize s1', 'switch s1b compression parent s1', 'end s1b', 'switch s2 new_session reset'],
    ]);
  });

  it('of private sessions serve no other sessions, and the other way around', async () => {
    const { agentPool, heard } = agentPoolWith();
    agentPool.agentFor('panel', session('s1'), 'resume');
    agentPool.agentFor('panel', session('s2', { private: true }), 'new_session');
    agentPool.agentFor('panel', session('s3'), 'resume');
    await settle();
    expect(heard.map((log) => log.join(', '))).toEqual(['initialize s1, end s1, shutdown', '', 'initialize s3']);
  });
});
