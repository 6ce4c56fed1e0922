import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { McpLaunch } from '../../../../../src/features/mcp/core/mcpConnection';
import { planFor, realServers, referenceServer, runTool, type ServersInTest, until } from './servers';

let world: ServersInTest | null = null;
let server: ChildProcess | null = null;
let port = 0;

beforeEach(async () => {
  port = await freePort();
});
afterEach(async () => {
  await world?.close();
  world = null;
  await down();
});

async function freePort(): Promise<number> {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  await new Promise((resolve) => listening.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function up(kind: 'streamableHttp' | 'sse' = 'streamableHttp'): Promise<void> {
  server = spawn(process.execPath, [referenceServer('everything'), kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  await until(() => /listening|running|port/i.test(said), `the server to be up; it said: ${said}`);
}

async function down(): Promise<void> {
  const ending = server;
  server = null;
  if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
  const ended = new Promise((resolve) => ending.once('exit', resolve));
  ending.kill('SIGKILL');
  await ended;
}

const at = (path: string, kind: 'http' | 'sse' = 'http'): McpLaunch => ({
  kind,
  url: `http://127.0.0.1:${port}${path}`,
  headers: {},
});

describe('server-everything over HTTP', () => {
  it('is listed and called; when it was restarted meanwhile, the next call works', async () => {
    await up();
    world = realServers([planFor('web', at('/mcp'))]);
    const echo = await world.tool('mcp_web_echo');
    expect(await runTool(echo, { message: 'one' })).toMatchObject({ outcome: 'done', text: 'Echo: one' });
    await down();
    await up();
    expect(await runTool(echo, { message: 'two' })).toMatchObject({ outcome: 'done', text: 'Echo: two' });
  });

  it('down: the call has failed; up again: the next one works', async () => {
    await up();
    world = realServers([planFor('web', at('/mcp'))]);
    const echo = await world.tool('mcp_web_echo');
    await down();
    expect(await runTool(echo, { message: 'nobody' })).toMatchObject({
      outcome: 'failed',
      text: expect.stringMatching(/did not run|may have run/),
    });
    await up();
    await until(() => world?.servers.find('web')?.state.kind !== 'starting', 'a try to end');
    expect(await runTool(echo, { message: 'back' })).toMatchObject({ outcome: 'done', text: 'Echo: back' });
  });

  it('lost in the middle of a call: the call has failed and may have run', async () => {
    await up();
    world = realServers([planFor('web', at('/mcp'))]);
    const notes: unknown[] = [];
    const running = runTool(
      await world.tool('mcp_web_trigger-long-running-operation'),
      { duration: 60, steps: 300 },
      new AbortController().signal,
      { report: (progress) => notes.push(progress) },
    );
    await until(() => notes.length > 0, 'progress');
    await down();
    expect(await running).toMatchObject({ outcome: 'failed', text: expect.stringContaining('may have run') });
  });

  it('down when it is first needed: the turn runs without it, and a later one has its tools', async () => {
    world = realServers([planFor('web', at('/mcp'))]);
    expect(await world.servers.tools(new AbortController().signal)).toEqual([]);
    expect(world.servers.find('web')?.state).toMatchObject({
      kind: 'waiting',
      sentence: 'Can’t reach this address (connection refused).',
    });
    await up();
    expect(await runTool(await world.tool('mcp_web_echo'), { message: 'late' })).toMatchObject({ text: 'Echo: late' });
  });

  it('an older server that speaks only SSE is reached too', async () => {
    await up('sse');
    world = realServers([planFor('web', at('/sse', 'sse'))]);
    expect(await runTool(await world.tool('mcp_web_echo'), { message: 'old' })).toMatchObject({ text: 'Echo: old' });
  });
});
