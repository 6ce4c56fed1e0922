import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import { checkFile, checkStore } from '../../../../../src/features/history/core/check/checking';
import type { OpenedStore } from '../../../../../src/store/worker/openedStore';
import { otherSqlite } from '../../../../support/otherSqlite';
import { backupWorld, type BackupWorld } from '../../backup/core/backupWorld';
import { converse } from '../../../store/library/libraryWorld';
import { editor } from '../../../host/answeringEditor';
import { foreignReader } from '../../../../../src/store/library/foreignReader';
import { SessionChecks } from '../../../../../src/features/history/host/checkSessions';
import { placesWith } from '../../../../support/history/readHistory';
import { servicesOf, type GivenServices } from './services';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

let world: BackupWorld;
let owner: OpenedStore;
beforeEach(async () => {
  world = await backupWorld();
  owner = world.open();
  for (const id of ['s1', 's2']) {
    converse(owner.operations, id, `Words of ${id}`);
    owner.operations.setTitle(id, `Title of ${id}`, 'person');
  }
});
afterEach(() => {
  owner.close();
  world.remove();
});

/** Damages the store while no window has it open. */
function damage(statement = `UPDATE turns SET conversation_id = 'x' WHERE uid = 't-s1'`): void {
  owner.close();
  otherSqlite(join(world.place.store, 'state.db'), statement);
  owner = world.open();
}

/** Repairs of each session that were not undone. */
const repairs = (): readonly number[] => ['s1', 's2'].map((id) => owner.operations.repairsOf(id).length);

function checksOf(change: GivenServices = {}) {
  const { place: own } = world;
  const deps = { ...world.deps, readForeign: (folder: string) => foreignReader(world.deps, folder) };
  const seen: string[] = [];
  let id = 0;
  const services = servicesOf({
    check: ({ place, sessionId }, options) => {
      const given = { ...options, ...(sessionId === undefined ? {} : { sessionId }) };
      return (place.kind === 'own' ? checkStore : checkFile)(deps, place.path, given);
    },
    store: {
      previewRepair: async (input) => owner.operations.previewRepair(input),
      repairSession: async (input) => owner.operations.repairSession(input),
      undoRepair: async (...args) => owner.operations.undoRepair(...args),
      repairsOf: async (sessionId) => owner.operations.repairsOf(sessionId),
    },
    storeFolder: () => own.store,
    places: () => placesWith({ hermes: join(world.root, 'agent') }),
    ready: async () => void seen.push('ready'),
    openTranscript: async (...args) => void seen.push(`transcript ${args.join(' ')}`),
    failed: () => (error) => void seen.push(String(error)),
    refresh: () => void seen.push('repaired'),
    ids: { uid: () => `repair-${++id}` },
    clock: { ...systemClock, now: () => world.clock.now },
    notice: { show: (title) => void seen.push(title) },
    ...change,
  });
  const checks = new SessionChecks(services, {
    run: async ([path] = []) => void seen.push(`import ${path}`),
    importOne: async (path, session) => (seen.push(`import ${session} of ${path}`), 's1'),
  });
  return { seen, run: async (): Promise<void> => checks.commands['checkSessions']?.() };
}

const link = 'Link to a missing row';
const clean = 'No damage was found. Sessions: 2, messages: 4.';

function hermesDatabase(): string {
  const path = join(world.root, 'agent', 'state.db');
  mkdirSync(join(world.root, 'agent'));
  otherSqlite(
    path,
    'CREATE TABLE sessions (id TEXT, started_at REAL, title TEXT); CREATE TABLE messages (id INTEGER ' +
      'PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL); INSERT INTO sessions ' +
      "VALUES ('S', 1790000000, 'Fruit'); INSERT INTO messages VALUES (1, 'S', 'user', 'q1', " +
      "1790000001), (2, 'S', 'user', 'q2', 1790000099)",
  );
  return path;
}

