import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { openLockedStore } from '../../../../src/features/commandLine/commands/lockedStore';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { otherSqlite } from '../../../support/otherSqlite';
import { answer, prompt } from '../../../support/sessionDbWorld';
import { runIn } from './terminalOf';

let worker: BuiltStoreWorker;
let home: string;
const folder = (): string => join(home, 'store');

beforeAll(async () => {
  worker = await buildStoreWorker({
    checkWorker: 'src/features/history/core/check/checkWorker.ts',
  });
});
afterAll(() => worker.remove());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-check-'));
  mkdirSync(folder());
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = (...args: string[]) => runIn({ folder: home, home, programFolder: worker.folder }, ['check', ...args]);

/** A store with a session of two turns, in which the first answer is hidden. */
async function brokenStore(): Promise<void> {
  const { store, close } = await openLockedStore(folder(), { clock: systemClock, programFolder: worker.folder });
  await store.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  for (const turnUid of ['t1', 't2']) {
    const userMessage = prompt(`u-${turnUid}`, `Ask ${turnUid}`, turnUid);
    await store.openTurn({ turnUid, sessionId: 's1', userMessage, model: 'm', startedAt: 2 });
    const settlement = { outcome: 'complete', stopReason: 'stop', failure: null } as const;
    const messages = [answer(`a-${turnUid}`, `Answer ${turnUid}`, turnUid)];
    await store.settleTurn({ turnUid, settledAt: 3, settlement, messages });
  }
  await close();
  otherSqlite(
    join(folder(), 'state.db'),
    "UPDATE sessions SET message_count = 99; UPDATE turns SET conversation_id = 'x' WHERE uid = 't1'",
  );
}

test('finds, previews, repairs and undoes', async () => {
  await brokenStore();
  const before = readFileSync(join(folder(), 'state.db'));
  const found = await run('--store', 'store');
  const previewed = await run('--store', 'store', '--repair');
  expect(found).toEqual({
    code: 1,
    lines: [
      'Wrong number of messages: 1. The session counts more or fewer messages than it has.',
      '  Fruit (s1)',
      'Link to a missing row: 1. The row names a message or turn that is not stored.',
      '  Fruit (s1) · row t1',
      '1 sessions, 4 messages, 2 findings.',
    ],
  });
  expect([previewed.code, previewed.lines.slice(5)]).toEqual([
    1,
    ['! Would repair Fruit: 1 rows.', '!   turns t1', '!     - conversation_id: x', '!     + conversation_id: s1'],
  ]);
  expect(readFileSync(join(folder(), 'state.db')).equals(before)).toBe(true);

  const repaired = await run('--store', 'store', '--repair', '--yes');
  const clean = await run('--store', 'store');
  const undo = /--undo (\S+) --session s1/.exec(repaired.lines.join('\n'))?.[1] ?? '';
  const undone = await run('--store', 'store', '--undo', undo, '--session', 's1');
  const again = await run('--store', 'store', '--json');
  expect([repaired.code, repaired.lines.at(-1), clean, undone]).toEqual([
    0,
    '! Everything is repaired.',
    { code: 0, lines: ['1 sessions, 4 messages, 0 findings.'] },
    { code: 0, lines: ['The repair was undone.'] },
  ]);
  expect([again.code, JSON.parse(again.lines.join('\n'))]).toMatchObject([
    1,
    { kind: 'own', total: 2, findings: [{ id: 'wrongCount' }, { id: 'brokenLink' }] },
  ]);
});

test('checks a store that a window has open, and does not repair it', async () => {
  await brokenStore();
  const held = await openLockedStore(folder(), { clock: systemClock, programFolder: worker.folder });
  const found = await run('--store', 'store');
  const repaired = await run('--store', 'store', '--repair', '--yes');
  await held.close();
  expect([found.code, repaired.code, repaired.lines.at(-1)?.endsWith('Nothing was changed.')]).toEqual([1, 2, true]);
});

test('checks a database of Hermes Agent, and never changes it', async () => {
  const path = join(home, '.hermes/state.db');
  mkdirSync(join(home, '.hermes'));
  otherSqlite(
    path,
    "CREATE TABLE sessions (id TEXT, started_at REAL, title TEXT); CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL); INSERT INTO sessions VALUES ('S', 1790000000, 'Fruit'); INSERT INTO messages VALUES (1, 'S', 'user', 'q1', 1790000001), (2, 'S', 'user', 'q2', 1790000099)",
  );
  const before = readFileSync(path);
  const found = await run('--hermes', '');
  const refused = await run('--hermes', path, '--repair', '--yes');
  expect([found.code, found.lines, refused.code, readFileSync(path).equals(before)]).toEqual([
    1,
    [
      'Answer missing between two prompts: 1. The answer was not stored. A model that gets both prompts may answer the first one again.',
      '  Fruit (S) · row 2',
      '1 sessions, 2 messages, 1 findings.',
    ],
    2,
    true,
  ]);
});

test('needs one place', async () => {
  expect([
    (await run()).code,
    (await run('--store', 'a', '--hermes', 'b')).code,
    (await run('--store', 'a', '--yes')).code,
  ]).toEqual([2, 2, 2]);
});
