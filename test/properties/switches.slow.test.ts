import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/gateway/gateway';
import { StoreError } from '../../src/store/storeError';
import { SwitchingHouse } from '../support/switching/switchingHouse';

/** One thing a person does at a surface. `session` counts in the list as it then is. */
type Step =
  | {
      readonly kind: 'prompt' | 'held' | 'new' | 'reset' | 'branch' | 'rewind' | 'compress' | 'retry' | 'edit';
      readonly surface: number;
    }
  | { readonly kind: 'resume'; readonly surface: number; readonly session: number }
  | { readonly kind: 'letGo' | 'reload'; readonly surface: number };

const runs = Number(process.env['PROPERTY_RUNS'] ?? '40');

/** Does a step, and says what a person saw come of it: the switch and what it was from; null where there was none. */
async function take(
  house: SwitchingHouse,
  step: Step,
): Promise<{ readonly from: string | null; readonly to: string | null } | null> {
  const surface = house.surface(step.surface);
  const from = house.gateway.shownSession(surface.id);
  const busy = house.gateway.runningTurns().some(({ sessionId }) => sessionId === from);
  const switched = async (target: Parameters<typeof house.gateway.switchSession>[1]) => ({
    from,
    to: (await house.within(house.gateway.switchSession(surface.id, target))).sessionId,
  });
  switch (step.kind) {
    case 'prompt':
    case 'held':
      return busy ? null : { from, to: await house.prompt(surface, step.kind === 'held') };
    case 'new':
      return switched({ reason: 'new_session' });
    case 'reset':
      return switched({ reason: 'reset' });
    case 'resume': {
      const list = await house.gateway.listSessions({ limit: 50 });
      const chosen = list[step.session % Math.max(1, list.length)];
      return chosen === undefined ? null : switched({ reason: 'resume', sessionId: chosen.id });
    }
    case 'branch':
      return from === null ? null : switched({ reason: 'branch', sessionId: from, from: null });
    case 'rewind':
      return from === null ? null : switched({ reason: 'rewind', sessionId: from, turns: 1 });
    case 'compress':
      return from === null ? null : { from, to: (await house.within(house.gateway.compress(from, null))).sessionId };
    case 'retry':
    case 'edit': {
      const last = from === null ? null : house.db.activeMessages(from).at(-1)?.turnUid;
      if (last === null || last === undefined || busy) return null;
      const again =
        step.kind === 'retry'
          ? house.gateway.retry(surface.id, last)
          : house.gateway.editAndResend(surface.id, last, 'other words', `edit of ${last}`);
      const { sessionId } = await house.within(again);
      await house.settled(sessionId);
      return null;
    }
    case 'letGo':
      await house.letAllGo();
      return null;
    case 'reload':
      await house.reload();
      return null;
  }
}

/** A refusal is an answer too, and must change nothing. */
async function takeOrRefuse(house: SwitchingHouse, step: Step): ReturnType<typeof take> {
  const shown = (): readonly (string | null)[] => house.surfaces.map(({ id }) => house.gateway.shownSession(id));
  const before = shown();
  try {
    return await take(house, step);
  } catch (error) {
    if (!(error instanceof GatewayError) && !(error instanceof StoreError)) throw error;
    expect(shown()).toEqual(before);
    return null;
  }
}

const surface = fc.nat({ max: 1 });
const at = <K extends Step['kind']>(kind: K, where: fc.Arbitrary<number>) =>
  fc.record({ kind: fc.constant(kind), surface: where });

function steps(
  where: fc.Arbitrary<number>,
  kinds: readonly Exclude<Step['kind'], 'resume'>[],
): fc.Arbitrary<readonly Step[]> {
  const others = kinds.map((kind) => at(kind, where)) as readonly fc.Arbitrary<Step>[];
  const resume: fc.Arbitrary<Step> = fc.record({
    kind: fc.constant('resume'),
    surface: where,
    session: fc.nat({ max: 5 }),
  });
  return fc.array(fc.oneof({ weight: 3, arbitrary: at('prompt', where) as fc.Arbitrary<Step> }, resume, ...others), {
    minLength: 4,
    maxLength: 25,
  });
}

describe('a recording provider', () => {
  it('is notified of every completed turn once, under its session, and of nothing outside a turn, with two surfaces and answers in the background', async () => {
    const kinds = ['held', 'held', 'new', 'reset', 'branch', 'rewind', 'compress', 'retry', 'letGo', 'reload'] as const;
    await fc.assert(
      fc.asyncProperty(steps(surface, kinds), async (sequence) => {
        const house = await SwitchingHouse.create();
        for (const step of sequence) await takeOrRefuse(house, step);
        await house.letAllGo();
        await house.close();
        const wrong = problems(house);
        house.dispose();
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
});

/** What is wrong with what memory heard, agent by agent, and with what is remembered. */
function problems(house: SwitchingHouse): readonly string[] {
  const found: string[] = [];
  for (const [agent, lines] of house.notified.entries()) {
    let serves: string | null = null;
    let ended: string | null = null;
    let isOver = false;
    for (const line of lines) {
      const [hook = '', id = ''] = line.replace(/:.*/s, '').split(' ');
      const wrong = (why: string): void => void found.push(`agent ${agent}: ${why}: ${line.slice(0, 100)}`);
      if (isOver) wrong('behind its shutdown');
      if (hook === 'initialize' && serves !== null) wrong('begun twice');
      if (hook !== 'initialize' && serves === null && hook !== 'shutdown') wrong('before it was begun');
      if (hook === 'sync' && (id !== serves || ended === id))
        wrong(`while it serves ${serves}, ${ended === id ? 'which is over' : 'another'}`);
      if (hook === 'end' && (id !== serves || ended === id)) wrong(`while it serves ${serves}`);
      if (hook === 'switch' && line.includes(' rewound') !== (id === serves)) wrong(`while it serves ${serves}`);
      if (hook === 'switch' && line.includes(' reset') && line.includes('session') && ended !== serves)
        wrong(`without the end of ${serves}`);
      if (hook === 'end') ended = id;
      if ((hook === 'switch' && !line.includes(' rewound')) || hook === 'initialize') {
        serves = id;
        ended = null;
      }
      isOver = hook === 'shutdown';
    }
    if (!isOver) found.push(`agent ${agent}: never shut down`);
  }
  const synced = house.notified
    .flat()
    .filter((line) => line.startsWith('sync '))
    .map((line) => /-> (answer \d+)/.exec(line)?.[1] ?? line);
  const stored = house.completed();
  for (const { answer, conversationId } of stored) {
    const heard = house.notified.flat().filter((line) => line.startsWith('sync ') && line.includes(`-> ${answer}:`));
    const under = heard.map((line) => house.db.getSession(/^sync (\S+):/.exec(line)?.[1] ?? '')?.conversationId);
    if (under.length !== 1 || under[0] !== conversationId)
      found.push(`${answer} of ${conversationId} was remembered ${under.length} times, under ${under.join(', ')}`);
  }
  if (synced.length !== stored.length)
    found.push(`${synced.length} turns were remembered, ${stored.length} were completed`);
  return found;
}
