/** Runs commands so that nothing they started is left when they end, are interrupted, or hang. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';

/** Every process that a command of this run starts inherits this variable, also one that leaves its group. */
const MARKER = 'HERMES_TEST_RUN';
const marker = `${process.pid}-${randomBytes(4).toString('hex')}`;
const isWindows = process.platform === 'win32';

/** Time that interrupted processes get to remove their temporary files, in milliseconds. */
const GRACE_MS = 5_000;
const MOST_LOOKS = 50;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let interrupted = false;

/** Ends everything when this process is told to end. The exit code is 130, as after Ctrl-C in a shell. */
export function endWithThisProcess() {
  const interrupt = async () => {
    if (interrupted) return;
    interrupted = true;
    for (const child of running) signal(child, 'SIGTERM');
    const ended = Promise.all([...running].map((child) => new Promise((resolve) => child.once('exit', resolve))));
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, GRACE_MS))]);
    endLeftovers();
    process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => void interrupt());
}

/**
 * Runs a command in a process group of its own and shows its output.
 * @param {string[]} command program and arguments
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, hangMs: number, output?: string }} options `hangMs`: it is ended when
 *   it prints nothing for so long. `output`: a file that gets what it prints, too
 * @returns {Promise<{ code: number | string, hung: boolean }>} its exit code, or the signal that ended it
 */
export function run([program, ...args], { cwd, env = {}, hangMs, output }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Colors as on a terminal, although the output passes through this process.
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), ...env, [MARKER]: marker },
      detached: !isWindows,
    });
    running.add(child);
    const copy = output === undefined ? undefined : fs.createWriteStream(output);
    let [hung, watch] = [false, undefined];
    const stillRuns = () => {
      clearTimeout(watch);
      watch = setTimeout(() => {
        hung = true;
        console.error(`No output for ${hangMs / 60_000} minutes; ended`);
        signal(child, 'SIGKILL');
      }, hangMs);
    };
    stillRuns();
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])
      stream.on('data', (data) => {
        stillRuns();
        target.write(data);
        copy?.write(data);
      });
    child.on('error', reject);
    child.on('exit', (code, ended) => {
      clearTimeout(watch);
      running.delete(child);
      endLeftovers([...running].length > 0 ? child : undefined);
      copy?.end();
      if (!interrupted) resolve({ code: code ?? ended, hung });
    });
  });
}

/** Ends what is left of a command, or, when no other command runs, of the whole run. @param
 *  {import('node:child_process').ChildProcess} [child] */
function endLeftovers(child) {
  if (child) return signal(child, 'SIGKILL');
  // A process may start another between the look and its end.
  let left;
  for (let looks = 0; looks < MOST_LOOKS && (left = marked()).length > 0; looks += 1) for (const pid of left) kill(pid);
}

/** Signals the group of a command. On Windows, where there are none, it and its children are ended. */
function signal(child, name) {
  if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
  else kill(-child.pid, name);
}

function kill(pid, name = 'SIGKILL') {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Processes of this run, whatever group they are in. Only Linux shows the environment of others. */
function marked() {
  if (process.platform !== 'linux') return [];
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) => Number.isInteger(pid) && pid !== process.pid && environmentOf(pid).includes(`${MARKER}=${marker}`),
    );
}

function environmentOf(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}
