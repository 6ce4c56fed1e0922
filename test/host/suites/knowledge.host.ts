import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import path from 'node:path';
import * as vscode from 'vscode';
import { silentLog } from '../../../src/base/log';
import { systemClock } from '../../../src/base/clock';
import { EditorTextSearch } from '../../../src/host/workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../../../src/host/workspace/editorWorkspaceFiles';
import { entryPointCommands } from '../../../src/host/attachments/entryPoints';
import { WorkspaceTools } from '../../../src/host/knowledge/workspaceTools';
import type { AskedAbout } from '../../../src/host/attachments/promptText';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import { webRequest } from '../../../src/tools/web/webRequest';
import { EXTENSION_ID } from '../../support/extensionId';
import { aToolCall } from '../../support/toolCalls';

function folder(): vscode.Uri {
  const open = vscode.workspace.workspaceFolders?.[0];
  assert.ok(open, 'no folder is open');
  return open.uri;
}

const fileUri = (...names: readonly string[]): vscode.Uri => vscode.Uri.joinPath(folder(), ...names);
const files = new EditorWorkspaceFiles(new EditorTextSearch(async () => null, silentLog));

function service(): WorkspaceTools {
  const extension = vscode.extensions.getExtension(EXTENSION_ID);
  assert.ok(extension, 'the extension is not there');
  return new WorkspaceTools({
    files,
    deniesReading: () => false,
    clock: systemClock,
    distFolder: path.join(extension.extensionPath, 'dist'),
  });
}

async function run(name: string, input: unknown): Promise<string> {
  const { outcome, text } = await new ToolRegistry(service().tools).run(
    { callId: 'c', name, arguments: JSON.stringify(input) },
    new AbortController().signal,
    aToolCall(),
  );
  return `${outcome}: ${text}`;
}

suite("The editor's knowledge", () => {
  const lasting: vscode.Disposable[] = [];
  teardown(async () => {
    for (const each of lasting.splice(0)) each.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('an outline, symbols, references, a definition and a hover come from language extensions', async () => {
    const uri = fileUri('src', 'retry.js');
    const document = await vscode.workspace.openTextDocument(uri);
    const line =
      Array.from({ length: document.lineCount }, (_, index) => index).find((index) =>
        /function \w+/.test(document.lineAt(index).text),
      ) ?? -1;
    const [, name = ''] = /function (\w+)/.exec(document.lineAt(line).text) ?? [];
    const at = document.lineAt(line).text.indexOf(name);
    const range = new vscode.Range(line, at, line, at + name.length);
    const asked: string[] = [];
    const ask =
      <T>(answer: T) =>
      (_document: vscode.TextDocument, position: vscode.Position): T => (
        asked.push(`${position.line}:${position.character}`),
        answer
      );
    const here = [new vscode.Location(uri, range)];
    lasting.push(
      vscode.languages.registerDocumentSymbolProvider('javascript', {
        provideDocumentSymbols: () => [
          new vscode.DocumentSymbol(name, '', vscode.SymbolKind.Function, document.lineAt(line).range, range),
        ],
      }),
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: (query) =>
          query === name
            ? [
                new vscode.SymbolInformation(
                  name,
                  vscode.SymbolKind.Function,
                  'module',
                  new vscode.Location(uri, range),
                ),
              ]
            : [],
      }),
      vscode.languages.registerReferenceProvider('javascript', { provideReferences: ask(here) }),
      vscode.languages.registerDefinitionProvider('javascript', {
        provideDefinition: ask(
          here.map(({ uri: targetUri }) => ({
            targetUri,
            targetRange: document.lineAt(line).range,
            targetSelectionRange: range,
          })),
        ),
      }),
      vscode.languages.registerHoverProvider('javascript', {
        provideHover: ask(new vscode.Hover(['A made-up hover', { language: 'js', value: name }])),
      }),
    );
    const where = { path: 'src/retry.js', line: line + 1, symbol: name };
    const row = `src/retry.js:${line + 1}:${at + 1}  ${document.lineAt(line).text.trim()}`;
    assert.ok((await run('document_symbols', { path: 'src/retry.js' })).includes(`function ${name}  ${line + 1}`));
    assert.ok((await run('workspace_symbols', { query: name })).includes(`function ${name} (module)  ${row}`));
    assert.ok((await run('find_references', where)).includes(row));
    assert.ok((await run('go_to_definition', where)).includes(row));
    assert.ok((await run('hover', where)).includes(`A made-up hover\n\n\`\`\`js\n${name}\n\`\`\``));
    assert.deepEqual(asked, Array(3).fill(`${line}:${at}`));
  });

  test('problems are listed, also those that appear after an edit', async () => {
    const problems = vscode.languages.createDiagnosticCollection('knowledge');
    lasting.push(problems);
    const uri = fileUri('src', 'retry.js');
    const error = new vscode.Diagnostic(
      new vscode.Range(0, 0, 0, 3),
      'A made-up error',
      vscode.DiagnosticSeverity.Error,
    );
    const { afterEdit } = service();
    const waiting = afterEdit([uri.fsPath], new AbortController().signal);
    problems.set(uri, [error]);
    assert.equal(
      await waiting,
      'The editor now reports one error in what was edited:\nsrc/retry.js:1:1 error: A made-up error',
    );
    assert.match(await run('diagnostics', { path: 'src' }), /src\/retry\.js:1:1 error: A made-up error/);
  });

  test('open files and the selection are reported', async () => {
    const editor = await vscode.window.showTextDocument(fileUri('src', 'retry.js'));
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    const told = await run('open_editors', {});
    assert.match(told, /^done: (.*\n)*src\/retry\.js \(in use\)/);
    assert.match(told, /Selected: src\/retry\.js:1-2\n/);
  });
});

