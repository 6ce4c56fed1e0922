import { mkdtempSync,mkdirSync,rmSync,writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach,beforeEach,describe,expect,it,vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { McpHost } from '../../../../src/host/mcp/mcpHost';
import type { Offer } from '../../../../src/host/storage/storeStatus';
import type { ConfineOptions,Confinement } from '../../../../src/tools/sandbox/confinement';
import type { SandboxState } from '../../../../src/transcript/sandboxState';
import { aToolCall } from '../../../support/toolCalls';
import { RecordingLog } from '../recordingLog';

/** The editor, as far as servers see it. */
const editor = vi.hoisted(() => {
  const state: {
    isTrusted: boolean;
    folder: string;
    setting: unknown;
    questions: { readonly sentence: string; readonly detail: string; readonly choices: readonly string[] }[];
    /** What a list showed, and what is chosen from the next ones, by how it begins. */
    lists: (readonly { readonly label: string; readonly description?: string }[])[];
    picks: string[];
    notifications: string[];
    answers: (string | undefined)[];
    inputs: (string | undefined)[];
    fire: () => void;
  } = {
    isTrusted: true,
    folder: '',
    setting: undefined,
    questions: [],
    lists: [],
    picks: [],
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
  class FileSystemError extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  }
  return {
    FileSystemError,
    Uri: {
      file: uri,
      parse: uri,
      joinPath: (base: { fsPath: string }, ...parts: string[]) => uri([base.fsPath, ...parts].join('/')),
    },
    QuickPickItemKind: { Separator: -1 },
    ThemeIcon: class {
      constructor(readonly id: string) {}
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
      fs: {
        readFile: ({ fsPath }: { fsPath: string }) =>
          readFile(fsPath).catch(() => Promise.reject(new FileSystemError('FileNotFound'))),
      },
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
      showWarningMessage: async (sentence: string, { detail }: { detail: string }, ...choices: string[]) => (
        editor.questions.push({ sentence, detail, choices }),
        editor.answers.shift()
      ),
      showQuickPick: async (items: readonly { readonly label: string }[]) => {
        editor.lists.push(items);
        const pick = editor.picks.shift();
        return pick === undefined ? undefined : items.find(({ label }) => label.startsWith(pick));
      },
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
  return { kind: 'connected', connection: { listTools: async () => ({ kind: 'ok', value: [{ name: 'x', title: null, description: '', inputSchema: { type: 'object' }, readOnly: false }] }), callTool: async () => ({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true }), rootsChanged() {}, close: async () => {}, kill() {} } };
};`;

/** The sandbox of this machine, which holds nothing here: it writes down what it was to hold. */
const machine: {
  sandbox: SandboxState;
  isRequired: boolean;
  refusal: string | null;
  stopped: readonly string[];
  confined: (ConfineOptions & { readonly command: string })[];
  ended: number;
} = {
  sandbox: { kind: 'works' },
  isRequired: false,
  refusal: null,
  stopped: [],
  confined: [],
  ended: 0,
};
const confinement: Pick<Confinement, 'state' | 'isRequired' | 'confine'> = {
  state: async () => machine.sandbox,
  get isRequired() {
    return machine.isRequired;
  },
  confine: async (command, _shell, options) => {
    if (machine.refusal !== null) throw new Error(machine.refusal);
    machine.confined.push({ command, ...options });
    return {
      program: 'confined',
      args: [command],
      unreadIn: () => [],
      stopped: async () => machine.stopped,
      ended: async () => (machine.ended++, { stopped: machine.stopped, takenOut: [], aside: options.aside }),
    };
  },
};

let folder = '';
let service: McpHost | null = null;
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
    lists: [],
    picks: [],
    notifications: [],
    answers: [],
    inputs: [],
  });
  Object.assign(machine, {
    sandbox: { kind: 'works' },
    isRequired: false,
    refusal: null,
    stopped: [],
    confined: [],
    ended: 0,
  });
  kept.clear();
  secrets.clear();
});
afterEach(() => {
  service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function define(content: unknown): void {
  writeFileSync(join(folder, '.vscode', 'mcp.json'), typeof content === 'string' ? content : JSON.stringify(content));
}

function open(): McpHost {
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
  service = new McpHost({
    context,
    distFolder: folder,
    confinement,
    storageFolder: () => join(folder, 'storage'),
    clock: systemClock,
    log: new RecordingLog(),
    offer: (next) => (offers = next),
  });
  return service;
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

const names = async (from: McpHost): Promise<readonly string[]> =>
  (await from.tools(new AbortController().signal)).map(({ name }) => name);
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('a server defined by a repository', () => {
  it('does not start before the user trusts it; the turn continues without it and does not wait for the answer', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'evil'] } } });
    expect(await names(open())).toEqual([]);
    expect(await started()).toEqual([]);
    expect(editor.notifications).toEqual([expect.stringContaining('“repo”')]);
    // Asked once, not by every turn.
    await names(open());
    expect(editor.notifications.length).toBe(2);
    await names(service ?? open());
    expect(editor.notifications.length).toBe(2);
    expect(await started()).toEqual([]);
  });

  it('starts when the user trusts it, after the review showed what it runs; also in the next window', async () => {
    define({ servers: { repo: { command: 'npx', args: ['-y', 'pkg'] } } });
    editor.answers = ['Review…', 'Trust and Start'];
    const first = open();
    await names(first);
    await vi.waitFor(async () => expect(await names(first)).toEqual(['mcp_repo_x']));
    expect(editor.questions).toEqual([
      {
        sentence: 'Trust the MCP server “repo”?',
        detail: expect.stringContaining('\n\nnpx -y pkg\n\n'),
        choices: ['Trust and Start'],
      },
    ]);
    first.dispose();
    expect(await names(open())).toEqual(['mcp_repo_x']);
    expect(editor.questions.length).toBe(1);
  });

  it('stays off if the user does not trust it in the dialog', async () => {
    define({ servers: { repo: { command: 'npx' } } });
    editor.answers = ['Review…', undefined];
    const first = open();
    await names(first);
    await pause();
    expect([await names(first), await started(), kept.size]).toEqual([[], [], 0]);
  });

  it('needs another review if it changes after it was trusted', async () => {
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

  it('needs another review even if only its env file changes', async () => {
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

  it("cannot take the name of one of the user's own servers", async () => {
    editor.setting = { servers: { mine: { command: 'good' } } };
    define({ servers: { mine: { command: 'evil' } } });
    expect(await names(open())).toEqual(['mcp_mine_x']);
    expect((await started()).map(({ command }) => command)).toEqual(['good']);
    expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('“mine” in')]);
  });
});

it("Restricted Mode has no servers, not even the user's own", async () => {
  editor.isTrusted = false;
  editor.setting = { servers: { mine: { command: 'good' } } };
  define({ servers: { repo: { command: 'npx' } } });
  expect(await names(open())).toEqual([]);
  expect([await started(), service?.all, editor.notifications]).toEqual([[], [], []]);
});

it('a password is asked for once, kept as a secret of this definition, and asked for again if the definition changes', async () => {
  const setting = (url: string) => ({
    servers: { web: { url, headers: { Authorization: 'Bearer ${input:key}' } } },
    inputs: [{ id: 'key', type: 'promptString', password: true }],
  });
  editor.setting = setting('https://good.example/mcp');
  editor.inputs = ['pass-1'];
  await names(open());
  service?.dispose();
  await names(open());
  expect((await started()).map(({ headers }) => headers?.Authorization)).toEqual(['Bearer pass-1', 'Bearer pass-1']);
  expect([[...secrets.values()], JSON.stringify([...kept]).includes('pass-1')]).toEqual([['pass-1'], false]);
  service?.dispose();
  editor.setting = setting('https://elsewhere.example/mcp');
  expect(await names(open())).toEqual([]);
  expect((await started()).length).toBe(2);
  expect(offers.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('The input “key” was not given')]);
});

it('a broken file is named, and the servers of the settings still work', async () => {
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

describe('the sandbox', () => {
  const missing: SandboxState = {
    kind: 'missing',
    reason: 'bubblewrap (bwrap) not installed',
    remedy: 'Install bubblewrap.',
  };
  const repo = (over: object = {}) => define({ servers: { repo: { command: 'sh', args: ['a b'], ...over } } });

  /** Opens a window in which the review is answered so, and waits for what comes of it. */
  async function reviewed(answer: string): Promise<McpHost> {
    editor.answers = ['Review…', answer];
    const opened = open();
    await names(opened);
    await vi.waitFor(() => expect(opened.all.map(({ isTrusted }) => isTrusted)).toEqual([true]));
    await names(opened);
    await pause();
    return opened;
  }
  const where = async (): Promise<readonly (string | undefined)[]> => (await started()).map(({ command }) => command);
  const sentences = (from: McpHost): readonly string[] =>
    from.servers.all.flatMap(({ state }) => (state.kind === 'failed' ? [state.sentence] : []));

  it("holds a folder's server, with the hosts that the review showed", async () => {
    repo({
      sandbox: { network: { allowedDomains: ['api.example.com'] }, filesystem: { allowWrite: ['~/elsewhere'] } },
    });
    await reviewed('Trust and Start');
    expect(editor.questions).toEqual([
      {
        sentence: 'Trust the MCP server “repo”?',
        choices: ['Trust and Start'],
        detail:
          'It runs this program on your machine:\n\nsh "a b"\n\nRuns in the sandbox: it can change files in the open folders, and can’t read your keys. It can connect to these hosts: api.example.com. ' +
          'Ignored sandbox settings in its definition: filesystem.allowWrite: ~/elsewhere.\n\nDefined in .vscode/mcp.json. Hermes asks again if the definition changes.',
      },
    ]);
    expect([await where(), machine.confined]).toEqual([
      ['confined'],
      [
        {
          command: "exec 'sh' 'a b'",
          hosts: ['api.example.com'],
          folder,
          denyRead: [],
          denyWrite: [],
          aside: expect.stringMatching(/storage\/taken-out\/\w+$/),
        },
      ],
    ]);
  });

  it('does not hold a server whose definition opts out, after the user has seen and chosen that', async () => {
    repo({ sandboxEnabled: false });
    await reviewed('Trust and Run Without the Sandbox');
    expect(editor.questions).toEqual([
      expect.objectContaining({
        detail: expect.stringContaining('Not in the sandbox: set in its definition. Runs with your permissions.'),
        choices: ['Trust and Run in the Sandbox', 'Trust and Run Without the Sandbox'],
      }),
    ]);
    expect(await where()).toEqual(['sh']);
  });

  it('holds a server that opts out if the user chose the sandbox instead, also in the next window', async () => {
    repo({ sandboxEnabled: false });
    (await reviewed('Trust and Run in the Sandbox')).dispose();
    await names(open());
    expect([await where(), editor.questions.length]).toEqual([['confined', 'confined'], 1]);
  });

  it('needs another review if the definition changes what it says about the sandbox', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    repo({ sandboxEnabled: false });
    expect(await names(open())).toEqual([]);
    expect([await where(), service?.all.map(({ hasChanged }) => hasChanged)]).toEqual([['confined'], [true]]);
  });

  it('if missing, is reported in the review with what helps; the server then runs without it', async () => {
    machine.sandbox = missing;
    repo();
    await reviewed('Trust and Start');
    expect(editor.questions[0]?.detail).toContain(
      'Not in the sandbox: bubblewrap (bwrap) not installed. Runs with your permissions. Install bubblewrap.',
    );
    expect(await where()).toEqual(['sh']);
  });

  it('if lost after a server was trusted in it, keeps the server from starting, and says what can be done', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    machine.sandbox = missing;
    const next = open();
    expect(await names(next)).toEqual([]);
    expect([await where(), sentences(next)]).toEqual([
      ['confined'],
      [
        'You trusted it to run in the sandbox, and there is none: bubblewrap (bwrap) not installed. Install bubblewrap. Or choose Run Without the Sandbox under Manage MCP Servers…',
      ],
    ]);
  });

  it('if it fails while a server starts, keeps the server from starting', async () => {
    machine.refusal = 'its helper has ended';
    repo();
    const opened = await reviewed('Trust and Start');
    expect([await where(), sentences(opened)]).toEqual([
      [],
      [expect.stringContaining('The sandbox does not hold it, so it was not started: its helper has ended.')],
    ]);
  });

  it("if required, keeps a folder's server from starting without it, whatever the user chose before", async () => {
    machine.sandbox = missing;
    repo();
    (await reviewed('Trust and Start')).dispose();
    machine.isRequired = true;
    const next = open();
    expect([await names(next), await where(), sentences(next)]).toEqual([
      [],
      ['sh'],
      [
        'Only servers in the sandbox may run here (hermes.terminal.sandbox), and there is none: bubblewrap (bwrap) not installed. Install bubblewrap.',
      ],
    ]);
  });

  it('if required, is the only way to trust a server whose definition opts out', async () => {
    machine.isRequired = true;
    repo({ sandboxEnabled: false });
    await reviewed('Trust and Run in the Sandbox');
    expect(editor.questions).toEqual([expect.objectContaining({ choices: ['Trust and Run in the Sandbox'] })]);
    expect(await where()).toEqual(['confined']);
  });

  it('takes in a server trusted before the sandbox existed, without a question, and lets it run if there is no sandbox', async () => {
    repo();
    (await reviewed('Trust and Start')).dispose();
    const [id, { fingerprint }] = Object.entries(
      kept.get('mcp.trusted') as Record<string, { readonly fingerprint: string }>,
    )[0] ?? ['', { fingerprint: '' }];
    kept.set('mcp.trusted', { [id]: fingerprint });
    await names(open());
    service?.dispose();
    machine.sandbox = missing;
    await names(open());
    expect([await where(), editor.questions.length]).toEqual([['confined', 'confined', 'sh'], 1]);
  });

  it("does not hold the user's own servers unless they request it", async () => {
    editor.setting = { servers: { plain: { command: 'plain' }, held: { command: 'sh', sandboxEnabled: true } } };
    expect(await names(open())).toEqual(['mcp_plain_x', 'mcp_held_x']);
    expect([await where(), machine.confined.map(({ command }) => command)]).toEqual([
      ['plain', 'confined'],
      ["exec 'sh'"],
    ]);
  });

  it('is shown for each server in the list, and chosen there: running without it only after a question', async () => {
    repo();
    const opened = await reviewed('Trust and Start');
    const manage = opened.commands.manageMcpServers;
    if (manage === undefined) throw new Error('no command');
    editor.picks = ['repo', 'Run Without the Sandbox…'];
    editor.answers = [undefined];
    await manage();
    expect([
      editor.lists[0]?.slice(0, 1).map(({ description }) => description),
      editor.lists[1]?.map(({ label }) => label),
    ]).toEqual([
      ['running · 1 tool · in the sandbox'],
      ['Restart', 'Stop', 'Show Tools', 'Run Without the Sandbox…', 'Show Log', 'Open Definition', 'Forget'],
    ]);
    expect(await where()).toEqual(['confined']);
    editor.picks = ['repo', 'Run Without the Sandbox…'];
    editor.answers = ['Run Without the Sandbox'];
    await manage();
    await vi.waitFor(async () => expect(await where()).toEqual(['confined', 'sh']));
    expect(editor.questions.slice(1)).toEqual(
      Array.from({ length: 2 }, () => ({
        sentence: 'Run the MCP server “repo” without the sandbox?',
        detail: expect.stringMatching(/^sh "a b"\n\nIt can read and change anything you can/),
        choices: ['Run Without the Sandbox'],
      })),
    );
    await vi.waitFor(() => expect(machine.ended).toBe(1));
    editor.lists = [];
    editor.picks = ['repo', 'Run in the Sandbox'];
    await manage();
    expect(editor.lists[0]?.slice(0, 1).map(({ description }) => description)).toEqual([
      'running · 1 tool · not in the sandbox: your choice',
    ]);
    await vi.waitFor(async () => expect(await where()).toEqual(['confined', 'sh', 'confined']));
  });

  it("chosen for a user's own server survives a changed definition; the choice to run without it does not", async () => {
    const own = (args: readonly string[], over: object) =>
      (editor.setting = { servers: { mine: { command: 'sh', args, ...over } } });
    const choose = async (from: McpHost, pick: string): Promise<void> => {
      editor.picks = ['mine', pick];
      editor.answers = ['Run Without the Sandbox'];
      await from.commands.manageMcpServers?.();
      await pause();
      from.dispose();
    };
    own(['1'], { sandboxEnabled: true });
    const first = open();
    await names(first);
    await choose(first, 'Run Without the Sandbox…');
    own(['2'], { sandboxEnabled: true });
    const second = open();
    await names(second);
    second.dispose();
    own(['3'], {});
    const third = open();
    await names(third);
    await choose(third, 'Run in the Sandbox');
    own(['4'], {});
    const fourth = open();
    await names(fourth);
    // It can be taken back.
    await choose(fourth, 'Forget');
    await names(open());
    expect(await where()).toEqual(['confined', 'sh', 'confined', 'sh', 'confined', 'confined', 'sh']);
  });

  it('says in the list what it blocked for a server; a blocked host can be allowed there', async () => {
    repo();
    const opened = await reviewed('Trust and Start');
    const manage = opened.commands.manageMcpServers;
    if (manage === undefined) throw new Error('no command');
    machine.stopped = ['connect to api.example.com', 'write to ~/x'];
    const [tool] = await opened.tools(new AbortController().signal);
    const bound = tool?.bind({});
    if (bound?.kind !== 'ready') throw new Error('no tool');
    const { text } = await bound.run(new AbortController().signal, aToolCall());
    expect(text).toContain('The sandbox kept the server from this: connect to api.example.com; write to ~/x.');
    editor.picks = ['repo', 'Allow It to Connect to api.example.com'];
    await manage();
    expect(editor.lists[0]?.slice(0, 1).map(({ description }) => description)).toEqual([
      'running · 1 tool · in the sandbox · blocked by the sandbox: connect to api.example.com; write to ~/x',
    ]);
    await vi.waitFor(() => expect(machine.confined.map(({ hosts }) => hosts)).toEqual([[], ['api.example.com']]));
  });
});
