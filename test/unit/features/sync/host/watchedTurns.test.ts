import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readShownTurn, WatchedTurns } from '../../../../../src/features/sync/host/watchedTurns';
import { perform, promisedOperations, type SessionStore } from '../../../../../src/store/session/sessionStore';
import { answerText } from '../../../../../src/transcript/message';
import { ManualClock } from '../../../../support/manualClock';
import { answered, append, openTurn, sessionDbWorld, type SessionDbWorld } from '../../../../support/sessionDbWorld';
import { SimulatedServer } from '../../../../support/simulatedServer';
import { SimulatedTurns } from '../../../../support/simulatedTurns';
import { RecordingLog } from '../../../host/recordingLog';

const storeOf = ({ db }: SessionDbWorld): SessionStore => ({
  ...promisedOperations((method, args) => Promise.resolve(perform(db, method, args))),
  close: () => Promise.resolve(),
});

let clock: ManualClock;
let server: SimulatedServer;
let turns: SimulatedTurns;
const worlds: SessionDbWorld[] = [];
beforeEach(() => {
  clock = new ManualClock();
  server = new SimulatedServer();
  turns = new SimulatedTurns(server);
  server.connect('laptop', 'The laptop');
  server.connect('desk', 'The desk');
});
afterEach(() => worlds.splice(0).forEach(({ database }) => database.abandon()));

async function world(): Promise<SessionDbWorld> {
  const made = await sessionDbWorld();
  worlds.push(made);
  made.db.createSession({ id: 's1', startedAt: 1 });
  answered(made.db, 't1', 'Apples.');
  return made;
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    server.clock++;
    await clock.advance(1000);
  }
}

/** The desk sees a session in which the laptop answers. */
async function watched(canTakeOver = true) {
  const [laptop, desk] = [await world(), await world()];
  const lease = server.lease({ origin: 'laptop' }, 's1');
  const fence = lease.kind === 'granted' ? lease.fence : 0;
  openTurn(laptop.db, { turnUid: 't2', text: 'And what else?' });
  append(laptop.db, 't2', { messageUid: 'a-2', seq: 1, part: 0, kind: 'text', start: 0, text: 'Pears and' });
  const own = turns.of('laptop');
  const events: string[] = [];
  const there = new WatchedTurns({
    turns: turns.of('desk'),
    service: { takeOver: () => Promise.resolve(canTakeOver) },
    sessions: storeOf(desk),
    gateway: {
      switching: { received: (id) => Promise.resolve(void events.push(`received ${id}`)) },
      turns: { conversations: () => new Set() },
    },
    shownSession: () => 's1',
    clock,
    log: new RecordingLog(),
    onChange: () => void events.push('changed'),
  });
  await pass(2);
  await own.show('s1', fence, (await readShownTurn(storeOf(laptop), 's1')) ?? '');
  await pass(2);
  return { there, desk, laptop, events };
}

describe('a turn of another machine', () => {
  it('is seen with its prompt and its text so far', async () => {
    const { there } = await watched();
    expect(there.turn).toEqual({
      conversationId: 's1',
      machine: 'The laptop',
      prompt: 'And what else?',
      text: 'Pears and',
      call: null,
      isAlive: true,
      isStopAsked: false,
    });
    there.dispose();
  });

  it('is not shown a second time once it has arrived', async () => {
    const { there, desk } = await watched();
    answered(desk.db, 't2', 'Pears and plums.');
    there.active();
    await pass(1);
    expect(there.turn).toBeNull();
    there.dispose();
  });

  it('that was lost is kept as an interrupted answer by the machine that takes over', async () => {
    const { there, desk, events } = await watched();
    await pass(61);
    expect(there.turn?.isAlive).toBe(false);
    // Pressed twice, and once more.
    await Promise.all([there.takeOver(), there.takeOver()]);
    await there.takeOver();
    const rows = desk.db.activeMessages('s1').slice(2);
    const turn = desk.db.getTurn(rows[0]?.turnUid ?? '');
    expect([rows.map(({ parts }) => answerText(parts)), turn?.state === 'settled' && turn.outcome]).toEqual([
      ['And what else?', 'Pears and'],
      'interrupted',
    ]);
    expect([events.includes('received s1'), desk.db.verifyIntegrity()]).toEqual([true, []]);
    there.dispose();
  });

  it('is left to its machine when that is back', async () => {
    const { there, desk } = await watched(false);
    await pass(61);
    await there.takeOver();
    expect(desk.db.activeMessages('s1').length).toBe(2);
    there.dispose();
  });
});

describe('what a turn shows to others', () => {
  it('has its prompt, its answers and the call that runs, and ends with the turn', async () => {
    const laptop = await world();
    openTurn(laptop.db, { turnUid: 't2', text: 'Count' });
    laptop.db.putMessages([
      {
        uid: 'a-1',
        sessionId: 's1',
        turnUid: 't2',
        createdAt: 3,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'I look.' },
          { kind: 'toolCall', callId: 'c1', name: 'run_command', arguments: '{"command":"ls"}' },
        ],
        state: 'final',
        lastSeq: 0,
        model: null,
        finishReason: null,
        usage: null,
      },
    ]);
    const shown: unknown = JSON.parse((await readShownTurn(storeOf(laptop), 's1')) ?? '');
    expect(shown).toEqual({
      turnUid: 't2',
      model: expect.any(String),
      prompt: 'Count',
      text: 'I look.',
      call: { callId: 'c1', name: 'run_command', arguments: '{"command":"ls"}' },
    });
    laptop.db.settleTurn({
      turnUid: 't2',
      settledAt: 9,
      settlement: { outcome: 'interrupted', stopReason: 'user', failure: null },
      messages: [],
    });
    expect(await readShownTurn(storeOf(laptop), 's1')).toBeNull();
  });
});
