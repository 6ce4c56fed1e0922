import { describe, expect, it } from 'vitest';
import type { ConfinedRun } from '../../../../../src/tools/sandbox/confinement';
import { connectingConfined } from '../../../../../src/features/mcp/core/confinedConnect';
import type {
  ConnectMcp,
  McpAnswer,
  McpConnected,
  McpConnection,
  McpConnectionEvents,
  McpLaunch,
  McpResult,
} from '../../../../../src/features/mcp/core/mcpConnection';
import { onlyTools } from './servers';

const launch: McpLaunch = {
  kind: 'stdio',
  command: 'sh',
  args: ['server'],
  environment: { A: 'b', PATH: '/usr/bin:/bin' },
  folder: '/repo',
  confined: { hosts: ['a.example.com'], denyRead: ['/repo/p'], denyWrite: [], folders: [] },
};
const options = { signal: new AbortController().signal, timeoutMs: 1 };
const callOptions = {
  signal: options.signal,
  onProgress: () => undefined,
  onAsked: async () => ({ action: 'cancel' as const }),
  silenceMs: 1,
  totalMs: 1,
};

/** A connection without a process, in a sandbox that holds nothing and says what the test makes it say. */
function confinedWorld(
  answer: McpAnswer<McpResult> = { kind: 'ok', value: { isError: false, content: [], structured: null } },
) {
  const told: string[] = [];
  const launched: McpLaunch[] = [];
  const state = { stopped: [] as readonly string[], ended: 0, killed: 0, given: null as unknown };
  const danger = new AbortController();
  const run: ConfinedRun = {
    program: 'bwrap',
    args: ['x'],
    danger: danger.signal,
    unreadIn: () => [],
    stopped: async () => state.stopped,
    ended: async () => (
      state.ended++,
      { stopped: state.stopped, takenOut: [], aside: '/aside', left: [], wasEnded: danger.signal.aborted }
    ),
  };
  const events: McpConnectionEvents = {
    onClosed: () => undefined,
    onToolsChanged: () => undefined,
    onOffersChanged: () => undefined,
    onResourceUpdated: () => undefined,
    onLogLine: () => undefined,
    roots: () => [],
    onStopped: (words) => void told.push(...words),
  };
  const connection: McpConnection = {
    ...onlyTools,
    listTools: async () => ({ kind: 'ok', value: [] }),
    callTool: async () => answer,
    rootsChanged: () => undefined,
    close: async () => undefined,
    kill: () => void state.killed++,
  };
  const connect = (connected: McpConnected = { kind: 'connected', connection }) => {
    const plain: ConnectMcp = async (given) => (launched.push(given), connected);
    const confine: Parameters<typeof connectingConfined>[1]['confine'] = async (command, shell, given) => (
      (state.given = { command, shell, ...given }),
      run
    );
    return connectingConfined(plain, { confine }, () => '/aside');
  };
  return { told, launched, state, danger, events, connect };
}

async function connected(world: ReturnType<typeof confinedWorld>): Promise<McpConnection> {
  const found = await world.connect()(launch, world.events, options);
  if (found.kind !== 'connected') throw new Error(found.sentence);
  return found.connection;
}

