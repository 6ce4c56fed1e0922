import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isAlive } from '../../support/vscode/processes';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'hermes-groups-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command that starts a process in a group of its own, as VS Code's server does, and heeds no request to end. */
const stubborn = (then: string): string => `
  const { spawn } = require('node:child_process');
  const { writeFileSync } = require('node:fs');
  process.on('SIGTERM', () => undefined);
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'], { detached: true, stdio: 'ignore' });
  child.unref();
  writeFileSync(${JSON.stringify(path.join(folder, 'pids'))}, process.pid + ' ' + child.pid);
  ${then}`;

/** Starts a process that runs the command as the layers of the tests are run. */
function runner(command: string): ChildProcess {
  const script = path.join(folder, 'runner.mjs');
  const groups = path.resolve('scripts/processGroups.mjs');
  writeFileSync(
    script,
    `import { endWithThisProcess, run } from ${JSON.stringify(groups)};
    endWithThisProcess();
    const { code } = await run([process.execPath, '-e', ${JSON.stringify(command)}], { cwd: '.', hangMs: 600_000 });
    process.exit(code);`,
  );
  return spawn(process.execPath, [script], { stdio: 'ignore' });
}

const started = (): Promise<readonly number[]> =>
  vi.waitFor(() => {
    const pids = readFileSync(path.join(folder, 'pids'), 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    return pids;
  });

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends every process of a run, also those that refuse', async (signal) => {
  const run = runner(stubborn('setInterval(() => undefined, 1000);'));
  const pids = await started();
  run.kill(signal);
  const [code] = await once(run, 'exit');
  expect(code).toBe(130);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]));
});

it('a command that fails leaves no process', async () => {
  const run = runner(stubborn('process.exit(7);'));
  const [code] = await once(run, 'exit');
  expect([code, (await started()).filter(isAlive)]).toEqual([7, []]);
});
