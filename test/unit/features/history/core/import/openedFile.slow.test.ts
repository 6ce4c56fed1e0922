import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ImportClient } from '../../../../../../src/features/history/core/import/importClient';
import type { OpenedFile } from '../../../../../../src/features/history/core/import/importing';
import { otherSqlite } from '../../../../../support/otherSqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../../support/storeWorker';
import { converse } from '../../../../store/library/libraryWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';
import { portTo } from '../../../../../../src/store/worker/storePort';
import { unusedTarget } from '../../host/services';
import { systemClock } from '../../../../../../src/base/clock';
import { exportOptions } from '../../../../../../src/features/history/core/export/output/exportOptions';
import { exportStore } from '../../../../../../src/features/history/core/export/storeExport';
import { bringBack } from '../../../../../../src/store/library/bringBack';

const fixtures = fileURLToPath(new URL('../../../../../fixtures/history/', import.meta.url));
let worker: BuiltStoreWorker;
let world: BackupWorld;
let copies: string;
let reader: ImportClient;
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/features/history/core/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  copies = join(world.root, 'reading');
  reader = new ImportClient(join(worker.folder, 'importWorker.js'), copies, () => portTo(unusedTarget));
});
afterEach(async () => {
  await reader.close();
  world.remove();
});

const copiesLeft = (): readonly string[] => (existsSync(copies) ? readdirSync(copies) : []);
const listed = ({ kind, conversations }: OpenedFile): unknown => [
  kind,
  ...conversations.map(({ title, messages, sessionIds }) => `${title}: ${messages} in ${sessionIds.length}`),
];

