import type { NewMessage } from '../../src/transcript/message';
import { unknownUsage } from '../../src/transcript/usage';
import { openWorldStore } from '../support/worldStore';

type Asked = NewMessage & { readonly role: 'user' };
type Said = NewMessage & { readonly role: 'assistant' };

const day = 24 * 60 * 60;
const complete = { outcome: 'complete', stopReason: 'stop', failure: null } as const;
const repaired = '20261101_080000_00abcd';

const earlier: readonly {
  readonly title: string;
  readonly daysAgo: number;
  readonly turns: readonly (readonly [prompt: string, answer: string])[];
}[] = [
  {
    title: 'Name parts by their hash',
    daysAgo: 1,
    turns: [
      ['Could parts be named by their hash?', 'They could: `partName` has the bytes at hand.'],
      ['What would break?', 'Resumed uploads that know the old names.'],
    ],
  },
  {
    title: 'Why is CI slower than my machine?',
    daysAgo: 3,
    turns: [['Why is CI slower than my machine?', 'It has one core, and the tests wait for real timers.']],
  },
  {
    title: 'Release checklist',
    daysAgo: 30,
    turns: [['What is left before 1.0?', 'The retry tests, the changelog, and a note on `Retry-After`.']],
  },
];

/** Stores what a person would have had in the folder by now: sessions of earlier days, and one whose history was repaired. Nobody may have the store open. */
export async function storeSessions(folder: string): Promise<void> {
  const { db, store, database } = await openWorldStore(folder, () => Date.now() / 1000);
  const now = Math.floor(Date.now() / 1000);
  for (const { title, daysAgo, turns } of earlier) {
    const sessionId = `20261001_08000${daysAgo % 10}_00000${daysAgo % 10}`;
    const startedAt = now - daysAgo * day;
    db.createSession({ id: sessionId, startedAt, title, titleSource: 'person' });
    for (const [index, [prompt, answer]] of turns.entries()) {
      const turnUid = `${sessionId}-${index}`;
      const at = startedAt + index * 60;
      db.openTurn({
        turnUid,
        sessionId,
        model: 'Local/qwen3-coder',
        startedAt: at,
        userMessage: asked(turnUid, sessionId, prompt, at),
      });
      db.settleTurn({
        turnUid,
        settledAt: at + 9,
        settlement: complete,
        messages: [said(turnUid, sessionId, answer, at + 9)],
      });
    }
  }
  const at = now - 2 * day;
  db.createSession({ id: repaired, startedAt: at, title: 'Two prompts in a row', titleSource: 'person' });
  const begin = (turnUid: string, text: string, startedAt: number): void =>
    void db.openTurn({
      turnUid,
      sessionId: repaired,
      model: 'Local/qwen3-coder',
      startedAt,
      userMessage: asked(turnUid, repaired, text, startedAt),
    });
  begin('stopped', 'Look at the retry tests', at);
  db.settleTurn({
    turnUid: 'stopped',
    settledAt: at + 4,
    settlement: { outcome: 'interrupted', stopReason: 'user', failure: null },
    messages: [],
  });
  // As another program left it: no answer between two prompts, which no provider takes.
  database.run("DELETE FROM messages WHERE uid = 'stopped/closing'");
  begin('asked', 'and say which of them wait for real timers.', at + 60);
  db.repairTranscript(repaired);
  db.settleTurn({
    turnUid: 'asked',
    settledAt: at + 70,
    settlement: complete,
    messages: [
      said(
        'asked',
        repaired,
        'None does: `sleep` comes in as a parameter, and each test records the pauses instead of waiting.',
        at + 70,
      ),
    ],
  });
  await store.close();
}

function asked(turnUid: string, sessionId: string, text: string, createdAt: number): Asked {
  return {
    uid: `${turnUid}-u`,
    sessionId,
    turnUid,
    createdAt,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'user',
    parts: [{ kind: 'text', text }],
  };
}

function said(turnUid: string, sessionId: string, text: string, createdAt: number): Said {
  return {
    uid: `${turnUid}-a`,
    sessionId,
    turnUid,
    createdAt,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'assistant',
    state: 'final',
    lastSeq: 0,
    model: 'Local/qwen3-coder',
    finishReason: 'stop',
    usage: unknownUsage,
    parts: [{ kind: 'text', text }],
  };
}
