import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { McpDesk } from '../../../../src/host/mcp/mcpDesk';
import type { Offer } from '../../../../src/host/storeDesk';
import { RecordingLog } from '../recordingLog';

/** The editor, as far as servers see it. */
const editor = vi.hoisted(() => {
  const state: {
    isTrusted: boolean;
    folder: string;
    setting: unknown;
    questions: { readonly sentence: string; readonly detail: string }[];
    notifications: string[];
    answers: (string | undefined)[];
    inputs: (string | undefined)[];
    fire: () => void;
  } = {
    isTrusted: true,
    folder: '',
    setting: undefined,
    questions: [],
    notifications: [],
    answers: [],
    inputs: [],
    fire: () => undefined,
  };
  return state;
});

vi.mock('vscode', () => {
  const uri = (path: string) => ({ fsPath: path, scheme: 'file', path, toString: () => `file://${path}` });
  const nothing = () => ({ dispose: () => undefined });
  const listen = (listener: () => void) => ((editor.fire = listener), nothing());
  return {
    l10n: {
      t: (message: string, args: Record<string, string> = {}) =>
        message.replace(/\{(\w+)\}/g, (_whole, name: string) => args[name] ?? ''),
    },
    Uri: {
      file: uri,
      parse: uri,
      joinPath: (base: { fsPath: string }, ...parts: string[]) => uri([base.fsPath, ...parts].join('/')),
    },
    CancellationTokenSource: class {
      token = {};
      cancel = () => undefined;
      dispose = () => undefined;
    },
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      get workspaceFolders() {
        return [{ name: 'repo', uri: uri(editor.folder) }];
      },
      fs: { readFile: ({ fsPath }: { fsPath: string }) => readFile(fsPath) },
      getConfiguration: () => ({
        inspect: () => ({
          globalValue: editor.setting,
          workspaceValue: { evil: { command: 'evil' } },
          workspaceFolderValue: { evil: { command: 'evil' } },
        }),
      }),
      createFileSystemWatcher: () => ({
        onDidCreate: nothing,
        onDidChange: listen,
        onDidDelete: nothing,
        dispose: () => undefined,
      }),
      onDidChangeWorkspaceFolders: nothing,
      onDidGrantWorkspaceTrust: nothing,
      onDidChangeConfiguration: nothing,
    },
    window: {
      showInformationMessage: async (sentence: string) => (editor.notifications.push(sentence), editor.answers.shift()),
      showWarningMessage: async (sentence: string, { detail }: { detail: string }) => (
        editor.questions.push({ sentence, detail }),
        editor.answers.shift()
      ),
      showInputBox: async () => editor.inputs.shift(),
    },
    commands: { executeCommand: async () => undefined },
  };
});

/** A client that starts nothing and writes down what it was asked to start. */
const recordingBundle = `
exports.started = [];
exports.createMcpClient = () => async (launch) => {
  exports.started.push(launch);
  return { kind: 'connected', connection: { listTools: async () => ({ kind: 'ok', value: [{ name: 'x', title: null, description: '', inputSchema: { type: 'object' }, readOnly: false }] }), callTool: async () => ({ kind: 'failed' }), rootsChanged() {}, close: async () => {}, kill() {} } };
};`;

