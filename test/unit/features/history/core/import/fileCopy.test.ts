import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportOptions } from '../../../../../../src/features/history/core/export/output/exportOptions';
import { exportRows } from '../../../../../../src/features/history/core/export/json/jsonExport';
import { OutputFile, writeWhole } from '../../../../../../src/features/history/core/export/output/outputFile';
import { SecretMask } from '../../../../../../src/features/history/core/export/output/secretMask';
import { sessionsIn } from '../../../../../../src/features/history/core/export/sessionScope';
import { copyOfFile, type FileCopyDeps } from '../../../../../../src/features/history/core/import/fileCopy';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { readOnly } from '../../../../../../src/store/library/foreignStore';
import { openDatabase } from '../../../../../../src/store/open/openDatabase';
import { schemaVersion } from '../../../../../../src/store/schema/migrations';
import { openForeign } from '../../../../../support/history/openForeign';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

const fixtures = fileURLToPath(new URL('../../../../../fixtures/history/', import.meta.url));
const claude = join(fixtures, 'claudeCode/projects/-home-demo-project');

let world: BackupWorld;
let deps: FileCopyDeps;
let folder: string;

beforeEach(async () => {
  world = await backupWorld();
  deps = { ...world.deps, files: new NodeHistoryFiles(), openForeign };
  folder = mkdtempSync(join(tmpdir(), 'hermes-file-copy-'));
});
afterEach(() => {
  world.remove();
  rmSync(folder, { recursive: true, force: true });
});

const copiesLeft = (): readonly string[] => (existsSync(deps.copies) ? readdirSync(deps.copies) : []);

/** Text of all messages, from a copy that is removed afterwards. */
async function textIn(path: string): Promise<{ readonly kind: string; readonly text: string }> {
  const copy = await copyOfFile(deps, path);
  try {
    const rows = readOnly(deps, copy.folder, (database) => database.all('SELECT * FROM messages ORDER BY position'));
    return { kind: copy.sessionIds === null ? 'foreign' : 'own', text: JSON.stringify(rows) };
  } finally {
    copy.remove();
  }
}

async function ownStore(): Promise<string> {
  const store = world.open(join(folder, 'own'));
  const session = store.operations.createSession({ id: 's1', startedAt: 1, folder: '/p' });
  store.operations.setTitle(session.id, 'Kept title', 'person');
  store.close();
  return join(folder, 'own/state.db');
}

async function exportTo(store: string, path: string): Promise<void> {
  const { sqlite, fileSystem, now } = deps;
  const open = { sqlite, fileSystem, now, folder: store, schemaVersion, assertOwned: () => undefined, readOnly: true };
  const { database } = openDatabase(open);
  try {
    const scope = sessionsIn(database, { kind: 'all' });
    await writeWhole(new OutputFile(fileSystem, path), (output) =>
      exportRows(
        database,
        scope,
        output,
        new SecretMask(false),
        exportOptions(() => 1000),
      ),
    );
  } finally {
    database.abandon();
  }
}

test('a session file of Claude Code is read into a private store, and the file stays as it is', async () => {
  const name = readdirSync(claude).find((file) => file.endsWith('.jsonl')) ?? '';
  const path = join(claude, name);
  const before = readFileSync(path);
  const { kind, text } = await textIn(path);
  expect({ kind, hasText: text.includes('fruit.txt'), left: copiesLeft() }).toEqual({
    kind: 'foreign',
    hasText: true,
    left: [],
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a database of Hermes Agent is read into a private store', async () => {
  const { kind, text } = await textIn(join(fixtures, 'hermes/state.db'));
  expect({ kind, hasRows: text !== '[]', left: copiesLeft() }).toEqual({ kind: 'foreign', hasRows: true, left: [] });
});

test('a store and an export of ours keep their sessions', async () => {
  const path = await ownStore();
  const exported = join(folder, 'export.json');
  const titles: unknown[] = [];
  for (const from of [path, exported]) {
    const copy = await copyOfFile(deps, from);
    const rows = readOnly(deps, copy.folder, (database) => database.all('SELECT title FROM sessions'));
    titles.push([copy.sessionIds?.length, ...rows.map(({ title }) => title)]);
    if (from === path) await exportTo(copy.folder, exported);
    copy.remove();
  }
  expect({ titles, left: copiesLeft() }).toEqual({
    titles: [
      [1, 'Kept title'],
      [1, 'Kept title'],
    ],
    left: [],
  });
});

test('a file without sessions is refused with a sentence, and no copy is left', async () => {
  const path = join(folder, 'notes.jsonl');
  writeFileSync(path, 'plain words\n');
  await expect(copyOfFile(deps, path)).rejects.toThrow('It holds no session in a format that can be read: ');
  expect(copiesLeft()).toEqual([]);
});

test('a damaged store is refused, and no copy is left', async () => {
  const path = await ownStore();
  writeFileSync(path, readFileSync(path).subarray(0, 5000));
  await expect(copyOfFile(deps, path)).rejects.toMatchObject({ causeClass: 'corrupt' });
  expect(copiesLeft()).toEqual([]);
});

test('a stopped reading leaves no copy', async () => {
  const stop = new AbortController();
  const path = join(fixtures, 'hermes/state.db');
  const reading = copyOfFile(deps, path, { signal: stop.signal, onProgress: () => stop.abort() });
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(copiesLeft()).toEqual([]);
});
