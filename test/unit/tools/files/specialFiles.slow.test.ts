import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ClientFiles } from '../../../../src/features/agents/served/clientFiles';
import { EditorFileEditor } from '../../../../src/host/workspace/editorFileEditor';
import { NotAText } from '../../../../src/tools/files/fileEditor';
import { readOnlyTools } from '../../../../src/tools/readOnlyTools';
import { filesToGuard } from '../../../../src/tools/sandbox/foundFiles';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import { denying } from '../../../support/readDenials';
import { aToolCall } from '../../../support/toolCalls';

vi.mock('vscode', () => ({
  FileType: { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 },
  FileSystemError: class extends Error {},
  Uri: { file: (fsPath: string) => ({ fsPath, scheme: 'file' }) },
  workspace: {
    textDocuments: [],
    workspaceFolders: [],
    fs: {
      stat: async ({ fsPath }: { readonly fsPath: string }) => ({ type: statSync(fsPath).isFile() ? 1 : 0, size: 0 }),
      readFile: () => new Promise(() => undefined),
    },
  },
}));

let folder: string;
let pipe: string;
describe.skipIf(process.platform === 'win32')('a pipe, which never ends', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermes-pipes-'));
    pipe = join(folder, '.git');
    execFileSync('mkfifo', [pipe]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const client = (): ClientFiles => new ClientFiles([{ name: 'folder', path: folder }], {});
  const signal = AbortSignal.timeout(60_000);

  it('is no text to edit or to bring back, in the editor and without it', async () => {
    for (const editor of [new EditorFileEditor(), client()]) {
      await expect(editor.open(pipe, signal)).rejects.toThrow(NotAText);
      await expect(editor.bytesOnDisk(pipe)).rejects.toThrow(/is (?:a pipe, a device, )?not a file/);
    }
  });

  it('is not read, and said to be no file', async () => {
    const call = { callId: 'c', name: 'read_file', arguments: JSON.stringify({ path: pipe }) };
    expect(await new ToolRegistry(readOnlyTools(client(), denying())).run(call, signal, aToolCall())).toMatchObject({
      outcome: 'failed',
      text: '.git is not a file, but a pipe, a device or the like.',
    });
  });

  it('names no repository whose files a command may write', async () => {
    expect(await filesToGuard(folder, { names: [], links: new Map() })).toEqual({ kept: [], hidden: [], writable: [] });
  });
});
