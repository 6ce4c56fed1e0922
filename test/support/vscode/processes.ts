import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

/**
 * Every process of a VS Code under test carries this environment variable, with the session's own temporary folder as its value: server,
 * extension hosts, terminals, browser. An extension host that outlives its server is no one's child any more, but still found by it.
 */
export const ROOT_VARIABLE = 'HERMES_HARNESS_ROOT';

export interface RunningProcess {
  pid: number;
  command: string;
  /** Id of the process that started it; 1 once that is gone. */
  parent: number;
}

/** The processes started for `root`, the oldest first. Reads /proc, so Linux only (as is the server under test). */
export function processesOf(root: string): RunningProcess[] {
  const marker = `${ROOT_VARIABLE}=${root}`;
  const found: (RunningProcess & { readonly startedAt: number })[] = [];
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = readProc(pid, 'environ');
    if (!environment?.split('\0').includes(marker)) continue;
    const command = readProc(pid, 'cmdline');
    if (command) found.push({ pid, command: command.replaceAll('\0', ' ').trim(), ...originOf(pid) });
  }
  return found
    .sort((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)
    .map(({ pid, command, parent }) => ({ pid, command, parent }));
}

/** `startedAt` in clock ticks since the machine started. Ids are no order: they begin anew at the highest one. */
function originOf(pid: number): { readonly parent: number; readonly startedAt: number } {
  const stat = readProc(pid, 'stat') ?? '';
  // Behind the name, which may hold anything, in brackets: fields 4 and 22 of proc(5), the third being the first here.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1] ?? 0), startedAt: Number(fields[19] ?? 0) };
}

/** A process that ends between listing and reading is simply not there; so is another user's. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}

function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false;
    throw error;
  }
  // A zombie still takes signals; it holds no file and no port.
  return !/^State:\s+Z/m.test(readProc(pid, 'status') ?? 'State:\tZ');
}

/** Sends a signal; true when the process was there to get it. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false;
    throw error;
  }
}

/** How many times longer than usual everything may take: `HERMES_TEST_PATIENCE`, for a machine that does much else at the same time. */
export const patience = Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

/** How long anything that a test waits for may take, in milliseconds. It only bounds a failure: how fast the product is, is measured elsewhere. */
export const usualLimitMs = 180_000;

type Condition<T> = () => T | undefined | false | Promise<T | undefined | false>;

interface Waiting {
  readonly timeoutMs?: number;
  /** What the last look saw, for the message of a wait that fails. */
  readonly seen?: () => unknown;
}

/** Milliseconds between two looks at a condition: short at first, longer while it does not hold. Looking takes the processor from what is waited for. */
const firstPauseMs = 25;
const longestPauseMs = 250;

/** What `condition` gives as soon as that is something other than undefined or false; undefined after `timeoutMs`, times `patience`. It is looked
 *  at once more when the time is over: a look may have begun long before. What it throws is thrown on. */
export async function within<T>(timeoutMs: number, condition: Condition<T>): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs * patience;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.3)) {
    const isLast = Date.now() > deadline;
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (isLast) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The same, but rejects where the time is over, with `what` was waited for and what was seen last. */
export async function waitFor<T>(
  what: string,
  condition: Condition<T>,
  { timeoutMs = usualLimitMs, seen }: Waiting = {},
): Promise<T> {
  const described = (sentence: string): string =>
    seen === undefined ? sentence : `${sentence}; seen last: ${inWords(seen())}`;
  const value = await within(timeoutMs, condition).catch((error: unknown) => {
    throw seen === undefined
      ? error
      : new Error(described(`While waiting for ${what}: ${String(error)}`), { cause: error });
  });
  if (value === undefined) throw new Error(described(`Waited ${(timeoutMs * patience) / 1000} s for ${what}`));
  return value;
}

function inWords(state: unknown): string {
  return typeof state === 'string' ? state : (JSON.stringify(state) ?? 'nothing');
}

export async function waitUntilGone(pid: number, timeoutMs = usualLimitMs): Promise<void> {
  await waitFor(`process ${pid} to end`, () => !isAlive(pid), { timeoutMs });
}

/** Ends everything that belongs to `root`: first asked, after two seconds (or `graceMs`) made to. */
export async function endProcessesOf(root: string, graceMs = 2_000): Promise<void> {
  const running = processesOf(root).filter(({ pid }) => isAlive(pid));
  if (graceMs > 0) for (const { pid } of running) signal(pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (running.some(({ pid }) => isAlive(pid)) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await waitFor(`the processes of ${root} to end`, () => {
    const left = processesOf(root).filter(({ pid }) => isAlive(pid));
    for (const { pid } of left) signal(pid, 'SIGKILL');
    return left.length === 0;
  });
}

/**
 * Watches over the processes of `root` from outside: when this process ends in whatever way (even kill -9), they are ended and the folder
 * removed. Disposing it only ends the watching.
 */
export function guard(root: string, options: { keepFolder?: boolean } = {}): { dispose(): void } {
  const guardian: ChildProcess = spawn(
    process.execPath,
    [guardianScript(), root, options.keepFolder ? 'keep' : 'remove'],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guardian.unref();
  const pipe = guardian.stdin;
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return { dispose: () => void guardian.kill('SIGKILL') };
}

function guardianScript(): string {
  // This module runs both from its source and bundled into .vscode-test/, so the script is found from the project's root.
  return path.join(projectRoot(), 'test/support/vscode/guardian.mjs');
}

/** The project's root folder, found upwards from this module. */
export function projectRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(path.join(folder, 'package-lock.json')) || !fs.existsSync(path.join(folder, 'src'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('The test harness is not inside the project');
    folder = parent;
  }
  return folder;
}
