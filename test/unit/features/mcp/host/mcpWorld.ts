import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import { McpHost } from '../../../../../src/features/mcp/host/mcpHost';
import type { Offer } from '../../../../../src/host/storage/storeLabels';
import type { WindowContext } from '../../../../../src/host/window/windowContext';
import type { ConfineOptions, Confinement } from '../../../../../src/tools/sandbox/confinement';
import type { SandboxState } from '../../../../../src/transcript/sandboxState';
import { RecordingLog } from '../../../host/recordingLog';
import { begun, editor, Uri } from './mcpEditor';

/** A client that starts nothing and notes what it was asked to start. A launch with "broken" in it fails. */
const recordingBundle = `
exports.started = [];
exports.createMcpClient = () => ({ connect: async (launch, events) => {
  exports.started.push(launch);
  if (JSON.stringify(launch).includes('broken')) {
    events.onLogLine('no such package');
    return { kind: 'failed', sentence: 'The program ended with code 1.', again: false, signIn: false };
  }
  return { kind: 'connected', connection: { listTools: async () => ({ kind: 'ok', value: [{ name: 'x', title: null, description: '', inputSchema: { type: 'object' }, readOnly: false }] }), callTool: async () => ({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true }), listOffers: async () => ({ kind: 'ok', value: { prompts: [], resources: [], templates: [] } }), rootsChanged() {}, close: async () => {}, kill() {} } };
} });`;

const quiet = () => ({
  sandbox: { kind: 'works' } as SandboxState,
  isRequired: false,
  refusal: null as string | null,
  stopped: [] as readonly string[],
  confined: new Array<ConfineOptions & { readonly command: string }>(),
  ended: 0,
});

/** The sandbox of this machine, which holds nothing here: it notes what it was to hold. */
export const machine = quiet();
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
      danger: new AbortController().signal,
      unreadIn: () => [],
      stopped: async () => machine.stopped,
      ended: async () => (
        machine.ended++,
        { stopped: machine.stopped, takenOut: [], aside: options.aside, left: [], wasEnded: false }
      ),
    };
  },
};

export let folder = '';
/** Tools of the agent besides those of servers. */
export const otherTools = { length: 20 };
export let offers: readonly Offer[] = [];
/** Workspace storage and secret storage of the editor. */
export const [kept, secrets] = [new Map<string, unknown>(), new Map<string, string>()];
let hosts: readonly McpHost[] = [];
let home: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-mcp-'));
  mkdirSync(join(folder, '.vscode'));
  home = process.env['HOME'];
  process.env['HOME'] = join(folder, 'home');
  writeFileSync(join(folder, 'mcp.js'), recordingBundle);
  Object.assign(editor, begun(), { folder });
  Object.assign(machine, quiet());
  kept.clear();
  secrets.clear();
});
afterEach(() => {
  for (const host of hosts) host.dispose();
  hosts = [];
  if (home === undefined) delete process.env['HOME'];
  else process.env['HOME'] = home;
  rmSync(folder, { recursive: true, force: true });
});

export const file = (): string => join(folder, '.vscode', 'mcp.json');

/** The servers of a window that is opened now. */
export function open(): McpHost {
  const workspaceState = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
  const secretStorage = {
    get: async (key: string) => secrets.get(key),
    store: async (key: string, value: string) => void secrets.set(key, value),
    delete: async (key: string) => void secrets.delete(key),
    onDidChange: () => ({ dispose: () => undefined }),
  };
  const host = new McpHost({
    context: {
      workspaceState,
      globalState: workspaceState,
      secrets: secretStorage,
      globalStorageUri: Uri.file(join(folder, 'global')),
      extension: { id: 'hermes.test', packageJSON: { version: '1.2.3' } },
    },
    distFolder: folder,
    terminal: { confinement },
    history: {
      folder: join(folder, 'storage'),
      status: { offer: (_about: string, next: readonly Offer[]) => (offers = next) },
    },
    tools: { names: otherTools },
    clock: systemClock,
    log: new RecordingLog(),
  } as unknown as WindowContext);
  hosts = [...hosts, host];
  return host;
}

/** What the client was asked to start, in order. */
export function started(): readonly {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Record<string, string>;
}[] {
  return createRequire(join(folder, 'x.js'))('./mcp.js').started;
}