suite('Web pages and git', () => {
  const server = createServer(
    (request, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(`<title>For ${request.headers.host ?? ''}</title><h1>Retry</h1><p>Some <b>words</b>.`),
  );
  let port = 0;
  suiteSetup(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  suiteTeardown(() => void server.close());

  test('a page is read in the thread that ships with the extension', async () => {
    const told = await run('fetch_url', { url: `http://127.0.0.1:${port}/` });
    assert.match(told, /^done: /);
    assert.match(told, /# Retry\n\nSome \*\*words\*\*\./);
  });

  test("the editor's own networking connects to the address that was checked", async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const deps = { resolve, addressClass: () => 'public' as const, timeoutMs: 20_000, maxBytes: 1000 };
    const answer = await webRequest(new URL(`http://nowhere.example:${port}/`), deps, new AbortController().signal);
    assert.equal(
      answer.kind === 'page' && Buffer.from(answer.bytes).toString().includes(`For nowhere.example:${port}`),
      true,
    );
  });

  test('git is run, or reported as missing', async () => {
    assert.match(await run('git_status', {}), /^failed: (The open folder is no git repository\.|git is not installed)/);
  });
});

suite('Ways into the chat', () => {
  const inserted: AskedAbout[] = [];
  const commands = entryPointCommands({
    files,
    activeChat: {
      surface: { insertPrompt: (text, parts) => void inserted.push({ text, parts }) },
      focus: async () => undefined,
    },
    log: silentLog,
  });
  setup(() => inserted.splice(0));
  teardown(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  test('a selection of whole lines is attached with its place', async () => {
    const editor = await vscode.window.showTextDocument(fileUri('src', 'retry.js'));
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    await commands['explainSelection']?.();
    const { document } = editor;
    const part = {
      kind: 'attachment',
      source: 'file:src/retry.js:1-2',
      label: 'src/retry.js:1-2',
      text: `${document.lineAt(0).text}\n${document.lineAt(1).text}`,
    };
    assert.deepEqual(inserted, [{ text: 'Explain `src/retry.js:1-2`\n', parts: [part] }]);
  });

  test('files and folders of the explorer are attached', async () => {
    await commands['askAboutFile']?.(fileUri('package.json'), [fileUri('package.json')]);
    await commands['askAboutFolder']?.(fileUri('src'), [fileUri('src'), fileUri('package.json')]);
    const file = { kind: 'mention', source: 'file:package.json', label: 'package.json' };
    assert.deepEqual(inserted, [
      { text: '', parts: [file] },
      { text: '', parts: [{ kind: 'mention', source: 'folder:src', label: 'src/' }, file] },
    ]);
  });

  test('a problem, and only a problem, offers Fix and Explain', async () => {
    const problems = vscode.languages.createDiagnosticCollection('entryPoints');
    try {
      const uri = fileUri('src', 'retry.js');
      await vscode.workspace.openTextDocument(uri);
      problems.set(uri, [
        new vscode.Diagnostic(new vscode.Range(0, 0, 0, 3), 'A made-up error', vscode.DiagnosticSeverity.Error),
      ]);
      const offered = async (line: number): Promise<readonly vscode.CodeAction[]> => {
        const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          uri,
          new vscode.Range(line, 0, line, 1),
        );
        return actions.filter(({ command }) => command?.command.startsWith('hermes.'));
      };
      const [fix, explain] = await offered(0);
      assert.deepEqual(
        [fix?.title, explain?.title, (await offered(1)).length],
        ['Fix with Hermes', 'Explain with Hermes', 0],
      );
      await commands['fixProblem']?.(...(fix?.command?.arguments ?? []));
      assert.deepEqual(
        [inserted[0]?.text, inserted[0]?.parts.map((part) => part.kind === 'attachment' && part.label)],
        ['Fix this problem in `src/retry.js:1`\n- src/retry.js:1:1 error: A made-up error\n', ['src/retry.js:1']],
      );
    } finally {
      problems.dispose();
    }
  });

  test('the clipboard keeps its text if nothing is selected in a terminal', async () => {
    await vscode.env.clipboard.writeText('mine');
    await commands['askAboutTerminalSelection']?.();
    assert.deepEqual(
      { inserted, clipboard: await vscode.env.clipboard.readText() },
      { inserted: [], clipboard: 'mine' },
    );
  });
});
