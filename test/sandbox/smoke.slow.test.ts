import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SandboxWorld } from '../support/sandboxWorld';

let world: SandboxWorld;
let server: Server;
let asked = 0;

beforeAll(async () => {
  world = await SandboxWorld.start();
  world.write(join(world.home, '.ssh/id_rsa'), 'canary-secret\n');
  world.write(join(world.home, '.bashrc'), '# ours\n');
  world.write(join(world.project, 'one.txt'), 'one\n');
  spawnSync('git', ['init', '-q'], { cwd: world.project });
  server = createServer((_, answer) => answer.end('reached')).listen(0, '127.0.0.1');
  server.on('connection', () => asked++);
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  server.close();
  world.dispose();
});

const outputOf = async (command: string): Promise<string> => (await world.run(command)).output;

it('a command works in its folder', async () => {
  expect(await outputOf('cat one.txt && echo two > two.txt && cat two.txt')).toBe('one\ntwo\n');
});

it('writes nothing outside, and plants nothing that Git would run', async () => {
  await outputOf('echo gone > ~/.bashrc; echo x > ~/new.txt; echo x > /etc/hermes-canary');
  await outputOf("printf '#!/bin/sh\\n' > .git/hooks/pre-commit; git config core.fsmonitor ./x");
  expect({
    bashrc: readFileSync(join(world.home, '.bashrc'), 'utf8'),
    made: [join(world.home, 'new.txt'), '/etc/hermes-canary'].filter((path) => existsSync(path)),
    hook: existsSync(join(world.project, '.git/hooks/pre-commit')),
    config: readFileSync(join(world.project, '.git/config'), 'utf8').includes('fsmonitor'),
  }).toEqual({ bashrc: '# ours\n', made: [], hook: false, config: false });
});

it('reads no key, and reaches no network and no server of this machine', async () => {
  const { port } = server.address() as AddressInfo;
  const output = await outputOf(
    `cat ~/.ssh/id_rsa; curl -s --max-time 5 http://127.0.0.1:${port}; (exec 3<>/dev/tcp/127.0.0.1/${port}) && echo reached`,
  );
  expect([output.includes('canary-secret'), output.includes('reached'), asked]).toEqual([false, false, 0]);
});
