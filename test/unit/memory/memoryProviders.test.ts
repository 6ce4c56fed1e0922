import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log';
import { type MemoryContext, type MemoryProviderFactory, MemoryProviders } from '../../../src/memory/memoryProviders';
import { ManualClock } from '../../support/manualClock';
import { legacyMemory, RecordingMemory } from '../../support/recordingMemory';

function factory(
  name: string,
  kind: MemoryProviderFactory['kind'],
  contexts: MemoryContext[] = [],
): MemoryProviderFactory {
  return { name, kind, create: (context) => (contexts.push(context), legacyMemory([], name)) };
}

function known(chosen: string): {
  readonly providers: MemoryProviders;
  readonly warned: string[];
  readonly names: (isPrivate?: boolean) => readonly string[];
} {
  const warned: string[] = [];
  const providers = new MemoryProviders(() => chosen, { ...silentLog, warn: (message) => void warned.push(message) });
  for (const each of [factory('hindsight', 'external'), factory('builtin', 'builtin'), factory('mem0', 'external')])
    providers.register(each);
  const names = (isPrivate = false): readonly string[] =>
    providers.createMemory({ isPrivate }, { clock: new ManualClock(), log: silentLog }).providerNames;
  return { providers, warned, names };
}

describe('the choice of a memory provider', () => {
  it.each([
    ['builtin', ['builtin']],
    ['hindsight', ['builtin', 'hindsight']],
    ['mem0', ['builtin', 'mem0']],
    ['none', []],
  ])('%s', (chosen, names) => {
    expect(known(chosen).names()).toEqual(names);
  });

  it('that is unknown leaves the built-in one, and this is reported', () => {
    const { names, warned } = known('letta');
    expect([names(), warned]).toEqual([
      ['builtin'],
      ['Memory provider letta is chosen in the settings but not known here; only the built-in memory is used.'],
    ]);
  });

  it('gives a private session none, not even the built-in one', () => {
    expect([known('hindsight').names(true), known('builtin').names(true)]).toEqual([[], []]);
  });
});

describe('providers of an agent', () => {
  it('belong to that agent only', () => {
    const made: MemoryContext[] = [];
    const providers = new MemoryProviders(() => 'builtin', silentLog);
    providers.register(factory('builtin', 'builtin', made));
    const parts = { clock: new ManualClock(), log: silentLog };
    expect(providers.createMemory({ isPrivate: false }, parts)).not.toBe(
      providers.createMemory({ isPrivate: false }, parts),
    );
    expect(made.length).toBe(2);
  });

  it('receive writes of the built-in one', async () => {
    const heard: string[] = [];
    const providers = new MemoryProviders(() => 'other', silentLog);
    const contexts: MemoryContext[] = [];
    providers.register(factory('builtin', 'builtin', contexts));
    providers.register({ name: 'other', kind: 'external', create: () => new RecordingMemory(heard) });
    const memory = providers.createMemory({ isPrivate: false }, { clock: new ManualClock(), log: silentLog });
    memory.initialize('S1');
    contexts[0]?.wrote({ action: 'add', target: 'memory', content: 'uses pnpm', previous: null });
    await memory.drain();
    expect(heard).toEqual(['initialize S1', 'write add memory: uses pnpm']);
  });

  it('that cannot be created are left out, and this is reported', () => {
    const { providers, warned, names } = known('broken');
    providers.register({
      name: 'broken',
      kind: 'external',
      create: () => {
        throw new Error('no wasm');
      },
    });
    expect([names(), warned]).toEqual([['builtin'], ['Memory provider broken could not be made: no wasm']]);
  });

  it('match what a new agent would get, until another one is chosen, registered again or unregistered', () => {
    let chosen = 'builtin';
    const providers = new MemoryProviders(() => chosen, silentLog);
    providers.register(factory('builtin', 'builtin'));
    const memory = (isPrivate = false) =>
      providers.createMemory({ isPrivate }, { clock: new ManualClock(), log: silentLog });
    const first = memory();
    const mine = providers.register(factory('mine', 'external'));
    const unchanged = first.isCurrent;
    chosen = 'mine';
    const [second, hidden] = [memory(), memory(true)];
    const chosenNow = [first.isCurrent, second.isCurrent, hidden.isCurrent];
    mine.dispose();
    providers.register(factory('mine', 'external'));
    expect([unchanged, chosenNow, second.isCurrent, hidden.isCurrent]).toEqual([
      true,
      [false, true, true],
      false,
      true,
    ]);
  });

  it('have one name each, and can be unregistered', () => {
    const { providers, names } = known('mine');
    const registration = providers.register(factory('mine', 'external'));
    const register = (name: string) => () => providers.register(factory(name, 'external'));
    expect(register('mine')).toThrow('registered already');
    expect(register('none')).toThrow('cannot be named');
    expect(register(' ')).toThrow('cannot be named');
    expect(names()).toEqual(['builtin', 'mine']);
    registration.dispose();
    expect(names()).toEqual(['builtin']);
  });
});
