import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { silentLog } from '../../../src/base/log';
import { EditorFileEditor } from '../../../src/host/workspace/editorFileEditor';
import { EditorTextSearch } from '../../../src/host/workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../../../src/host/workspace/editorWorkspaceFiles';
import { AccessPaths } from '../../../src/tools/accessPaths';
import type { EditJournal } from '../../../src/tools/files/editJournal';
import { FileChanged } from '../../../src/tools/files/fileEditor';
import { fileTools } from '../../../src/tools/files/fileTools';
import type { AnyTool } from '../../../src/tools/tool';
import { bytesOf, type EditCase, editCases, expectedBytes, layOut, play } from '../../support/editCases';

const journal: EditJournal = { begin: async () => ({ end: async () => undefined }) };
const { signal } = new AbortController();

let count = 0;
let root = '';

/** The cases name files of the open folder; each is played in a folder of its own below it. */
function inFolder(edit: EditCase, name: string): EditCase {
  const moved = (text: string): string =>
    text.replace(
      /^(\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |--- (?=a\/|[a-z])|\+\+\+ (?=b\/|[a-z]))(?:[ab]\/)?(.+)$/gm,
      `$1${name}/$2`,
    );
  const { path: file, patch } = edit.input;
  return {
    ...edit,
    input: {
      ...edit.input,
      ...(typeof file === 'string' ? { path: `${name}/${file}` } : {}),
      ...(typeof patch === 'string' ? { patch: moved(patch) } : {}),
    },
  };
}

function open(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'no folder is open');
  return folder.uri.fsPath;
}

function tools(): readonly AnyTool[] {
  const files = new EditorWorkspaceFiles(new EditorTextSearch(() => Promise.resolve(null), silentLog));
  return fileTools({ paths: new AccessPaths(files), editor: new EditorFileEditor(), journal });
}

const edit = (over: Partial<EditCase> = {}): EditCase => ({
  name: 'x',
  files: { 'a.txt': 'one\n' },
  tool: 'edit_file',
  input: { path: 'a.txt', old_text: 'one', new_text: 'two' },
  says: /^done/,
  ...over,
});
const at = (file: string): string => path.join(root, file);
const read = (file: string): string => fs.readFileSync(at(file), 'utf8');
const tabs = (): readonly string[] =>
  vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label)).sort();
const doing = async (each: EditCase): Promise<string> =>
  (await play(root, tools(), inFolder(each, path.basename(root)))).says.replaceAll(`${path.basename(root)}/`, '');

/** Opens a file in a tab and types at its beginning without saving. */
async function typed(file: string, text: string): Promise<vscode.TextEditor> {
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(at(file)), { preview: false });
  if (text !== '') await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), text));
  return editor;
}

suite('Edits through the editor', () => {
  setup(() => {
    root = path.join(open(), `edits-${count++}`);
    fs.mkdirSync(root);
  });
  teardown(async () => {
    for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    fs.rmSync(root, { recursive: true, force: true });
  });

  for (const each of editCases) {
    test(`exact or refused: ${each.name}`, async () => {
      layOut(root, each);
      const tabsBefore = tabs();
      assert.match(await doing(each), each.says);
      assert.deepEqual(bytesOf(root, each), expectedBytes(each));
      assert.deepEqual(tabs(), tabsBefore);
    });
  }

  for (const each of editCases.filter(
    ({ files, meanwhile, prepare }) =>
      'a.txt' in files && files['a.txt']!.length < 4096 && meanwhile === undefined && prepare === undefined,
  )) {
    test(`exact or refused, open in a tab: ${each.name}`, async () => {
      layOut(root, each);
      await vscode.workspace
        .openTextDocument(at('a.txt'))
        .then((document) => vscode.window.showTextDocument(document, { preview: false }));
      assert.match(await doing(each), each.says);
      assert.deepEqual(bytesOf(root, each), expectedBytes(each));
      assert.deepEqual(
        vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath),
        [],
      );
    });
  }

  test("the user's unsaved text is part of the file, kept and saved with the edit, and undo reverts the edit", async () => {
    layOut(root, edit());
    const editor = await typed('a.txt', 'mine\n');
    assert.match(await doing(edit()), /^done: Edited a\.txt \(\+1 −1\)/);
    assert.deepEqual(
      [read('a.txt'), editor.document.getText(), editor.document.isDirty],
      ['mine\ntwo\n', 'mine\ntwo\n', false],
    );
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine\none\n');
  });

  test('text typed between the question and the edit is kept if it is elsewhere, and refused if it conflicts', async () => {
    layOut(root, edit({ files: { 'a.txt': '1\n2\n3\n4\n5\n6\none\n' } }));
    const editor = await typed('a.txt', '');
    const tool = tools().find(({ name }) => name === 'edit_file');
    const bound = tool?.bind({ path: at('a.txt'), old_text: 'one', new_text: 'two' });
    assert.ok(bound?.kind === 'ready');
    await bound.asks?.(signal);
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'zero\n'));
    const call = {
      callId: 'c',
      sessionId: 's',
      conversationId: 's',
      turnUid: 't',
      report: () => undefined,
      proceed: signal,
      ask: () => Promise.reject(new Error('Nobody is there.')),
    };
    assert.equal((await bound.run(signal, call)).outcome, 'done');
    assert.equal(read('a.txt'), 'zero\n1\n2\n3\n4\n5\n6\ntwo\n');
  });

  test('the editor itself refuses an edit based on text that no longer exists', async () => {
    layOut(root, edit());
    const files = new EditorFileEditor();
    const before = await files.open(at('a.txt'), signal);
    const editor = await typed('a.txt', 'mine\n');
    await assert.rejects(files.apply([{ path: at('a.txt'), before, after: 'two\n' }], signal), FileChanged);
    assert.deepEqual([editor.document.getText(), read('a.txt')], ['mine\none\n', 'one\n']);
  });

  test('of several edits, all are made or none', async () => {
    fs.writeFileSync(at('a.txt'), 'one\n');
    fs.writeFileSync(at('b.txt'), 'one\n');
    const files = new EditorFileEditor();
    const [a, b] = [await files.open(at('a.txt'), signal), await files.open(at('b.txt'), signal)];
    fs.writeFileSync(at('b.txt'), 'theirs\n');
    await assert.rejects(
      files.apply(
        [
          { path: at('a.txt'), before: a, after: 'two\n' },
          { path: at('c.txt'), before: null, after: 'new\n' },
          { path: at('b.txt'), before: b, after: 'two\n' },
        ],
        signal,
      ),
      FileChanged,
    );
    assert.deepEqual([read('a.txt'), read('b.txt'), fs.existsSync(at('c.txt'))], ['one\n', 'theirs\n', false]);
  });

  test('the result of format on save is reported', async () => {
    layOut(root, edit());
    const settings = vscode.workspace.getConfiguration('files', vscode.Uri.file(at('a.txt')));
    await settings.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Global);
    try {
      await typed('a.txt', '');
      assert.match(
        await doing(edit({ input: { path: 'a.txt', old_text: 'one', new_text: 'two   ' } })),
        /The editor changed it further when it saved/,
      );
      assert.equal(read('a.txt'), 'two\n');
    } finally {
      await settings.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
