import { describe, expect, it } from 'vitest';
import type { SimulatedDisk } from '../../support/simulatedDisk';
import {
  afterEveryFailure,
  answer,
  append,
  call,
  chunk,
  complete,
  lines,
  openTurn,
  refusal,
  result,
  runningTurn,
  settle,
  sessionDbWorld,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

/** Two answered turns; the second one looked something up. */
async function answeredTwice(disk?: SimulatedDisk): Promise<SessionDbWorld> {
  const world = await sessionDbWorld(disk);
  runningTurn(world.db, { text: 'one?' });
  settle(world.db, 't1', complete, [answer('a1', 'one', 't1')]);
  openTurn(world.db, { turnUid: 't2', text: 'two?' });
  world.db.putMessages([answer('c2', [call('k')], 't2'), result('r2', 'k', 'found', 't2')]);
  settle(world.db, 't2', complete, [answer('a2', 'two', 't2')]);
  return world;
}

const compress = (
  { db }: SessionDbWorld,
  input: {
    parentId?: string;
    childId?: string;
    handoff?: string;
    summarisedUpTo?: string;
    turnUid?: string;
    prompt?: string;
  } = {},
) =>
  db.compressSession({
    parentId: 's1',
    childId: 's2',
    handoff: 'One was asked.',
    summarisedUpTo: 'a1',
    now: 50,
    ...input,
  });

const active = (world: SessionDbWorld, sessionId: string) =>
  world.db
    .activeMessages(sessionId)
    .map(({ uid, carriedFrom, visibility }) => `${uid} ${visibility.kind} ${carriedFrom ?? '-'}`);

describe('a compression', () => {
  it('continues in a child that begins with the handoff and repeats what it does not cover', async () => {
    const world = await answeredTwice();
    world.db.setTitle('s1', 'Counting', 'person');
    world.db.setSessionModel('s1', 'Local/other');
    world.db.setDraft('s1', 'half a prom');
    const parentRows = active(world, 's1');
    const { session, handoff, carried } = compress(world);
    expect({
      session,
      handoff: handoff.parts,
      carried,
      child: active(world, 's2'),
      parent: world.db.getSession('s1'),
      parentRowsKept: active(world, 's1'),
      tip: world.db.conversationTip('s1'),
      draft: [world.db.draft('s1'), world.db.draft('s2')],
      problems: world.db.verifyIntegrity(),
    }).toMatchObject({
      session: {
        id: 's2',
        parentSessionId: 's1',
        parentKind: 'compression',
        conversationId: 's1',
        title: 'Counting',
        titleSource: 'person',
        model: 'Local/other',
        startedAt: 50,
        endReason: null,
      },
      handoff: [{ kind: 'text', text: 'One was asked.' }],
      carried: 4,
      child: ['s2/handoff handoff -', 's2/u-t2 shown u-t2', 's2/c2 shown c2', 's2/r2 shown r2', 's2/a2 shown a2'],
      parent: { endReason: 'compression', endedAt: 50 },
      parentRowsKept: parentRows,
      tip: 's2',
      draft: ['', 'half a prom'],
      problems: [],
    });
  });

  it('carries rows that arrived while the summary was written', async () => {
    const world = await answeredTwice();
    openTurn(world.db, { turnUid: 't3', text: 'three?' });
    settle(world.db, 't3', complete, [answer('a3', 'three', 't3')]);
    compress(world, { summarisedUpTo: 'a2' });
    expect(active(world, 's2')).toEqual(['s2/handoff handoff -', 's2/u-t3 shown u-t3', 's2/a3 shown a3']);
  });

  it('shows, counts, lists and finds every message once, before and after the boundary', async () => {
    const world = await answeredTwice();
    compress(world);
    openTurn(world.db, { sessionId: 's2', turnUid: 't3', text: 'three?' });
    settle(world.db, 't3', complete, [answer('a3', 'three', 't3', 's2')]);
    compress(world, { parentId: 's2', childId: 's3', summarisedUpTo: 's2/a2' });
    openTurn(world.db, { sessionId: 's3', turnUid: 't4', text: 'four?' });
    settle(world.db, 't4', complete, [answer('a4', 'four', 't4', 's3')]);
    const uids = (sessionId: string) =>
      world.db.readTranscript({ sessionId, limit: 100 }).messages.map(({ uid }) => uid);
    const pages: string[][] = [];
    for (let before: number | undefined; pages.length < 20;) {
      const page = world.db.readTranscript({ sessionId: 's3', limit: 3, ...(before === undefined ? {} : { before }) });
      pages.unshift(page.messages.map(({ uid }) => uid));
      before = page.messages[0]?.position;
      if (!page.hasEarlier) break;
    }
    const whole = ['u-t1', 'a1', 'u-t2', 'c2', 'r2', 'a2', 's2/handoff', 'u-t3', 'a3', 's3/handoff', 'u-t4', 'a4'];
    expect({
      fromTheTip: uids('s3'),
      fromTheFirst: uids('s1'),
      pages: pages.flat(),
      list: world.db
        .listSessions({ limit: 10 })
        .map(({ id, messageCount, turnCount, preview }) => ({ id, messageCount, turnCount, preview })),
      found: world.db.search({ text: 'two', limit: 10 }).map(({ messageUid }) => messageUid),
      handoffFound: world.db.search({ text: 'asked', limit: 10 }).length,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      fromTheTip: whole,
      fromTheFirst: whole,
      pages: whole,
      list: [{ id: 's3', messageCount: 10, turnCount: 4, preview: 'one?' }],
      found: ['a2', 'u-t2'],
      handoffFound: 0,
      problems: [],
    });
  });

  it('is refused where it would lose or mix something', async () => {
    const world = await answeredTwice();
    const refusals = {
      emptyHandoff: refusal(() => compress(world, { handoff: ' \n' })),
      insideAGroup: refusal(() => compress(world, { summarisedUpTo: 'c2' })),
      unknownRow: refusal(() => compress(world, { summarisedUpTo: 'a9' })),
    };
    openTurn(world.db, { turnUid: 't3', text: 'three?' });
    const whileAnswering = refusal(() => compress(world));
    append(world.db, 't3', chunk('a3', 1, 0, 'thr'));
    const whileDelivered = refusal(() => compress(world, { turnUid: 't3' }));
    settle(world.db, 't3');
    const before = {
      lines: lines(world.db),
      sessions: world.db.statistics().sessions,
      parent: world.db.getSession('s1')?.endReason,
    };
    world.db.endSession('s1', 'reset');
    expect({
      ...refusals,
      whileAnswering,
      whileDelivered,
      before,
      ended: refusal(() => compress(world)),
    }).toMatchObject({
      emptyHandoff: 'invalid',
      insideAGroup: 'invalid',
      unknownRow: 'invalid',
      whileAnswering: 'conversation-busy',
      whileDelivered: 'invalid',
      before: { sessions: 1, parent: null },
      ended: 'invalid',
    });
  });

  it('by a turn of its own history lets that turn span two segments', async () => {
    const world = await answeredTwice();
    openTurn(world.db, { turnUid: 't3', text: 'three?' });
    world.db.putMessages([answer('c3', [call('k3')], 't3'), result('r3', 'k3', 'seen', 't3')]);
    compress(world, { summarisedUpTo: 'a2', turnUid: 't3' });
    const settled = settle(world.db, 't3', complete, [answer('a3', 'three', 't3', 's2')]);
    expect({
      rows: settled.messages.map(({ uid }) => uid),
      active: active(world, 's2'),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      rows: ['u-t3', 'c3', 'r3', 'a3'],
      active: ['s2/handoff handoff -', 's2/u-t3 shown u-t3', 's2/c3 shown c3', 's2/r3 shown r3', 'a3 shown -'],
      problems: [],
    });
  });

  it('in the middle of a turn carries over the prompt, the turn itself, and the queue', async () => {
    const world = await answeredTwice();
    openTurn(world.db, { turnUid: 't3', text: 'three?' });
    for (const n of [3, 4])
      world.db.putMessages([answer(`c${n}`, [call(`k${n}`)], 't3'), result(`r${n}`, `k${n}`, 'seen', 't3')]);
    world.db.enqueue({ uid: 'q', sessionId: 's1', text: 'four?', createdAt: 40 });
    const wrong = ['a1', 'u-t9', 'c4'].map((prompt) =>
      refusal(() => compress(world, { summarisedUpTo: 'r3', turnUid: 't3', prompt })),
    );
    compress(world, { summarisedUpTo: 'r3', turnUid: 't3', prompt: 'u-t3' });
    const open = world.db.openTurnOf('s1');
    const settled = settle(world.db, 't3', complete, [answer('a3', 'three', 't3', 's2')]);
    expect({
      wrong,
      open: open?.sessionId,
      queue: world.db.queue('s2').map(({ uid, sessionId }) => `${uid} ${sessionId}`),
      rows: settled.messages.map(({ uid }) => uid),
      active: active(world, 's2'),
      shown: world.db
        .readTranscript({ sessionId: 's2', limit: 20 })
        .messages.slice(6)
        .map(({ uid }) => uid),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      wrong: ['invalid', 'invalid', 'invalid'],
      open: 's2',
      queue: ['q s2'],
      rows: ['u-t3', 'c3', 'r3', 'c4', 'r4', 'a3'],
      active: ['s2/handoff handoff -', 's2/u-t3 shown u-t3', 's2/c4 shown c4', 's2/r4 shown r4', 'a3 shown -'],
      shown: ['u-t3', 'c3', 'r3', 'c4', 'r4', 's2/handoff', 'a3'],
      problems: [],
    });
  });

  it('requested twice happens once', async () => {
    const world = await answeredTwice();
    const first = compress(world);
    expect({
      same: compress(world),
      rows: active(world, 's2').length,
      other: refusal(() => compress(world, { childId: 's1' })),
    }).toEqual({ same: first, rows: 5, other: 'invalid' });
  });

  it('leaves either the living parent or a complete child when the power fails, at every write of it', async () => {
    const outcomes = await afterEveryFailure(answeredTwice, compress, (found) => {
      const tip = found.db.conversationTip('s1');
      return `${tip} ${found.db.getSession('s1')?.endReason ?? 'open'} ${active(found, tip).length}`;
    });
    expect(outcomes).toEqual(['s1 open 6', 's2 compression 5']);
  });
});

describe('rows inserted between others in a later segment', () => {
  it('stay inside that segment when it is renumbered', async () => {
    const world = await answeredTwice();
    compress(world);
    openTurn(world.db, { sessionId: 's2', turnUid: 't3', text: 'three?' });
    settle(world.db, 't3', complete, [answer('a3', 'three', 't3', 's2')]);
    for (let count = 0; count < 15; count++)
      world.db.putMessages([answer(`late-${count}`, `late ${count}`, 't2', 's2')]);
    const order = world.db.readTranscript({ sessionId: 's2', limit: 100 }).messages.map(({ uid }) => uid);
    const handoff = order.indexOf('s2/handoff');
    expect([
      order.slice(0, handoff),
      order.slice(handoff + 1).filter((uid) => !uid.startsWith('late')),
      order.length,
    ]).toEqual([['u-t1', 'a1', 'u-t2', 'c2', 'r2', 'a2'], ['u-t3', 'a3'], 24]);
  });

  it('go after the row they name or the one carried from it, however often; otherwise to the end of their turn', async () => {
    const world = await answeredTwice();
    openTurn(world.db, { turnUid: 't3', text: 'three?' });
    world.db.putMessages([answer('c3', [call('k3')], 't3'), result('r3', 'k3', 'seen', 't3')]);
    compress(world, { summarisedUpTo: 'a2', turnUid: 't3' });
    world.db.putMessages([answer('a3', 'three', 't3', 's2')]);
    settle(world.db, 't3', complete, []);
    openTurn(world.db, { sessionId: 's2', turnUid: 't4', text: 'four?' });
    settle(world.db, 't4', complete, [answer('a4', 'four', 't4', 's2')]);
    for (let count = 14; count >= 0; count--)
      world.db.putMessages([
        { ...answer(`late-${String(count).padStart(2, '0')}`, `late ${count}`, 't3', 's2'), behind: 'r3' },
      ]);
    world.db.putMessages([
      { ...answer('first', 'first', 't1'), behind: 'u-t1' },
      { ...answer('second', 'second', 't1'), behind: 'first' },
    ]);
    world.db.putMessages([{ ...answer('last', 'last', 't3', 's2'), behind: 'a1' }]);
    const late = Array.from({ length: 15 }, (_, index) => `late-${String(index).padStart(2, '0')}`);
    expect([
      world.db
        .activeMessages('s1')
        .slice(0, 4)
        .map(({ uid }) => uid),
      world.db.activeMessages('s2').map(({ uid }) => uid),
    ]).toEqual([
      ['u-t1', 'first', 'second', 'a1'],
      ['s2/handoff', 's2/u-t3', 's2/c3', 's2/r3', ...late, 'a3', 'last', 'u-t4', 'a4'],
    ]);
  });
});
