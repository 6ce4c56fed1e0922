import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../../src/base/log';
import type {
  ConnectMcp,
  McpAnswer,
  McpConnected,
  McpConnectionEvents,
  McpListedTool,
  McpResult,
} from '../../../../../src/features/mcp/core/mcpConnection';
import type { McpServerPlan } from '../../../../../src/features/mcp/core/mcpServer';
import { McpServers } from '../../../../../src/features/mcp/core/mcpServers';
import { ManualClock } from '../../../../support/manualClock';
import { noSignIn, onlyTools, runTool } from './servers';

const plain = (name: string): McpListedTool => ({
  name,
  title: null,
  description: '',
  inputSchema: { type: 'object' },
  readOnly: false,
});

/** Servers without processes: tries are answered by the test, in order. */
function scriptedWorld(names: readonly string[] = ['s']) {
  const clock = new ManualClock();
  const tries: {
    readonly answer: (connected: McpConnected) => void;
    readonly events: McpConnectionEvents;
    readonly signal: AbortSignal;
  }[] = [];
  const calls: ((answer: McpAnswer<McpResult>) => void)[] = [];
  const lines: string[] = [];
  const connect: ConnectMcp = (_launch, events, { signal }) =>
    new Promise((answer) => tries.push({ answer, events, signal }));
  const log = { ...silentLog, warn: (line: string) => void lines.push(line) };
  const servers = new McpServers({ connect: async () => connect, signIn: noSignIn, roots: () => [], clock, log });
  const plan = (name: string): McpServerPlan => ({
    id: name,
    name,
    fingerprint: '1',
    launch: async () => ({ kind: 'ready', launch: { kind: 'http', url: 'http://x', headers: {} }, secrets: [] }),
  });
  servers.use(names.map(plan));
  const up = (tools: readonly McpListedTool[]): McpConnected => ({
    kind: 'connected',
    connection: {
      ...onlyTools,
      listTools: async () => ({ kind: 'ok', value: tools }),
      callTool: () => new Promise((resolve) => calls.push(resolve)),
      rootsChanged: () => undefined,
      close: async () => undefined,
      kill: () => undefined,
    },
  });
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return { clock, tries, calls, lines, servers, up, pause, signal: new AbortController().signal };
}

const down = (again: boolean): McpConnected => ({ kind: 'failed', sentence: 'Nobody there.', again, signIn: false });

describe('a turn', () => {
  it('waits five seconds for starting servers, once, and then continues without them', async () => {
    const { clock, tries, servers, up, pause, signal } = scriptedWorld();
    const first = servers.tools(signal);
    await pause();
    await clock.advance(4999);
    expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await first).toEqual([]);
    expect(servers.late).toEqual(['s']);
    expect(await servers.tools(signal)).toEqual([]);
    tries[0]?.answer(up([plain('late')]));
    await pause();
    expect((await servers.tools(signal)).map(({ name }) => name)).toEqual(['mcp_s_late']);
    expect([servers.late, tries.length]).toEqual([[], 1]);
  });

  it('waits longer for a server whose tool it calls at once, and for no other', async () => {
    const { clock, tries, servers, up, pause, signal } = scriptedWorld(['my server', 'other']);
    const gathered = servers.tools(signal, ['read_file', 'mcp_my_server_look']);
    await pause();
    await clock.advance(29_999);
    const waiting = await Promise.race([gathered.then(() => 'went without'), Promise.resolve('waiting')]);
    tries[0]?.answer(up([plain('look')]));
    const names = (await gathered).map(({ name }) => name);
    expect({ waiting, names, late: servers.late }).toEqual({
      waiting: 'waiting',
      names: ['mcp_my_server_look'],
      late: ['other'],
    });
  });

  it('that is stopped while it waits stops waiting', async () => {
    const { servers, pause } = scriptedWorld();
    const stop = new AbortController();
    const tools = servers.tools(stop.signal);
    await pause();
    stop.abort(new Error('stopped'));
    await expect(tools).rejects.toThrow('stopped');
  });

  it('has the tools of all servers in definition order, by name within one; tools no model can use are omitted and logged', async () => {
    const { tries, lines, servers, up, pause, signal } = scriptedWorld(['b', 'a']);
    const tools = servers.tools(signal);
    await pause();
    tries[0]?.answer(
      up([
        plain('z'),
        plain('y'),
        { ...plain('bad'), inputSchema: { type: 'string' } },
        { ...plain('none'), inputSchema: null },
        { ...plain('odd'), inputSchema: { type: 'object', properties: [] } },
      ]),
    );
    tries[1]?.answer(up([plain('x')]));
    expect((await tools).map(({ name }) => name)).toEqual(['mcp_b_y', 'mcp_b_z', 'mcp_a_x']);
    await servers.tools(signal);
    expect(lines).toEqual([
      'The tool bad of the MCP server b is left out: its schema does not describe an object.',
      'The tool none of the MCP server b is left out: its schema does not describe an object.',
      'The tool odd of the MCP server b is left out: its schema has properties that are no object.',
    ]);
  });
});