let folder = '';
let desk: McpDesk | null = null;
let offers: readonly Offer[] = [];
const kept = new Map<string, unknown>();
const secrets = new Map<string, string>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-mcp-desk-'));
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, 'mcp.js'), recordingBundle);
  Object.assign(editor, {
    isTrusted: true,
    folder,
    setting: undefined,
    questions: [],
    notifications: [],
    answers: [],
    inputs: [],
  });
  kept.clear();
  secrets.clear();
});
afterEach(() => {
  desk?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function define(content: unknown): void {
  writeFileSync(join(folder, '.vscode', 'mcp.json'), typeof content === 'string' ? content : JSON.stringify(content));
}

function open(): McpDesk {
  const workspaceState = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
    keys: () => [...kept.keys()],
  };
  const secretStorage = {
    get: async (key: string) => secrets.get(key),
    store: async (key: string, value: string) => void secrets.set(key, value),
    delete: async (key: string) => void secrets.delete(key),
  };
  const context = { workspaceState, secrets: secretStorage, extension: { packageJSON: { version: '1.2.3' } } };
  desk = new McpDesk({
    context,
    distFolder: folder,
    clock: systemClock,
    log: new RecordingLog(),
    offer: (next) => (offers = next),
  });
  return desk;
}

async function started(): Promise<
  readonly {
    readonly command?: string;
    readonly url?: string;
    readonly environment?: Record<string, string>;
    readonly headers?: Record<string, string>;
  }[]
> {
  const { createRequire } = await import('node:module');
  const { started } = createRequire(join(folder, 'x.js'))('./mcp.js');
  return started;
}

const names = async (from: McpDesk): Promise<readonly string[]> =>
  (await from.tools(new AbortController().signal)).map(({ name }) => name);
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('a server that a repository defines', () => {
  it('is not started before the person trusted it; the turn goes without and does not wait for the answer', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'evil'] } } });
    expect(await names(open())).toEqual([]);
    expect(await started()).toEqual([]);
    expect(editor.notifications).toEqual([expect.stringContaining('“repo”')]);
    // Asked once, not by every turn.
    await names(open());
    expect(editor.notifications.length).toBe(2);
    await names(desk ?? open());
    expect(editor.notifications.length).toBe(2);
    expect(await started()).toEqual([]);
  });

  it('is started when it is trusted, after what it runs was shown; also in the next window', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'] } } });
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    expect(editor.questions).toEqual([
      { sentence: 'Trust the MCP server “repo”?', detail: expect.stringContaining('\n\nnpx -y pkg\n\n') },
    ]);
    first.dispose();
    expect(await names(open())).toEqual(['mcp_repo_x']);
    expect(editor.questions.length).toBe(1);
  });

  it('that is not trusted in the dialog stays off', async () => {
    define({ servers: { repo: { command: 'npx' } } });
    editor.answers = ['Review…', undefined];
    const first = open();
    await names(first);
    await pause();
    expect([await names(first), await started(), kept.size]).toEqual([[], [], 0]);
  });

  it('and changes after it was trusted is asked about again', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'] } } });
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    define({ servers: { repo: { command: 'npx', args: ['-y', 'evil'] } } });
    editor.fire();
    await vi.waitFor(() => expect(first.servers.all).toEqual([]));
    expect(await names(first)).toEqual([]);
    expect((await started()).length).toBe(1);
    expect(first.all.map(({ isTrusted, hasChanged }) => [isTrusted, hasChanged])).toEqual([[false, true]]);
  });

  it('is asked about again when only its file of variables changes', async () => {
    define({ servers: { repo: { command: 'npx', envFile: '.env' } } });
    writeFileSync(join(folder, '.env'), 'A=1\n');
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    first.dispose();
    writeFileSync(join(folder, '.env'), 'NODE_OPTIONS=--require ./evil.js\n');
    expect(await names(open())).toEqual([]);
    expect((await started()).length).toBe(1);
  });

  it('cannot take the name of one of the person’s own', async () => {
    editor.setting = { servers: { mine: { command: 'good' } } };
    define({ servers: { mine: { command: 'evil' } } });
    expect(await names(open())).toEqual(['mcp_mine_x']);
    expect((await started()).map(({ command }) => command)).toEqual(['good']);
    expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('“mine” of')]);
  });
});

it('Restricted Mode has no servers, not even the person’s own', async () => {
  editor.isTrusted = false;
  editor.setting = { servers: { mine: { command: 'good' } } };
  define({ servers: { repo: { command: 'npx' } } });
  expect(await names(open())).toEqual([]);
  expect([await started(), desk?.all, editor.notifications]).toEqual([[], [], []]);
});

it('a repository cannot define servers through settings', async () => {
  expect(await names(open())).toEqual([]);
  expect(desk?.all).toEqual([]);
});

it('a password is asked for once, is kept as a secret of this definition, and is asked for anew where the definition changed', async () => {
  const setting = (url: string) => ({
    servers: { web: { url, headers: { Authorization: 'Bearer ${input:key}' } } },
    inputs: [{ id: 'key', type: 'promptString', password: true }],
  });
  editor.setting = setting('https://good.example/mcp');
  editor.inputs = ['pass-1'];
  await names(open());
  desk?.dispose();
  await names(open());
  expect((await started()).map(({ headers }) => headers?.Authorization)).toEqual(['Bearer pass-1', 'Bearer pass-1']);
  expect([[...secrets.values()], JSON.stringify([...kept]).includes('pass-1')]).toEqual([['pass-1'], false]);
  desk?.dispose();
  editor.setting = setting('https://elsewhere.example/mcp');
  expect(await names(open())).toEqual([]);
  expect((await started()).length).toBe(2);
  expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('The input “key” was not given')]);
});

it('a file that is wrong is named, and the settings’ servers work', async () => {
  editor.setting = { servers: { mine: { command: 'good' } } };
  define('{ "servers": ');
  expect(await names(open())).toEqual(['mcp_mine_x']);
  expect(offers).toEqual([
    {
      sentence: expect.stringContaining('.vscode/mcp.json cannot be read'),
      choices: [expect.objectContaining({ label: 'Open' })],
    },
  ]);
});
