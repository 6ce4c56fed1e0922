import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log';
import { AgentPool } from '../../../src/gateway/agents/agentPool';
import { MemoryProviders } from '../../../src/memory/memoryProviders';
import type { Session } from '../../../src/transcript/session';
import { gate } from '../../support/conformance';
import { session as storedSession } from '../../support/builders/viewMessages';
import { ManualClock } from '../../support/manualClock';
import { RecordingMemory } from '../../support/recordingMemory';

const session = (id: string, change: Partial<Session> = {}): Session =>
  storedSession({ id, conversationId: id, ...change });

function agents() {
  const heard: string[] = [];
  const clock = new ManualClock();
  let chosen = 'one';
  const providers = new MemoryProviders(() => chosen, silentLog);
  const register = (name: string, pause?: (hook: string) => Promise<void>): void => {
    providers.register({
      name,
      kind: 'external',
      create: () =>
        new RecordingMemory(heard, { name, prefix: `${name}: `, ...(pause === undefined ? {} : { pause }) }),
    });
  };
  const agentPool = new AgentPool({
    clock,
    createMemory: (agent) => providers.createMemory(agent, { clock, log: silentLog }),
  });
  return { agentPool, clock, heard, providers, register, choose: (name: string) => void (chosen = name) };
}

describe('the agent of a surface', () => {
  it('gets new memory as soon as it is idle when another provider was chosen; the previous provider finishes its work', async () => {
    const { agentPool, clock, heard, register, choose } = agents();
    const held = gate();
    register('one', (hook) => (hook === 'sync' ? held.opened : Promise.resolve()));
    register('two');
    const first = agentPool.agentFor('panel', session('S1'), 'new_session');
    first.turnBegan();
    choose('two');
    const during = agentPool.agentFor('panel', session('S1'), 'resume');
    first.memory.syncTurn({
      turnUid: 't',
      prompt: 'q1',
      answer: 'a1',
      outcome: 'complete',
      startedAt: 1,
      settledAt: 2,
    });
    first.turnEnded();
    const after = agentPool.agentFor('panel', session('S1'), 'resume');
    await after.memory.drain();
    const early = [...heard];
    held.open();
    await first.memory.drain();
    expect([during === first, after === first, early, heard]).toEqual([
      true,
      false,
      ['one: initialize S1', 'two: initialize S1'],
      ['one: initialize S1', 'two: initialize S1', 'one: sync S1: q1 -> a1', 'one: shutdown'],
    ]);
    await clock.advance(0);
  });

  it('is released when its provider is unregistered: at once if idle, else after its turn; queued work is done first', async () => {
    const { agentPool, clock, heard, providers } = agents();
    const held = gate();
    const pause = (hook: string): Promise<void> => (hook === 'sync' ? held.opened : Promise.resolve());
    const registration = providers.register({
      name: 'one',
      kind: 'external',
      create: () => new RecordingMemory(heard, { pause }),
    });
    const [idle, busy] = [
      agentPool.agentFor('panel', session('S1'), 'resume'),
      agentPool.agentFor('tab', session('S2'), 'resume'),
    ];
    busy.turnBegan();
    for (const [agent, number] of [
      [idle, 1],
      [busy, 2],
    ] as const)
      agent.memory.syncTurn({
        turnUid: `t${number}`,
        prompt: `question ${number}`,
        answer: 'a',
        outcome: 'complete',
        startedAt: 1,
        settledAt: 2,
      });
    providers.onDidChange(() => agentPool.memoryChanged());
    registration.dispose();
    held.open();
    await Promise.all([idle.memory.drain(), busy.memory.drain()]);
    const during = [...heard];
    busy.turnEnded();
    agentPool.settled(busy);
    await busy.memory.drain();
    const next = agentPool.agentFor('panel', session('S1'), 'resume');
    expect({ during, after: heard.slice(during.length), next: next.memory.providerNames }).toEqual({
      during: ['initialize S1', 'initialize S2', 'sync S1: question 1 -> a', 'sync S2: question 2 -> a', 'shutdown'],
      after: ['shutdown'],
      next: [],
    });
    await clock.advance(0);
  });
});