describe('a server that cannot be reached', () => {
  it('is tried again five times, later and later, and then has failed, until a turn a minute later', async () => {
    const { clock, tries, servers, pause, signal } = scriptedWorld();
    void servers.tools(signal);
    for (const delay of [1000, 2000, 4000, 8000, 16_000]) {
      await pause();
      const before = tries.length;
      tries.at(-1)?.answer(down(true));
      await pause();
      expect(servers.find('s')?.state).toMatchObject({ kind: 'waiting', sentence: 'Nobody there.' });
      await clock.advance(delay - 1);
      expect(tries.length).toBe(before);
      await clock.advance(1);
    }
    await pause();
    tries.at(-1)?.answer(down(true));
    await pause();
    expect(servers.find('s')?.state).toMatchObject({ kind: 'failed', sentence: 'Nobody there.', again: true });
    expect([await servers.tools(signal), tries.length]).toEqual([[], 6]);
    await clock.advance(60_000);
    void servers.tools(signal);
    await pause();
    expect(tries.length).toBe(7);
  });

  it('for a permanent reason is not retried automatically', async () => {
    const { clock, tries, servers, pause, signal } = scriptedWorld();
    void servers.tools(signal);
    await pause();
    tries[0]?.answer(down(false));
    await pause();
    await clock.advance(600_000);
    expect(await servers.tools(signal)).toEqual([]);
    expect([servers.find('s')?.state.kind, tries.length]).toEqual(['failed', 1]);
  });

  it('that is stopped meanwhile stays stopped', async () => {
    const { clock, tries, servers, up, pause, signal } = scriptedWorld();
    void servers.tools(signal);
    await pause();
    await servers.find('s')?.stop(true);
    tries[0]?.answer(up([plain('x')]));
    await pause();
    await clock.advance(600_000);
    expect([servers.find('s')?.state, tries[0]?.signal.aborted, await servers.tools(signal)]).toEqual([
      { kind: 'stopped', byPerson: true },
      true,
      [],
    ]);
  });
});

describe('a call', () => {
  it('that the server certainly did not take is sent once more over a new connection', async () => {
    const { tries, calls, servers, up, pause, signal } = scriptedWorld();
    const tools = servers.tools(signal);
    await pause();
    tries[0]?.answer(up([plain('x')]));
    const [tool] = await tools;
    if (tool === undefined) throw new Error('no tool');
    const output = runTool(tool, {});
    await pause();
    calls[0]?.({ kind: 'failed', cause: 'lost', sentence: 'Session unknown.', mayHaveRun: false });
    await pause();
    tries[1]?.answer(up([plain('x')]));
    await pause();
    calls[1]?.({ kind: 'ok', value: { isError: false, content: [{ kind: 'text', text: 'done' }], structured: null } });
    expect(await output).toMatchObject({ outcome: 'done', text: 'done' });
  });

  it('that may have run is never repeated', async () => {
    const { tries, calls, servers, up, pause, signal } = scriptedWorld();
    const tools = servers.tools(signal);
    await pause();
    tries[0]?.answer(up([plain('x')]));
    const [tool] = await tools;
    if (tool === undefined) throw new Error('no tool');
    const output = runTool(tool, {});
    await pause();
    calls[0]?.({ kind: 'failed', cause: 'lost', sentence: 'It ended.', mayHaveRun: true });
    expect(await output).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining('It ended. The call may have run'),
    });
    expect(calls.length).toBe(1);
  });
});
