import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isAlive } from '../../support/vscode/processes';

const modulePath = path.resolve('scripts/ownInstance.mjs');
let folder: string;
let started: ChildProcess[] = [];
beforeEach(() => void (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-instance-')))));
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that takes a folder and keeps it; resolves to the folder's path below the shared one. */
async function instance(): Promise<{ readonly child: ChildProcess; readonly taken: string }> {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { ownInstance } from ${JSON.stringify(modulePath)};
      console.log(ownInstance(${JSON.stringify(folder)}).folder);
      process.on('SIGTERM', () => process.exit(0));
      setInterval(() => undefined, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  started.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, taken: path.relative(folder, line.toString().trim()) };
}

it('gives each process a folder of its own, and again the one of a process that has ended or was killed', async () => {
  const first = await instance();
  const second = await instance();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const third = await instance();
  second.child.kill('SIGTERM');
  await once(second.child, 'exit');
  const isLeft = existsSync(path.join(folder, '2', 'running.pid'));
  const fourth = await instance();
  expect([first, second, third, fourth].map(({ taken }) => taken)).toEqual(['', '2', '', '2']);
  expect(isLeft).toBe(false);
});

it('does not take the number of another process for that of the one that had the folder', async () => {
  writeFileSync(path.join(folder, 'running.pid'), `${process.pid} Thu Jan  1 00:00:00 1970`);
  expect((await instance()).taken).toBe('');
});

it('ends a script when the npm that started it was ended alone', async () => {
  const pidFile = path.join(folder, 'pid');
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'node start.mjs' } }));
  writeFileSync(
    path.join(folder, 'start.mjs'),
    `import { writeFileSync } from 'node:fs';
    import { followNpm } from ${JSON.stringify(modulePath)};
    followNpm(() => process.kill(process.pid, 'SIGTERM'), 50);
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
    setInterval(() => undefined, 1000);`,
  );
  const npm = spawn('npm', ['start'], { cwd: folder, stdio: 'ignore' });
  started.push(npm);
  const pid = await vi.waitFor(() => Number(readFileSync(pidFile, 'utf8')) || expect.fail(), { timeout: 60_000 });
  try {
    npm.kill('SIGTERM');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});

it('ends the npm that a script runs when the script is ended', async () => {
  const pidFile = path.join(folder, 'pid');
  writeFileSync(path.join(folder, 'npm'), `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 600\n`, { mode: 0o755 });
  const { href } = pathToFileURL(path.resolve('scripts/packagesInstall.mjs'));
  const script = spawn(process.execPath, ['-e', `import('${href}').then(({ npm }) => npm(['ci'], '/'))`], {
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    stdio: 'ignore',
  });
  started.push(script);
  const pid = await vi.waitFor(() => Number(readFileSync(pidFile, 'utf8')) || expect.fail(), { timeout: 60_000 });
  try {
    script.kill('SIGTERM');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});
