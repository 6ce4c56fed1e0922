import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { McpHost } from '../../../../src/host/mcp/mcpHost';
import { RecordingLog } from '../recordingLog';

/** The editor: what the person answers, in order, what they saw, and what is open. A row or button is answered by its label. */
const editor = vi.hoisted(() => {
  const state: {
    isTrusted: boolean;
    folder: string | null;
    setting: unknown;
    isDirty: boolean;
    answers: (string | undefined)[];
    shown: string[];
    /** Runs while a modal question is open. */
    meanwhile: () => void;
  } = {
    isTrusted: true,
    folder: null,
    setting: undefined,
    isDirty: false,
    answers: [],
    shown: [],
    meanwhile: () => undefined,
  };
  return state;
});

vi.mock('vscode', () => {
  const uri = (path: string) => ({ fsPath: path, scheme: 'file', path, toString: () => `file://${path}` });
  const nothing = () => ({ dispose: () => undefined });
  class FileSystemError extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  }
  const readAsVscode = async (path: string): Promise<Uint8Array> => {
    try {
      return await readFile(path);
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw new FileSystemError(isMissing ? 'FileNotFound' : 'NoPermissions');
    }
  };
  const answer = (labels: readonly string[]): string | undefined => {
    const [next] = editor.answers.splice(0, 1);
    if (next !== undefined && !labels.includes(next)) throw new Error(`"${next}" is none of ${labels.join(', ')}`);
    return next;
  };
  return {
    Uri: {
      file: uri,
      parse: uri,
      joinPath: (base: { fsPath: string }, ...parts: string[]) => uri([base.fsPath, ...parts].join('/')),
    },
    FileSystemError,
    QuickPickItemKind: { Separator: -1 },
    ConfigurationTarget: { Global: 1 },
    ProgressLocation: { Notification: 15 },
    ThemeIcon: class {
      constructor(readonly id: string) {}
    },
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      get workspaceFolders() {
        return editor.folder === null ? undefined : [{ name: 'repo', uri: uri(editor.folder) }];
      },
      get textDocuments() {
        return [{ uri: uri(`${editor.folder ?? ''}/.vscode/mcp.json`), isDirty: editor.isDirty }];
      },
      fs: {
        readFile: ({ fsPath }: { fsPath: string }) => readAsVscode(fsPath),
        writeFile: ({ fsPath }: { fsPath: string }, bytes: Uint8Array) => writeFile(fsPath, bytes),
      },
      getConfiguration: () => ({
        inspect: () => ({ globalValue: editor.setting }),
        update: async (name: string, value: unknown, target: number) => {
          editor.shown.push(`wrote ${name} ${target}`);
          editor.setting = value;
        },
      }),
      createFileSystemWatcher: () => ({
        onDidCreate: nothing,
        onDidChange: nothing,
        onDidDelete: nothing,
        dispose: () => undefined,
      }),
      onDidChangeWorkspaceFolders: nothing,
      onDidGrantWorkspaceTrust: nothing,
      onDidChangeConfiguration: nothing,
    },
    window: {
      showInformationMessage: async (sentence: string) => void editor.shown.push(sentence),
      showWarningMessage: async (sentence: string, { detail }: { detail: string }, ...choices: string[]) => {
        editor.meanwhile();
        editor.shown.push(`! ${sentence} | ${detail.replaceAll('\n', ' ')} | ${choices.join(', ')}`);
        return answer(choices);
      },
      showQuickPick: async (items: readonly { label: string; kind?: number }[], { title }: { title: string }) => {
        const labels = items.filter(({ kind }) => kind !== -1).map(({ label }) => label);
        editor.shown.push(`${title}: ${labels.join(', ')}`);
        const picked = answer(labels);
        return items.find(({ label }) => label === picked);
      },
      showInputBox: async ({
        prompt,
        value,
        validateInput,
      }: {
        prompt: string;
        value: string;
        validateInput: (text: string) => string | undefined;
      }) => {
        const [next] = editor.answers.splice(0, 1);
        const typed = next === 'default' ? value : next;
        const problem = typed === undefined ? undefined : validateInput(typed);
        editor.shown.push(`${prompt} [${value}]${problem === undefined ? '' : ` refused: ${problem}`}`);
        return problem === undefined ? typed : undefined;
      },
      showTextDocument: async ({ fsPath }: { fsPath: string }) => void editor.shown.push(`opened ${fsPath}`),
      withProgress: async (_options: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
        work({}, { onCancellationRequested: () => undefined }),
    },
    commands: { executeCommand: async (...args: readonly unknown[]) => void editor.shown.push(args.join(' ')) },
  };
});

