import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { AttachmentService } from '../../../../src/host/attachments/attachmentService';
import type { TerminalText } from '../../../../src/host/attachments/mentionDeps';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { RecordingLog } from '../recordingLog';

const editor = vi.hoisted(() => ({
  folder: '',
  terminals: [] as object[],
  selected: null as string | null,
  clipboard: '',
  watchers: 0,
  disposed: 0,
  active: undefined as object | undefined,
}));

vi.mock('vscode', async () => {
  const { readFile, stat } = await import('node:fs/promises');
  const off = { dispose: () => void editor.disposed++ };
  const file = (fsPath: string) => ({ scheme: 'file', fsPath, path: fsPath, toString: () => `file://${fsPath}` });
  return {
    FileType: { File: 1, Directory: 2 },
    Uri: { file, parse: (written: string) => file(new URL(written).pathname) },
    extensions: { getExtension: () => undefined },
    languages: { getDiagnostics: () => [] },
    commands: {
      executeCommand: async (name: string) =>
        void (name.endsWith('copySelection') && editor.selected !== null && (editor.clipboard = editor.selected)),
    },
    env: {
      clipboard: {
        readText: async () => editor.clipboard,
        writeText: async (text: string) => void (editor.clipboard = text),
      },
    },
    window: {
      get activeTextEditor() {
        return editor.active;
      },
      get terminals() {
        return editor.terminals;
      },
      get activeTerminal() {
        return editor.terminals[0];
      },
      tabGroups: { all: [] },
      onDidChangeActiveTextEditor: () => off,
      onDidChangeTextEditorSelection: () => off,
      showOpenDialog: async () => [file(path.join(editor.folder, 'a.ts')), file('/etc/hostname')],
    },
    workspace: {
      isTrusted: false,
      getWorkspaceFolder: ({ fsPath }: { readonly fsPath: string }) =>
        fsPath.startsWith(editor.folder) ? {} : undefined,
      fs: {
        isWritableFileSystem: () => true,
        stat: async ({ fsPath }: { readonly fsPath: string }) =>
          stat(fsPath).then((found) => ({ type: found.isDirectory() ? 2 : 1, size: found.size })),
        readFile: async ({ fsPath }: { readonly fsPath: string }) => readFile(fsPath),
      },
      createFileSystemWatcher: () => (editor.watchers++, { ...off, onDidCreate: () => off, onDidDelete: () => off }),
      onDidChangeWorkspaceFolders: () => off,
      onDidSaveTextDocument: () => off,
      onDidCloseTextDocument: () => off,
      onDidChangeConfiguration: () => off,
    },
  };
});

let lastOutput: TerminalText | null = null;
let service: AttachmentService;

beforeEach(() => {
  editor.folder = mkdtempSync(path.join(tmpdir(), 'hermes-desk-'));
  writeFileSync(path.join(editor.folder, 'a.ts'), 'let a;\n');
  Object.assign(editor, {
    terminals: [],
    selected: null,
    clipboard: 'mine',
    watchers: 0,
    disposed: 0,
    active: undefined,
  });
  lastOutput = null;
  const store = {
    listSessions: async () => [],
    getSession: async () => null,
    conversationTip: async (id: string) => id,
    readTranscript: async () => ({ messages: [], turns: [], versions: [], hasEarlier: false, later: 0, total: 0 }),
  };
  service = new AttachmentService({
    files: new FolderOnDisk([{ name: 'w', path: editor.folder }]),
    history: { store },
    servers: { current: null },
    clock: systemClock,
    log: new RecordingLog(),
    terminal: { lastOutput: () => lastOutput },
  });
});
afterEach(() => {
  service.dispose();
  rmSync(editor.folder, { recursive: true, force: true });
});
const found = async (): Promise<readonly string[]> =>
  (await service.search('terminal', 30, new AbortController().signal)).mentions.map(({ source }) => source);

describe('attachments in a window', () => {
  it('offer a terminal if one is open or a command has run, and watch the files once', async () => {
    const nowhere = await found();
    editor.terminals = [{ name: 'zsh' }];
    const open = await found();
    editor.terminals = [];
    lastOutput = { label: 'npm test', text: 'ok' };
    expect([
      nowhere.includes('terminal'),
      open.includes('terminal'),
      (await found()).includes('terminal'),
      editor.watchers,
    ]).toEqual([false, true, true, 1]);
  });

  it('take the terminal selection, else the output of the last command, else say why not; the clipboard is restored', async () => {
    const none = await service.pin('terminal');
    lastOutput = { label: 'npm test', text: 'ok' };
    editor.terminals = [{ name: 'zsh' }];
    const last = await service.pin('terminal');
    editor.selected = 'selected text';
    expect([none.kind, last, await service.pin('terminal'), editor.clipboard]).toEqual([
      'problem',
      { kind: 'attachment', source: 'terminal', label: 'npm test', text: 'ok' },
      { kind: 'attachment', source: 'terminal', label: 'Terminal zsh', text: 'selected text' },
      'mine',
    ]);
  });

  it('report an empty selection, and take a selection with its lines', async () => {
    const none = await service.pin('selection');
    const place = path.join(editor.folder, 'a.ts');
    editor.active = {
      document: { isClosed: false, uri: { scheme: 'file', fsPath: place }, fileName: place, getText: () => 'let a;\n' },
      selection: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    };
    expect([none.kind, await service.pin('selection')]).toEqual([
      'problem',
      { kind: 'attachment', source: 'selection', label: 'a.ts:1', text: 'let a;\n' },
    ]);
  });

  it('mention a picked file from the open folder, and read a file from outside immediately', async () => {
    const outside = path.join(mkdtempSync(path.join(tmpdir(), 'hermes-outside-')), 'b.txt');
    writeFileSync(outside, 'outside');
    const { parts, problems } = await service.dropped([`file://${editor.folder}/a.ts`, `file://${outside}`]);
    rmSync(path.dirname(outside), { recursive: true });
    expect([parts, problems]).toEqual([
      [
        { kind: 'mention', source: 'file:a.ts', label: 'a.ts' },
        { kind: 'attachment', source: `file:${outside}`, label: outside, text: 'outside' },
      ],
      [],
    ]);
  });
});
