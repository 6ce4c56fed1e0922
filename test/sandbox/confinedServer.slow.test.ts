import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { systemClock } from '../../src/base/clock';
import { connectingConfined } from '../../src/features/mcp/core/confinedConnect';
import type { McpConfined, McpLaunch } from '../../src/features/mcp/core/mcpConnection';
import { McpServers } from '../../src/features/mcp/core/mcpServers';
import { readServerFile } from '../../src/features/mcp/core/serverFile';
import { placeOf } from '../../src/features/mcp/core/serverPlace';
import { serverPlan } from '../../src/features/mcp/core/serverPlan';
import { SandboxWorld } from '../support/sandboxWorld';
import { noSignIn, planFor, referenceServer, runTool, testClient, until } from '../unit/features/mcp/core/servers';
import { RecordingLog } from '../unit/host/recordingLog';

const probing = fileURLToPath(new URL('../mcp/probingServer.mjs', import.meta.url));
const selfSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ words: v.array(v.string()), folder: v.string(), environment: v.record(v.string(), v.string()) }),
);
const plain: McpConfined = { hosts: [], denyRead: [], denyWrite: [], folders: [] };

describe('an MCP server', { timeout: 60_000 }, () => {
  let world: SandboxWorld;
  let listening: Server;
  let port = 0;
  let reached = 0;
  let servers: McpServers | null = null;
  let log = new RecordingLog();
  let asides = 0;
  beforeAll(async () => {
    world = await SandboxWorld.start();
    spawnSync('git', ['init', '-q'], { cwd: world.project });
    world.write(join(world.home, '.ssh/id_rsa'), 'canary');
    world.write('notes.txt', 'of the project');
    listening = createServer((socket) => (reached++, socket.end('reached'))).listen(0, '127.0.0.1');
    await new Promise((resolve) => listening.once('listening', resolve));
    const address = listening.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(async () => {
    await servers?.close();
    servers = null;
  });
  afterAll(() => {
    listening.close();
    world.dispose();
  });

  function launchOf(
    confined: McpConfined | null,
    {
      args = [probing],
      env = {},
      command = process.execPath,
    }: { readonly args?: readonly string[]; readonly env?: Record<string, string>; readonly command?: string } = {},
  ): McpLaunch {
    return {
      kind: 'stdio',
      command,
      args,
      environment: { PATH: process.env['PATH'] ?? '', HOME: world.home, ...env },
      folder: world.project,
      confined,
    };
  }

  /** One server, started; what its tools say. */
  async function start(
    launch: McpLaunch,
  ): Promise<{ readonly call: (tool: string, input?: object) => Promise<string>; readonly names: readonly string[] }> {
    log = new RecordingLog();
    const connect = connectingConfined(testClient().connect, world.confinement, () => `${world.aside}-${++asides}`);
    const pool = (servers = new McpServers({
      connect: async () => connect,
      signIn: noSignIn,
      roots: () => [],
      clock: systemClock,
      log,
    }));
    pool.use([planFor('s', launch)]);
    const { signal } = new AbortController();
    await pool.tools(signal);
    await until(() => pool.find('s')?.state.kind !== 'starting', 'the server to be up');
    const tools = await pool.tools(signal);
    return {
      names: tools.map(({ name }) => name),
      call: async (name, input = {}) => {
        const tool = tools.find((each) => each.name === `mcp_s_${name}`);
        if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(pool.find('s')?.state)}`);
        return (await runTool(tool, input)).text;
      },
    };
  }

  describe.each([
    { where: 'inside', confined: plain, isInside: true },
    { where: 'outside', confined: null, isInside: false },
  ])('$where', ({ confined, isInside }) => {
    const kept = isInside ? 'is kept from' : 'can, so that this would be seen:';

    it('lists and runs its tools', async () => {
      const { names, call } = await start(launchOf(confined, { args: [referenceServer('everything'), 'stdio'] }));
      expect(names.length).toBeGreaterThanOrEqual(10);
      expect(await call('echo', { message: 'hello' })).toBe('Echo: hello');
    });

    it(`${kept} reading keys`, async () => {
      const { call } = await start(launchOf(confined));
      expect(await call('read', { path: 'notes.txt' })).toBe('of the project');
      expect((await call('read', { path: join(world.home, '.ssh/id_rsa') })) === 'canary').toBe(!isInside);
    });

    it(`${kept} writing what Git runs`, async () => {
      const { call } = await start(launchOf(confined));
      expect(await call('write', { path: 'src/a.ts', text: 'a' })).toBe('written');
      const hook = `.git/hooks/pre-commit-${isInside ? 'inside' : 'outside'}`;
      const said = await call('write', { path: hook, text: 'evil' });
      expect([said === 'written', existsSync(join(world.project, hook))]).toEqual([!isInside, !isInside]);
    });

    it(`${kept} reaching a port of this machine`, async () => {
      const before = reached;
      const { call } = await start(launchOf(confined));
      expect([(await call('reach', { port })) === 'reached', reached > before]).toEqual([!isInside, !isInside]);
    });
  });

  it('inside receives every word unchanged, its own variables, and its folder', async () => {
    const words = [
      '',
      ' ',
      'two words',
      `it's`,
      '"',
      '$HOME',
      '`id`',
      '$(id)',
      'a\nb\n',
      '\\',
      '\\\\n',
      '*',
      '~',
      '!x',
      '#',
      ';&|<>(){}[]',
      '-',
      '--',
      '\t',
      'größe',
      '\u{1f600}',
      "'\\''",
      '%s',
      'x'.repeat(20_000),
    ];
    const { call } = await start(
      launchOf(plain, { args: [probing, ...words], env: { GIVEN: `a'b"c $d\ne`, API_TOKEN: 'given by name' } }),
    );
    const self = v.parse(selfSchema, await call('self'));
    expect(self.words).toEqual(words);
    expect([self.folder, self.environment['GIVEN'], self.environment['API_TOKEN'], self.environment['HOME']]).toEqual([
      world.project,
      `a'b"c $d\ne`,
      'given by name',
      world.home,
    ]);
  });

  it('inside is run by its name from the PATH, and not as a shell builtin of that name', async () => {
    for (const name of ['echo', 'a b']) {
      world.write(join(world.home, 'bin', name), `#!/bin/sh\nexec '${process.execPath}' '${probing}' "$@"\n`);
      spawnSync('chmod', ['+x', join(world.home, 'bin', name)]);
      const { call } = await start(
        launchOf(plain, {
          command: name,
          args: ['x'],
          env: { PATH: `${join(world.home, 'bin')}:${process.env['PATH'] ?? ''}` },
        }),
      );
      expect(v.parse(selfSchema, await call('self')).words).toEqual(['x']);
      await servers?.close();
    }
  });

  it('inside reaches no host that it does not name: its state and its failed call report it', async () => {
    const { call } = await start(launchOf({ ...plain, hosts: ['named.example.org'] }));
    const said = await call('run', {
      command: 'curl -sS -m 8 https://other.example.org/; curl -sS -m 8 https://named.example.org/',
    });
    await until(() => (servers?.find('s')?.stoppedBySandbox.length ?? 0) > 0, 'the sandbox to tell');
    expect([
      servers?.find('s')?.stoppedBySandbox,
      log.lines.join('\n').includes('The sandbox kept the MCP server s from this: connect to other.example.org.'),
      said.includes('named.example.org:'),
    ]).toEqual([['connect to other.example.org'], true, false]);
    let failed = '';
    // On a busy machine the report comes after the first of them.
    for (let again = 0; again < 20 && !failed.includes('sandbox'); again++)
      failed = await call('write', { path: join(world.home, 'new'), text: 'x' });
    expect(failed).toMatch(/^failed: E\w+\nThe sandbox kept the server from this: .*write to ~\/new\.$/);
  });

  it('inside neither reads nor changes what its definition denies', async () => {
    world.write('private/a.txt', 'private');
    world.write('fixed/a.txt', 'fixed');
    const { call } = await start(
      launchOf({ ...plain, denyRead: [join(world.project, 'private')], denyWrite: [join(world.project, 'fixed')] }),
    );
    expect([await call('read', { path: 'private/a.txt' }), await call('read', { path: 'fixed/a.txt' })]).toEqual([
      expect.stringMatching(/^failed/),
      'fixed',
    ]);
    await call('write', { path: 'fixed/a.txt', text: 'changed' });
    expect(readFileSync(join(world.project, 'fixed/a.txt'), 'utf8')).toBe('fixed');
  });

  it.each(['stop', 'kill'] as const)('inside ends with everything it started, by %s', async (how) => {
    const { call } = await start(launchOf(plain));
    const beats = join(world.project, `beats-${how}`);
    await call('leave', { path: beats });
    await until(() => existsSync(beats), 'what it started to run');
    if (how === 'stop') await servers?.find('s')?.stop(true);
    else servers?.find('s')?.kill();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const then = readFileSync(beats, 'utf8').length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(readFileSync(beats, 'utf8').length).toBe(then);
  });

  it('inside that creates a file agents obey: the file is taken out when the server ends, and this is reported', async () => {
    const { call } = await start(launchOf(plain));
    expect(await call('write', { path: 'CLAUDE.md', text: 'obey' })).toBe('written');
    await servers?.find('s')?.stop(true);
    const taken = world.removed.at(-1)?.taken ?? [];
    expect([
      existsSync(join(world.project, 'CLAUDE.md')),
      taken.map(({ path }) => path),
      taken.map(({ kept }) => readFileSync(kept, 'utf8')),
    ]).toEqual([false, [join(world.project, 'CLAUDE.md')], ['obey']]);
  });

  it("inside leaves no file of the sandbox in the user's sight, while it runs and after it ends", async () => {
    const seen = () =>
      spawnSync('git', ['status', '--short', '--ignored'], { cwd: world.project, encoding: 'utf8' }).stdout;
    const before = seen();
    const { call } = await start(launchOf(plain));
    await call('self');
    expect(seen()).toBe(before);
    await servers?.find('s')?.stop(true);
    expect(seen()).toBe(before);
  });

  it('that dies is started again inside', async () => {
    const { call } = await start(launchOf(plain));
    await call('run', { command: 'kill -9 $PPID' });
    expect((await call('read', { path: join(world.home, '.ssh/id_rsa') })).startsWith('failed')).toBe(true);
  });

  it('that the sandbox does not confine is not started', async () => {
    const journal = join(world.project, 'journal');
    world.setting = 'auto';
    const broken = { ...plain, folders: [] };
    log = new RecordingLog();
    const confine = () => Promise.reject(new Error('its helper has ended'));
    const connect = connectingConfined(testClient().connect, { confine }, () => world.aside);
    const pool = (servers = new McpServers({
      connect: async () => connect,
      signIn: noSignIn,
      roots: () => [],
      clock: systemClock,
      log,
    }));
    pool.use([planFor('s', launchOf(broken, { env: { JOURNAL: journal } }))]);
    expect(await pool.tools(new AbortController().signal)).toEqual([]);
    expect([pool.find('s')?.state, existsSync(journal)]).toEqual([
      expect.objectContaining({
        kind: 'failed',
        again: false,
        sentence: expect.stringMatching(
          /^The sandbox does not hold it, so it was not started: its helper has ended\. .*Run Without the Sandbox/,
        ),
      }),
      false,
    ]);
  });

  it.each([
    { written: {}, isInside: true },
    { written: { sandboxEnabled: false }, isInside: false },
  ])('as a folder defines it ($written)', async ({ written, isInside }) => {
    const text = JSON.stringify({
      servers: {
        s: {
          command: process.execPath,
          args: [probing, '${workspaceFolder}'],
          env: { HOME: world.home },
          cwd: 'src',
          ...written,
        },
      },
    });
    mkdirSync(join(world.project, 'src'), { recursive: true });
    const [definition] = readServerFile(
      text,
      { kind: 'folder', folder: world.project, file: '.vscode/mcp.json' },
      '.vscode/mcp.json',
    ).servers;
    if (definition?.transport.kind !== 'stdio') throw new Error('not read');
    const { isEnabled } = definition.transport.sandbox;
    const planned = await serverPlan(definition, 'f', {
      values: () => ({
        workspaceFolder: world.project,
        folders: new Map(),
        userHome: world.home,
        environment: process.env,
        separator: '/',
      }),
      askInput: async () => null,
      envFileText: null,
      isFolder: async () => true,
      hosts: [],
      place: async () =>
        placeOf({
          isOwn: false,
          isEnabled,
          decision: { choice: null, mayRunOutside: false, hosts: [] },
          sandbox: await world.confinement.state(),
          isRequired: false,
        }),
    }).launch(new AbortController().signal);
    if (planned.kind !== 'ready') throw new Error(planned.sentence);
    const { call } = await start(planned.launch);
    const self = v.parse(selfSchema, await call('self'));
    expect([
      self.words,
      self.folder,
      (await call('read', { path: join(world.home, '.ssh/id_rsa') })) === 'canary',
    ]).toEqual([[world.project], join(world.project, 'src'), !isInside]);
  });

  it('inside can be a package that npx unpacks', async () => {
    const packed = join(world.home, 'code', 'packed');
    mkdirSync(packed);
    writeFileSync(
      join(packed, 'package.json'),
      JSON.stringify({ name: 'packed-server', version: '1.0.0', bin: { 'packed-server': 'server.mjs' } }),
    );
    writeFileSync(join(packed, 'server.mjs'), `#!/usr/bin/env node\n${readFileSync(probing, 'utf8')}`);
    const pack = spawnSync('npm', ['pack', '--pack-destination', world.project], {
      cwd: packed,
      env: { PATH: process.env['PATH'] ?? '', HOME: world.home },
    });
    expect(pack.status).toBe(0);
    const cache = join(world.home, '.npm', '_cacache', 'hermes');
    const { call } = await start(
      launchOf(
        { ...plain, folders: [cache] },
        {
          command: 'npx',
          args: [
            '-y',
            '--offline',
            `--package=${join(world.project, 'packed-server-1.0.0.tgz')}`,
            'packed-server',
            'word',
          ],
          env: { npm_config_cache: cache },
        },
      ),
    );
    expect(v.parse(selfSchema, await call('self')).words).toEqual(['word']);
    expect(existsSync(join(world.home, '.npm', '_npx'))).toBe(false);
  });
});