describe('a server in the sandbox', () => {
  it('is killed when something appears that makes Git run a program, and says so', async () => {
    const world = confinedWorld();
    await connected(world);
    const before = world.state.killed;
    world.danger.abort();
    expect([before, world.state.killed, world.told]).toEqual([0, 1, ['make Git run a program']]);
  });

  it('is killed at once when that appeared while it started', async () => {
    const world = confinedWorld();
    world.danger.abort();
    await connected(world);
    expect(world.state.killed).toBe(1);
  });

  it('is started by the wrapped command line, with its own variables and folder', async () => {
    const world = confinedWorld();
    await connected(world);
    expect([world.launched, world.state.given]).toEqual([
      [{ ...launch, command: 'bwrap', args: ['x'] }],
      {
        command: "exec 'sh' 'server'",
        shell: '/bin/sh',
        hosts: ['a.example.com'],
        folder: '/repo',
        aside: '/aside',
        denyRead: ['/repo/p'],
        denyWrite: [],
      },
    ]);
  });

  it('whose program is missing is not started, and is not tried again', async () => {
    const world = confinedWorld();
    for (const command of ['no-such-program', './no-such-program', '/no-such-program']) {
      expect(await world.connect()({ ...launch, command }, world.events, options)).toEqual({
        kind: 'failed',
        sentence: 'The program was not found. Check "command", and whether it is installed and on the PATH.',
        again: false,
        signIn: false,
      });
    }
    expect([world.launched, world.state.given]).toEqual([[], null]);
  });

  it('ends once, however it is ended', async () => {
    const world = confinedWorld();
    const connection = await connected(world);
    await Promise.all([connection.close(), connection.close()]);
    connection.kill();
    await connection.close();
    expect(world.state.ended).toBe(1);
  });

  it('that does not start ends once, and its failure names the blocked accesses', async () => {
    const world = confinedWorld();
    world.state.stopped = ['connect to b.example.com'];
    expect(
      await world.connect({ kind: 'failed', sentence: 'It ended.', again: true, signIn: false })(
        launch,
        world.events,
        options,
      ),
    ).toEqual({
      kind: 'failed',
      sentence:
        'It ended. The sandbox kept the server from this: connect to b.example.com. It ran in the sandbox: under Manage MCP Servers… you can allow it hosts, or have it run without.',
      again: true,
      signIn: false,
    });
    expect(world.state.ended).toBe(1);
  });

  it('reports each blocked access once', async () => {
    const world = confinedWorld({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true });
    const connection = await connected(world);
    world.state.stopped = ['write to ~/a'];
    const first = await connection.callTool('x', {}, callOptions);
    const second = await connection.callTool('x', {}, callOptions);
    await connection.close();
    expect([first, second, world.told]).toEqual([
      {
        kind: 'failed',
        cause: 'refused',
        sentence: 'No. The sandbox kept the server from this: write to ~/a.',
        mayHaveRun: true,
      },
      { kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true },
      ['write to ~/a'],
    ]);
  });

  it('passes a block that another call found meanwhile to the call that failed', async () => {
    const world = confinedWorld({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true });
    const connection = await connected(world);
    const both = [connection.callTool('x', {}, callOptions), connection.callTool('y', {}, callOptions)];
    world.state.stopped = ['write to ~/a'];
    const sentence = 'No. The sandbox kept the server from this: write to ~/a.';
    expect([await Promise.all(both), world.told]).toEqual([
      [expect.objectContaining({ sentence }), expect.objectContaining({ sentence })],
      ['write to ~/a'],
    ]);
  });

  it('that is blocked from ever more things reports a hundred of them, and the latest in a sentence', async () => {
    const world = confinedWorld({ kind: 'failed', cause: 'refused', sentence: 'No.', mayHaveRun: true });
    const connection = await connected(world);
    world.state.stopped = Array.from({ length: 70 }, (_, index) => `write to ~/${index}`);
    await connection.callTool('x', {}, callOptions);
    world.state.stopped = Array.from({ length: 300 }, (_, index) => `write to ~/${index}`);
    expect(await connection.callTool('x', {}, callOptions)).toMatchObject({
      sentence:
        'No. The sandbox kept the server from this: write to ~/95; write to ~/96; write to ~/97; write to ~/98; write to ~/99.',
    });
    expect(world.told.length).toBe(100);
  });

  it('leaves the result of a successful call unchanged', async () => {
    const world = confinedWorld();
    world.state.stopped = ['write to ~/a'];
    expect(await (await connected(world)).callTool('x', {}, callOptions)).toEqual({
      kind: 'ok',
      value: { isError: false, content: [], structured: null },
    });
  });
});

it('other servers are started as they are', async () => {
  const world = confinedWorld();
  const others: readonly McpLaunch[] = [
    { ...launch, confined: null },
    { kind: 'http', url: 'http://x', headers: {} },
  ];
  for (const other of others) await world.connect()(other, world.events, options);
  expect([world.launched, world.state.given]).toEqual([others, null]);
});