/** A client that starts nothing and writes down what it was asked to start. A command or address with "broken" fails. */
const recordingBundle = `
exports.started = [];
const tool = (name) => ({ name, title: null, description: '', inputSchema: { type: 'object' }, readOnly: false });
exports.createMcpClient = () => async (launch, events) => {
  exports.started.push(launch.command === undefined ? launch.url : [launch.command, ...launch.args].join(' '));
  if (JSON.stringify(launch).includes('broken')) {
    events.onLogLine('no such package');
    return { kind: 'failed', sentence: 'The program ended with code 1.', again: false };
  }
  return { kind: 'connected', connection: { listTools: async () => ({ kind: 'ok', value: [tool('a'), tool('b')] }), callTool: async () => ({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true }), rootsChanged() {}, close: async () => exports.started.push('closed'), kill() {} } };
};`;

let folder = '';
let host: McpHost | null = null;
const kept = new Map<string, unknown>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-add-server-'));
  mkdirSync(join(folder, 'repo', '.vscode'), { recursive: true });
  writeFileSync(join(folder, 'mcp.js'), recordingBundle);
  Object.assign(editor, {
    isTrusted: true,
    folder: join(folder, 'repo'),
    setting: undefined,
    isDirty: false,
    answers: [],
    shown: [],
    meanwhile: () => undefined,
  });
  kept.clear();
});
afterEach(() => {
  host?.dispose();
  host = null;
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'repo', '.vscode', 'mcp.json');

/** Runs Manage MCP Servers… with these answers. */
async function manage(...answers: readonly (string | undefined)[]): Promise<McpHost> {
  editor.answers = [...answers];
  const memory = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
  const secrets = { get: async () => undefined, store: async () => undefined, delete: async () => undefined };
  host ??= new McpHost({
    context: { workspaceState: memory, secrets, extension: { packageJSON: { version: '1.2.3' } } },
    distFolder: folder,
    confinement: {
      state: async () => ({ kind: 'missing', reason: 'no sandbox here', remedy: 'None.' }),
      isRequired: false,
      confine: () => Promise.reject(new Error('Nothing is confined here.')),
    },
    storageFolder: () => join(folder, 'storage'),
    clock: systemClock,
    log: new RecordingLog(),
    offer: () => undefined,
  });
  await host.commands.manageMcpServers?.();
  expect(editor.answers).toEqual([]);
  return host;
}

async function started(): Promise<readonly string[]> {
  const { createRequire } = await import('node:module');
  return [...createRequire(join(folder, 'x.js'))('./mcp.js').started];
}

const server = 'npx -y @modelcontextprotocol/server-memory';

describe('Manage MCP Servers… without a server', () => {
  it('offers to add one, and opens the places where it could be written', async () => {
    await manage(undefined);
    await manage('Open mcp.json');
    await manage('Open Settings');
    expect([editor.shown, JSON.parse(readFileSync(file(), 'utf8'))]).toEqual([
      [
        'MCP Servers: Add Server…, Open mcp.json, Open Settings',
        'MCP Servers: Add Server…, Open mcp.json, Open Settings',
        `opened ${file()}`,
        'MCP Servers: Add Server…, Open mcp.json, Open Settings',
        'workbench.action.openSettings hermes.mcp.servers',
      ],
      { servers: {} },
    ]);
  });

  it('offers nothing in Restricted Mode', async () => {
    editor.isTrusted = false;
    await manage();
    expect(editor.shown).toEqual(['This window is in Restricted Mode, so MCP servers don’t run.']);
  });
});

describe('Add Server…', () => {
  it('asks for trust, tests the server, and only then writes it into the folder', async () => {
    const opened = await manage('Add Server…', server, 'default', 'This Folder', 'Trust and Start');
    expect([editor.shown, await started(), JSON.parse(readFileSync(file(), 'utf8'))]).toEqual([
      [
        'MCP Servers: Add Server…, Open mcp.json, Open Settings',
        'Command that starts the server, or its web address []',
        'A name for this server [memory]',
        'Add MCP Server: This Folder, All Folders',
        '! Trust the MCP server “memory”? | It runs this program on your machine:  npx -y @modelcontextprotocol/server-memory  Not in the sandbox: no sandbox here. Runs with your permissions. None.  Defined in .vscode/mcp.json. Hermes asks again if the definition changes. | Trust and Start',
        'The MCP server “memory” works and was saved. It offers 2 tools.',
      ],
      [server, 'closed'],
      { servers: { memory: { type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } } },
    ]);
    expect(opened.all.map(({ isTrusted, definition }) => [definition.name, isTrusted])).toEqual([['memory', true]]);
    const tools = await opened.tools(new AbortController().signal);
    expect(tools.map(({ name }) => name)).toEqual(['mcp_memory_a', 'mcp_memory_b']);
  });

  it('starts and writes nothing that the user does not trust', async () => {
    await manage('Add Server…', server, 'default', 'This Folder', undefined);
    expect([existsSync(file()), kept.size, editor.setting]).toEqual([false, 0, undefined]);
    await expect(started()).resolves.toEqual([]);
  });

  it('writes a server for all folders into the settings of the user, without a question of trust', async () => {
    editor.setting = { mine: { command: 'mine' } };
    const opened = await manage('Add Server…', 'https://mcp.example.com/mcp', 'docs', 'All Folders');
    expect([editor.setting, editor.shown.slice(-2), opened.all.map(({ definition }) => definition.name)]).toEqual([
      { mine: { command: 'mine' }, docs: { type: 'http', url: 'https://mcp.example.com/mcp' } },
      ['wrote hermes.mcp.servers 1', 'The MCP server “docs” works and was saved. It offers 2 tools.'],
      ['mine', 'docs'],
    ]);
  });

  it('says why a server does not start: it can be corrected, saved anyway, or left', async () => {
    editor.folder = null;
    const failed =
      '! The MCP server “broken” didn’t start. The program ended with code 1. | no such package Nothing was saved. | Save Anyway, Edit';
    await manage('Add Server…', 'npx broken', 'default', undefined);
    const left = [editor.shown.at(-1), editor.setting];
    editor.shown = [];
    await manage('Add Server…', 'npx broken', 'default', 'Edit', 'npx better', 'better');
    const edited = [[...editor.shown], editor.setting];
    await manage('Add Server…', 'npx broken', 'default', 'Save Anyway');
    expect([left, edited, editor.shown.at(-1), editor.setting]).toEqual([
      [failed, undefined],
      [
        [
          'MCP Servers: Add Server…, Open Settings',
          'Command that starts the server, or its web address []',
          'A name for this server [broken]',
          failed,
          'Command that starts the server, or its web address [npx broken]',
          'A name for this server [broken]',
          'wrote hermes.mcp.servers 1',
          'The MCP server “better” works and was saved. It offers 2 tools.',
        ],
        { servers: { better: { type: 'stdio', command: 'npx', args: ['better'] } } },
      ],
      'The MCP server “broken” was saved. It isn’t running.',
      {
        servers: {
          better: { type: 'stdio', command: 'npx', args: ['better'] },
          broken: { type: 'stdio', command: 'npx', args: ['broken'] },
        },
      },
    ]);
  });

  it('keeps the place that it cannot write as it is, and says what to do', async () => {
    const unusable = async (content: string, isDirty = false): Promise<string | undefined> => {
      writeFileSync(file(), content);
      editor.isDirty = isDirty;
      await manage('Add Server…', server, 'new', 'This Folder', undefined);
      expect(readFileSync(file(), 'utf8')).toBe(content);
      return editor.shown.at(-1);
    };
    expect([
      await unusable('{ "servers": '),
      await unusable('{ "servers": { "new": { "type": "other" } } }'),
      await unusable('{}', true),
      await started(),
    ]).toEqual([
      '! .vscode/mcp.json can’t be read. Correct it, then add the server again. | Nothing was saved. | Edit',
      '! .vscode/mcp.json already has an MCP server “new”. Choose another name. | Nothing was saved. | Edit',
      '! .vscode/mcp.json has unsaved changes. Save it, then add the server again. | Nothing was saved. | Edit',
      [],
    ]);
  });

  it('adds the server to the content that the file has when it is saved', async () => {
    writeFileSync(file(), '{ "servers": {} }');
    editor.meanwhile = () => writeFileSync(file(), '{ "servers": { "mine": { "command": "mine" } } } // edited');
    await manage('Add Server…', server, 'new', 'This Folder', 'Trust and Start');
    expect(readFileSync(file(), 'utf8')).toMatch(/"mine": \{\s+"command": "mine"\s+\}[^]*"new"[^]*\/\/ edited$/);
  });

  it('does not overwrite a server that was written meanwhile under the same name', async () => {
    const written = '{ "servers": { "new": { "command": "mine" } } }';
    editor.meanwhile = () => writeFileSync(file(), written);
    await manage('Add Server…', server, 'new', 'This Folder', 'Trust and Start', undefined);
    expect([readFileSync(file(), 'utf8'), editor.shown.at(-1), kept.get('mcp.trusted') ?? {}]).toEqual([
      written,
      '! .vscode/mcp.json already has an MCP server “new”. Choose another name. | Nothing was saved. | Edit',
      {},
    ]);
  });

  it('does not take a file that it can’t read for a missing one', async () => {
    mkdirSync(file());
    await manage('Add Server…', server, 'new', 'This Folder', undefined);
    expect([editor.shown.at(-1), await started()]).toEqual([
      '! .vscode/mcp.json can’t be read: NoPermissions | Nothing was saved. | Edit',
      [],
    ]);
  });

  it.each([
    ['a | b', 'Enter a single command. Pipes, redirections, and && aren’t supported.'],
    ['"a', 'A quote isn’t closed.'],
    ['', 'Enter a command or a web address.'],
    ['https://', 'Enter a full web address that begins with http:// or https://.'],
  ])('does not take %j', async (text, problem) => {
    await manage('Add Server…', text);
    expect(editor.shown.at(-1)).toBe(`Command that starts the server, or its web address [] refused: ${problem}`);
  });
});