describe('Check Sessions', () => {
  it('says how much is sound, and checks nothing when no place is chosen', async () => {
    const { run, seen } = checksOf();
    editor.picks.push('This Folder', undefined);
    await run();
    await run();
    expect({ shown: editor.shown, seen, places: editor.offered[0] }).toEqual({
      shown: [clean],
      seen: ['ready'],
      places: [
        `This Folder | ${world.place.store}`,
        `Hermes Agent | ${join(world.root, 'agent', 'state.db')}`,
        'Choose Files… | ',
      ],
    });
  });

  it('previews a repair, which its message offers then', async () => {
    damage();
    const { run } = checksOf();
    editor.picks.push('This Folder', link, 'Preview Repair', 'This Folder', link, 'Preview Repair');
    await run();
    const unchanged = { repairs: repairs(), documents: editor.documents.splice(0) };
    editor.messageButtons.push('Repair');
    await run();
    await vi.waitFor(() => expect(editor.shown.at(-1)).toContain('Repaired'));
    expect({ ...unchanged, afterwards: repairs(), shown: editor.shown }).toEqual({
      documents: [
        `# Preview Repair: Title of s1\n\n- ${link}: Title of s1 (s1) · row t-s1\n\n## turns ` +
          't-s1\n\n```diff\n- conversation_id: x\n+ conversation_id: s1\n```\n',
      ],
      repairs: [0, 0],
      afterwards: [1, 0],
      shown: [
        'Nothing has been changed yet in Title of s1.',
        'Nothing has been changed yet in Title of s1.',
        'Repaired Title of s1. Changed rows: 1.',
      ],
    });
  });

  it('repairs, checks again, and undoes the repair by the button of its message', async () => {
    damage();
    const { run, seen } = checksOf();
    editor.picks.push('This Folder', link, 'Repair');
    await run();
    const repaired = repairs();
    editor.reset();
    damage(`UPDATE turns SET conversation_id = 'x' WHERE uid = 't-s2'`);
    editor.picks.push('This Folder', '$(tools) Repair All');
    editor.messageButtons.push('Undo Repair');
    await run();
    await vi.waitFor(() => expect(repairs()).toEqual([1, 0]));
    expect({ repaired, shown: editor.shown[0], seen }).toEqual({
      repaired: [1, 0],
      shown: 'Repaired Title of s2. Changed rows: 1.',
      seen: ['ready', 'repaired', 'ready', 'repaired', 'repaired'],
    });
  });

  it('opens the place in the transcript, or lists everything as a document', async () => {
    damage();
    const { run, seen } = checksOf();
    editor.picks.push('This Folder', link, 'Show Session', 'This Folder', '$(list-flat) Show Details');
    await run();
    await run();
    expect({ seen, documents: editor.documents }).toEqual({
      seen: ['ready', 'transcript s1 t-s1', 'ready'],
      documents: [
        `# Findings: 1\n\n${world.place.store}\n\n## ${link}: 1\n\nThe row names a message or turn that ` +
          'is not stored.\n\n- Title of s1 (s1) · row t-s1\n',
      ],
    });
  });

  it('ends quietly when the check is canceled, and passes on other failures', async () => {
    const canceled = checksOf({
      clock: { ...systemClock, after: (_ms, passed) => (queueMicrotask(passed), () => undefined) },
      notice: { show: (_title, _ended, stop) => stop() },
      check: (_what, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    editor.picks.push('This Folder');
    await canceled.run();
    expect(editor.shown).toEqual([]);
    const { run } = checksOf({ check: () => Promise.reject(new Error('The disk is gone.')) });
    editor.picks.push('This Folder');
    await expect(run()).rejects.toThrow('The disk is gone.');
  });
});

describe('a chosen file', () => {
  it('that is this window’s own store is repaired as such', async () => {
    damage();
    const { run } = checksOf();
    editor.picks.push('Choose Files…', '$(tools) Repair All');
    editor.files.push(join(world.place.store, 'state.db'));
    await run();
    expect([repairs(), editor.shown.at(-1)]).toEqual([[1, 0], clean]);
  });

  it('that is the store of another folder is only read', async () => {
    const folder = join(world.root, 'other');
    const other = world.open(folder);
    converse(other.operations, 'o1', 'Words');
    other.close();
    const path = join(folder, 'state.db');
    otherSqlite(path, 'UPDATE sessions SET message_count = 99');
    const { run, seen } = checksOf();
    editor.picks.push('Choose Files…', 'Wrong number of messages');
    editor.files.push(path);
    await run();
    expect({
      seen,
      rows: editor.offered.at(-1)?.map((row) => row.split(' | ')[0]),
      document: editor.documents.map((text) => text.split('\n').slice(0, 5)),
    }).toEqual({
      seen: [],
      rows: ['$(list-flat) Show Details', 'Wrong number of messages'],
      document: [['# Findings: 1', '', path, '', '## Wrong number of messages: 1']],
    });
  });

  it('that is a database of Hermes Agent offers to import the repaired session', async () => {
    damage();
    const path = hermesDatabase();
    const { run, seen } = checksOf();
    editor.picks.push('Choose Files…', 'Answer missing between two prompts', 'Import Repaired Session', undefined);
    editor.files.push(path);
    editor.messageButtons.push('Show Session');
    await run();
    await vi.waitFor(() => expect(seen).toEqual([`import S of ${path}`, 'repaired', 'transcript s1 ']));
    expect({ shown: editor.shown, repairs: repairs() }).toEqual({
      shown: ['Imported Fruit. Changed rows: 1. No damage is left in it.'],
      repairs: [1, 0],
    });
  });
});
