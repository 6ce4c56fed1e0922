import { afterEach, describe, expect, it } from 'vitest';
import { readElsewhere } from '../support/account';
import { worldPerTest, askUntil, resumed } from '../support/conformance';
import { fastClock } from '../support/hindsight/fastClock';
import { HindsightInWorld } from '../support/hindsight/hindsightInWorld';
import { HindsightRun } from '../support/hindsight/hindsightLife';
import { MemoryStore } from '../support/hindsight/memoryStore';
import type { StandInOptions } from '../support/hindsight/standIn';
import { reply } from '../support/modelServer';
import type { World } from '../support/world';

const { create } = worldPerTest();
let open: HindsightInWorld | null = null;
afterEach(async () => {
  const problems = open?.server.violations ?? [];
  await open?.close();
  open = null;
  expect(problems).toEqual([]);
});

async function remembering(
  options: StandInOptions = {},
): Promise<{ readonly world: World; readonly hindsight: HindsightInWorld }> {
  const hindsight = (open = await HindsightInWorld.start(options));
  const world = await create({ memory: hindsight.memory });
  hindsight.world = world;
  return { world, hindsight };
}

const turn = (n: number): readonly string[] => [`User: q${n}`, `Assistant: a${n}`];
const answers = (count: number) => Array.from({ length: count }, (_, index) => reply().says(`a${index + 1}`));

describe('Hindsight', () => {
  it('turns still queued when the session is left go into its document, and later ones into that of the next session (B110)', async () => {
    let reachable = false;
    const { world, hindsight } = await remembering({ fault: () => (reachable ? null : 'dropBefore') });
    world.server.script(...answers(3));
    const panel = world.surface();
    const first = await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    reachable = true;
    const second = await world.ask(panel, 'q3');
    await hindsight.drained();
    expect(hindsight.documents()).toEqual({ [first.sessionId]: [...turn(1), ...turn(2)], [second.sessionId]: turn(3) });
  });

  it('on a server that overwrites, a session in two processes has two documents, and loses neither (B111)', async () => {
    const { world, hindsight } = await remembering({ server: 'overwrites' });
    world.server.script(...answers(3));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    await hindsight.drained();
    await world.reopen();
    const again = await resumed(world, sessionId);
    await world.ask(again, 'q3');
    await hindsight.drained();
    const documents = Object.entries(hindsight.documents()).sort(([left], [right]) => left.localeCompare(right));
    expect({
      words: documents.map(([, words]) => words),
      ids: documents.map(([id]) => id.startsWith(`${sessionId}-`)),
    }).toEqual({ words: [[...turn(1), ...turn(2)], turn(3)], ids: [true, true] });
  });

  it('turns that were never sent when the window closed are sent by the next window (B112)', async () => {
    let reachable = false;
    const { world, hindsight } = await remembering({ fault: () => (reachable ? null : 'dropBefore') });
    world.server.script(...answers(8));
    const panel = world.surface();
    let sessionId = '';
    for (let n = 1; n <= 8; n++) ({ sessionId } = await world.ask(panel, `q${n}`));
    await world.reopen();
    reachable = true;
    await hindsight.drained();
    expect(hindsight.documents()).toEqual({ [sessionId]: [1, 2, 3, 4, 5, 6, 7, 8].flatMap(turn) });
  });

  it('a stopped turn is not retained, neither then nor with the next one (B114)', async () => {
    const { world, hindsight } = await remembering();
    world.server.script(reply().says('half').hangs(), reply().says('a2'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'half');
    await world.gateway.turns.stop(sessionId);
    await world.settles(panel, 1);
    await world.ask(panel, 'q2');
    await hindsight.drained();
    expect(hindsight.documents()).toEqual({ [sessionId]: turn(2) });
  });

  it('a rewind is followed: hidden turns are no longer remembered', async () => {
    const { world, hindsight } = await remembering();
    world.server.script(reply().says('a1'), reply().says('a2'), reply().says('a3'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    await hindsight.drained();
    const second = (await world.rows(sessionId)).find(
      (row) => row.role === 'user' && JSON.stringify(row.parts).includes('q2'),
    );
    await world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId, to: second?.uid ?? '' });
    await hindsight.drained();
    const rewound = hindsight.documents();
    await world.ask(panel, 'q3');
    await hindsight.drained();
    expect([rewound, hindsight.documents()]).toEqual([
      { [sessionId]: turn(1) },
      { [sessionId]: [...turn(1), ...turn(3)] },
    ]);
  });

  it('a key in a prompt is masked before it is sent, and stored as it was written (B123)', async () => {
    const { world, hindsight } = await remembering();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'use sk-proj-abc123def456ghi7 please');
    await hindsight.drained();
    const [asked] = hindsight.documents()[sessionId] ?? [];
    expect({
      asked,
      stored: readElsewhere(world, "SELECT count(*) FROM messages WHERE content LIKE '%abc123def456%'"),
    }).toEqual({ asked: 'User: use [secret] please', stored: ['1'] });
  });

  it('a switch adopts id and parent and leaves nothing behind; a switch to no session changes nothing (S105 S106 S108)', async () => {
    const { server } = (open = await HindsightInWorld.start());
    const store = new MemoryStore();
    const life = new HindsightRun({ store, url: server.url, clock: fastClock(50), uid: () => 'uid' });
    const provider = life.createProvider();
    const signal = new AbortController().signal;
    const told = async (turnUid: string, sessionId: string): Promise<void> => {
      const said = { prompt: `q ${turnUid}`, answer: `a ${turnUid}`, startedAt: 1, settledAt: 2 };
      store.turns.push({ uid: turnUid, sessionId, ...said, state: 'complete', hidden: false });
      await provider.syncTurn({ turnUid, sessionId, ...said });
    };
    await provider.initialize('old-sid', signal, { parentSessionId: null });
    await told('t1', 'old-sid');
    await told('t2', 'old-sid');
    await provider.onSessionSwitch('new-sid', {
      parentSessionId: 'old-sid',
      previousSessionId: 'old-sid',
      reset: false,
      rewound: false,
      reason: 'branch',
    });
    await provider.onSessionSwitch('', {
      parentSessionId: 'p',
      previousSessionId: 'new-sid',
      reset: true,
      rewound: false,
      reason: 'new_session',
    });
    await told('t3', 'new-sid');
    while (store.entries.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    life.die();
    const held = [...server.bank('hermes').documents].map(([id, { tags, text }]) => [
      id,
      tags,
      [...text.matchAll(/: (q t\d)/g)].map(([, word]) => word),
    ]);
    expect(held).toEqual([
      ['old-sid', ['session:old-sid'], ['q t1', 'q t2']],
      ['new-sid', ['session:new-sid', 'parent:old-sid'], ['q t3']],
    ]);
  });
});
