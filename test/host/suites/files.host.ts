import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { silentLog } from '../../../src/base/log';
import { EditorTextSearch } from '../../../src/host/workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../../../src/host/workspace/editorWorkspaceFiles';
import { findRipgrep, ripgrepCandidates } from '../../../src/host/workspace/ripgrepPath';
import { FileNotFound, type TextSearch } from '../../../src/tools/workspaceFiles';

const signal = new AbortController().signal;

function folder(): string {
  const open = vscode.workspace.workspaceFolders?.[0];
  assert.ok(open, 'no folder is open');
  return open.uri.fsPath;
}

function files(ripgrep: () => Promise<string | null>): EditorWorkspaceFiles {
  return new EditorWorkspaceFiles(new EditorTextSearch(ripgrep, silentLog));
}

const editorsRipgrep = (): Promise<string | null> =>
  findRipgrep(ripgrepCandidates(vscode.env.appRoot, process.platform, process.arch));

function search(query: string, changes: Partial<TextSearch> = {}): TextSearch {
  return { query, isRegularExpression: false, caseSensitive: true, include: null, maxMatches: 100, ...changes };
}

async function found(workspace: EditorWorkspaceFiles, wanted: TextSearch): Promise<readonly string[]> {
  const { matches } = await workspace.searchText(wanted, signal);
  return matches.map((match) => `${path.relative(folder(), match.path)}:${match.line}`);
}

suite('Files as the tools see them', () => {
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('folders, kinds, entries and bytes come from the open folder', async () => {
    const workspace = files(editorsRipgrep);
    const [root] = workspace.roots();
    assert.deepEqual(
      {
        root: root?.path,
        kinds: await Promise.all(
          ['package.json', 'src', 'nothing', 'package.json/below'].map((name) =>
            workspace.kindOf(path.join(folder(), name)),
          ),
        ),
        entries: (await workspace.list(path.join(folder(), 'src'), signal))
          .map(({ name, kind }) => `${name} ${kind}`)
          .sort(),
        size:
          (await workspace.read(path.join(folder(), 'package.json'), signal)).length ===
          (await workspace.size(path.join(folder(), 'package.json'))),
      },
      {
        root: folder(),
        kinds: ['file', 'directory', null, null],
        entries: ['parts.js file', 'retry.js file', 'upload.js file'],
        size: true,
      },
    );
  });

  test('a file that does not exist is reported as missing', async () => {
    const workspace = files(editorsRipgrep);
    await assert.rejects(workspace.read(path.join(folder(), 'nothing.js'), signal), FileNotFound);
    await assert.rejects(workspace.list(path.join(folder(), 'nothing'), signal), FileNotFound);
  });

  test('a file with unsaved changes is read and searched as its editor shows it', async () => {
    const workspace = files(editorsRipgrep);
    const file = path.join(folder(), 'src', 'parts.js');
    const document = await vscode.workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), 'const onlyInTheEditor = true;\n');
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(
      {
        text: new TextDecoder().decode(await workspace.read(file, signal)),
        size: await workspace.size(file),
        found: await found(workspace, search('onlyInTheEditor')),
        stale: (await found(workspace, search('export'))).filter((place) =>
          place.startsWith(path.join('src', 'parts.js')),
        ),
      },
      { text: 'const onlyInTheEditor = true;\n', size: 30, found: [`${path.join('src', 'parts.js')}:1`], stale: [] },
    );
  });

  test("the editor's own ripgrep is found, and searching without it finds the same", async () => {
    const binary = await editorsRipgrep();
    assert.ok(binary !== null && path.isAbsolute(binary), `no ripgrep of the editor: ${binary}`);
    const [fast, slow] = [files(editorsRipgrep), files(() => Promise.resolve(null))];
    for (const wanted of [
      search('retry'),
      search('RETRY', { caseSensitive: false }),
      search('wait\\w+\\(', { isRegularExpression: true }),
      search('retry', { include: '*.md' }),
      search('retry', { include: 'src/**' }),
    ]) {
      const [left, right] = [await found(fast, wanted), await found(slow, wanted)];
      assert.notEqual(left.length, 0, JSON.stringify(wanted));
      assert.deepEqual(left, right);
    }
  });

  test('files are found by name with and without ripgrep alike, newest first', async () => {
    const [fast, slow] = [files(editorsRipgrep), files(() => Promise.resolve(null))];
    const named = async (
      workspace: EditorWorkspaceFiles,
      pattern: string,
      below?: string,
    ): Promise<readonly string[]> => {
      const { paths } = await workspace.findFiles(
        {
          pattern,
          order: 'name',
          maxFiles: 100,
          ...(below === undefined ? {} : { folder: path.join(folder(), below) }),
        },
        signal,
      );
      return paths.map((each) => path.relative(folder(), each));
    };
    for (const [pattern, below] of [['*.js'], ['src/**/*.js'], ['*.{json,md}'], ['*', 'src']] as const) {
      const [left, right] = [await named(fast, pattern, below), await named(slow, pattern, below)];
      assert.notEqual(left.length, 0, pattern);
      assert.deepEqual(left, right);
    }
    const later = Date.now() / 1000 + 60;
    fs.utimesSync(path.join(folder(), 'src', 'upload.js'), later, later);
    const { paths, limited } = await fast.findFiles({ pattern: '*.js', order: 'modified', maxFiles: 1 }, signal);
    assert.deepEqual([paths, limited], [[path.join(folder(), 'src', 'upload.js')], true]);
  });
});
