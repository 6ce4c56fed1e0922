import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import { beforeUri } from '../../../src/features/review/host/beforeFiles';
import { FileWatch } from '../../../src/features/review/host/fileWatch';
import { EditorFileEditor } from '../../../src/host/workspace/editorFileEditor';
import type { FileChange } from '../../../src/store/fileChanges';
import { ChangedFiles } from '../../../src/features/review/core/changedFiles';
import type { ReviewServices } from '../../../src/features/review/core/reviewServices';
import { StoreEditJournal, type StoreEditJournalDeps } from '../../../src/tools/files/changes/changeRecorder';
import { EXTENSION_ID } from '../../support/extensionId';
import { aToolCall } from '../../support/toolCalls';

/** The store's part in memory: its engine has tests of its own. */
function storeInMemory(): ReviewServices['store'] & StoreEditJournalDeps['store'] {
  let changes: readonly FileChange[] = [];
  const contents = new Map<string, Uint8Array>();
  const keep = (given: readonly { readonly hash: string; readonly bytes: Uint8Array }[]): void =>
    given.forEach(({ hash, bytes }) => contents.set(hash, bytes));
  return {
    recordFileChanges: async (added, given) => (keep(given), void (changes = [...changes, ...added])),
    completeFileChanges: async (results, given) => {
      keep(given);
      changes = changes.map((change) => ({
        ...change,
        after: results.find(({ uid }) => uid === change.uid)?.after ?? change.after,
      }));
    },
    fileChangesOf: async (turnUids) => changes.filter(({ turnUid }) => turnUids.includes(turnUid)),
    fileChangesFrom: async () => changes,
    fileContent: async (hash) => contents.get(hash) ?? null,
    markReviewed: async (uids, kind, at) =>
      void (changes = changes.map((change) =>
        uids.includes(change.uid) ? { ...change, reviewed: kind === null ? null : { kind, at } } : change,
      )),
    getTurn: async () => null,
    fileChangesAt: async (paths) => changes.filter(({ path: one }) => paths.includes(one)),
    changedPaths: async () => changes.map(({ path: one }) => one),
  };
}

let count = 0;
let file = '';
let files: ChangedFiles;
let journal: StoreEditJournal;
const editor = new EditorFileEditor();
const { signal } = new AbortController();

/** The agent changes the file the way its tools do. */
async function agent(text: string): Promise<void> {
  const before = await editor.open(file, signal);
  const opened = await journal.begin(aToolCall({ sessionId: 's1', turnUid: 't1' }), [
    { path: file, bytes: before === null ? null : Buffer.from(before.text) },
  ]);
  await editor.apply([{ path: file, before, after: text }], signal);
  await opened.end([{ path: file, bytes: await editor.bytesOnDisk(file) }]);
}

const stateNow = async (): Promise<string | undefined> => (await files.ofTurns(['t1']))['t1']?.[0]?.state;
const onDisk = (): string => fs.readFileSync(file, 'utf8');

suite('Changed files in the editor', () => {
  setup(() => {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder, 'no folder is open');
    file = path.join(folder.uri.fsPath, `changed-${count++}.txt`);
    fs.writeFileSync(file, 'one\ntwo\nthree\n');
    const store = storeInMemory();
    let uids = 0;
    journal = new StoreEditJournal({
      store,
      clock: systemClock,
      log: silentLog,
      ids: { uid: () => `f${++uids}` },
      isOn: () => true,
      onChange: () => undefined,
    });
    files = new ChangedFiles({
      store,
      editor,
      clock: systemClock,
      ids: { uid: () => `r${++uids}` },
      log: silentLog,
      shown: (name) => path.basename(name),
      mayWrite: async () => true,
      writeRaw: async () => assert.fail('the editor writes text'),
    });
  });
  teardown(async () => {
    for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    fs.rmSync(file, { force: true });
  });

  test('a revert of an open file keeps what the user types meanwhile, and the editor can undo it', async () => {
    const shown = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    await agent('one\n2\nthree\n');
    await shown.edit((builder) => builder.insert(new vscode.Position(0, 0), 'mine\n'));
    assert.equal(await stateNow(), 'changedSince');
    assert.deepEqual(await files.reviewFiles('t1', null, 'revert', false), { sentence: null, conflicts: [] });
    assert.equal(onDisk(), 'mine\none\ntwo\nthree\n');
    assert.equal(await stateNow(), 'reverted');
    await vscode.window.showTextDocument(shown.document);
    await vscode.commands.executeCommand('undo');
    assert.equal(shown.document.getText(), 'mine\none\n2\nthree\n');
  });

  test('what the user typed into the same line stays', async () => {
    const shown = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    await agent('one\n2\nthree\n');
    await shown.edit((builder) => builder.insert(new vscode.Position(1, 1), ' and mine'));
    assert.deepEqual((await files.reviewFiles('t1', null, 'revert', false)).conflicts, [file]);
    assert.equal(shown.document.getText(), 'one\n2 and mine\nthree\n');
  });

  test('a change of a listed file is noticed, on disk and in an editor', async () => {
    const turns: string[] = [];
    const watch = new FileWatch(systemClock, ({ turnUid }) => turns.push(turnUid));
    try {
      watch.watch({ sessionId: 's1', turnUid: 't1' }, [file]);
      const noticed = async (what: string, times: number): Promise<void> => {
        for (let waited = 0; turns.length < times; waited += 100) {
          assert.ok(waited < 30_000, `${what} was not noticed`);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      };
      const shown = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      await shown.edit((builder) => builder.insert(new vscode.Position(0, 0), 'mine\n'));
      await noticed('typing', 1);
      await vscode.commands.executeCommand('workbench.action.files.revert');
      const before = turns.length;
      fs.writeFileSync(file, 'from outside\n');
      await noticed('a write on disk', before + 1);
      assert.deepEqual([...new Set(turns)], ['t1']);
    } finally {
      watch.dispose();
    }
  });

  test('Hermes serves the left side of a diff, which cannot be written', async () => {
    await vscode.extensions.getExtension(EXTENSION_ID)?.activate();
    const gone = beforeUri(file, null);
    assert.equal((await vscode.workspace.fs.readFile(gone)).length, 0);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(gone, new Uint8Array([1])));
    await vscode.commands.executeCommand(
      'vscode.diff',
      gone,
      vscode.Uri.file(file),
      'changed.txt (before the turn ↔ now)',
    );
    assert.deepEqual(
      vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label)),
      ['changed.txt (before the turn ↔ now)'],
    );
    const commands = await vscode.commands.getCommands(true);
    assert.ok(commands.includes('hermes.reviewChanges'));
  });
});