describe('a file that is opened for reading', () => {
  it.each([
    ['Claude Code', 'claudeCode/projects/-home-demo-project/11111111-2222-4333-8444-555555555555.jsonl'],
    ['a sub-agent of Claude Code', 'claudeCode/projects/-home-demo-project/odd/subagents/agent-5f3a.jsonl'],
    ['Codex', 'codex/sessions/2026/11/25/rollout-2026-11-25T03-36-52-01a210c7-149e-7340-8d7a-e40748d867f4.jsonl'],
    ['Codex, compressed', 'codex/sessions/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst'],
    ['Hermes Agent', 'hermes/state.db'],
    ['opencode', 'opencode/opencode.db'],
    ['pi', 'pi/sessions/--home-demo-project--/2026-11-25T03-38-09-782Z_01a210c8-43ec-73cf-8523-970260993f9d.jsonl'],
    ['VS Code Chat', 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions/journal-1.jsonl'],
    ['Roo Code', 'cline/User/globalStorage/rooveterinaryinc.roo-cline/tasks/task-1/api_conversation_history.json'],
    ['OpenAI', 'chatFiles/list.json'],
  ])('lists the sessions that %s wrote', async (_agent, path) => {
    const opened = await reader.openFile(join(fixtures, path));
    expect(listed(opened)).toMatchSnapshot();
    expect(copiesLeft().map((name) => join(copies, name))).toEqual([opened.folder]);
  });

  it.each([
    ['missing', () => undefined],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['other text', (path: string) => writeFileSync(path, '{"name": "a package"}')],
    [
      'no text',
      (path: string) =>
        writeFileSync(
          path,
          Uint8Array.from({ length: 5000 }, (_, index) => (index * 7) % 256),
        ),
    ],
    [
      'the beginning of a database of Hermes Agent',
      (path: string) => writeFileSync(path, readFileSync(join(fixtures, 'hermes/state.db')).subarray(0, 9000)),
    ],
  ])('is refused in a sentence if it is %s, and nothing is left', async (_kind, make) => {
    const path = join(world.root, 'file.json');
    make(path);
    const error: unknown = await reader.openFile(path).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'StoreError' });
    expect(String(error).replaceAll(world.root, '')).toMatchSnapshot();
    expect(copiesLeft()).toEqual([]);
  });

  it('lists a store of ours while it is in use, and its sessions can be imported from the copy', async () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'One');
    converse(owner.operations, 's2', 'Two');
    owner.operations.setTitle('s1', 'Fruit', 'person');
    const path = join(world.place.store, 'state.db');
    const read = await reader.openFile(path);
    owner.operations.forgetSession('s1');
    const store = {
      copyToThisFolder: async (input: Parameters<typeof owner.operations.copyToThisFolder>[0]) =>
        owner.operations.copyToThisFolder(input),
    };
    const brought = await bringBack(store, { folder: read.folder, sessionIds: ['s1'] });
    rmSync(read.folder, { recursive: true });
    const title = owner.operations.getSession('s1')?.title;
    owner.close();
    const listedIds = read.conversations.map(({ newestId }) => newestId).sort();
    expect({ kind: read.kind, listedIds, skipped: brought.skipped, title }).toEqual({
      kind: 'own',
      listedIds: ['s1', 's2'],
      skipped: 0,
      title: 'Fruit',
    });
  });

  it('has the title of its first segment, and leaves out a session whose import was not finished', async () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'One');
    converse(owner.operations, 's2', 'Two');
    owner.close();
    const path = join(world.place.store, 'state.db');
    otherSqlite(
      path,
      "UPDATE sessions SET title = 'Fruit' WHERE id = 's1'; UPDATE sessions SET title = NULL, parent_session_id = 's1', parent_kind = 'compression', last_activity_at = 1e10 WHERE id = 's2'; INSERT INTO sessions (id, conversation_id, source, started_at, last_activity_at, pending) VALUES ('s3', 's3', 'vscode', 1, 1, 'made')",
    );
    const { conversations } = await reader.openFile(path);
    expect(conversations.map(({ title, sessionIds, newestId }) => [title, sessionIds, newestId])).toEqual([
      ['Fruit', ['s1', 's2'], 's2'],
    ]);
  });

  it('is refused in a sentence about the file if a store of ours is damaged', async () => {
    const owner = world.open();
    converse(owner.operations, 's1', 'One');
    owner.close();
    const path = join(world.place.store, 'state.db');
    writeFileSync(path, readFileSync(path).subarray(0, 5000));
    await expect(reader.openFile(path)).rejects.toThrow(/^The file of these sessions is damaged\./);
    expect(copiesLeft()).toEqual([]);
  });

  it('is not read once the reading is stopped, and nothing is left', async () => {
    const reading = reader.openFile(join(fixtures, 'hermes/state.db'), { signal: AbortSignal.abort() });
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(copiesLeft()).toEqual([]);
  });
});

it('lists the conversations of an export, and a conversation that was erased comes back whole', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  converse(owner.operations, 's2', 'Two');
  const path = join(world.root, 'out.json');
  await exportStore(
    world.deps,
    world.place.store,
    {
      format: 'json',
      scope: { kind: 'all' },
      path,
      leftOut: { toolOutput: false, thinking: false, images: false, hidden: false },
      masksSecrets: false,
      language: 'en',
    },
    exportOptions(systemClock.now),
  );
  owner.operations.forgetSession('s1');
  const { folder, conversations } = await reader.openFile(path);
  const ids = conversations.map(({ sessionIds, newestId }) => [sessionIds, newestId]);
  const store = {
    copyToThisFolder: async (input: Parameters<typeof owner.operations.copyToThisFolder>[0]) =>
      owner.operations.copyToThisFolder(input),
  };
  const brought = await bringBack(store, { folder, sessionIds: ['s1'] });
  rmSync(folder, { recursive: true });
  expect(ids.sort()).toEqual([
    [['s1'], 's1'],
    [['s2'], 's2'],
  ]);
  expect([brought.sessions, brought.skipped, owner.operations.getSession('s1')?.id]).toEqual([1, 0, 's1']);
  owner.close();
});
