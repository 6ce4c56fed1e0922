import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock';
import { errorMessage } from '../../../base/errorMessage';
import { t } from '../../../base/translate';
import { markerOf } from '../../../tools/terminal/orphanedCommands';
import { markerName, ProcessTree } from '../../../tools/terminal/processTree';
import type { ShellInvocation } from '../../../tools/terminal/shell';
import type { HookEnd } from './hookAnswers';

/** Bytes of output that are read of one hook. */
const mostBytes = 1_000_000;
/** Milliseconds for the output after the program's own end: something it started may hold the pipe. */
const drainMs = 300;

export interface HookProgram {
  readonly invocation: ShellInvocation;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Written to its input. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborted when the turn stops. */
  readonly signal: AbortSignal;
  /** Aborted when the program has to be killed at once. */
  readonly danger?: AbortSignal;
}

/** Runs the program of a hook to its end, and ends everything that it started. Never rejects. */
export async function runHookProgram(program: HookProgram): Promise<HookEnd> {
  const { invocation, folder, environment, input, timeoutMs, clock, signal, danger } = program;
  const marker = markerOf(process.pid, `cmd-${randomBytes(4).toString('hex')}`);
  const texts = { output: '', errors: '' };
  let problem: string | null = null;
  let bytes = 0;
  const cleanUps: (() => void)[] = [];
  try {
    const child = spawn(invocation.program, [...invocation.args], {
      cwd: folder,
      env: { ...environment, [markerName]: marker },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: invocation.verbatim,
    });
    const exited = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, killedBy) => {
        if (killedBy !== null) problem ??= t('It was ended by {signal}.', { signal: killedBy });
        resolve(code);
      });
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const tree = new ProcessTree(child.pid ?? null, marker, clock);
    const end = (reason: string): void => {
      problem ??= reason;
      void tree.end();
    };
    const read = (part: keyof typeof texts) => (text: string) => {
      bytes += text.length;
      if (bytes > mostBytes) end(t('It wrote too much.'));
      else texts[part] += text;
    };
    child.stdout.setEncoding('utf8').on('data', read('output'));
    child.stderr.setEncoding('utf8').on('data', read('errors'));
    // A program that does not read its input may be gone already.
    child.stdin.on('error', () => undefined).end(input);
    const seconds = { seconds: String(timeoutMs / 1000) };
    cleanUps.push(clock.after(timeoutMs, () => end(t('It took longer than {seconds} seconds.', seconds))));
    const over = AbortSignal.any(danger === undefined ? [signal] : [signal, danger]);
    const onAbort = (): void =>
      end(danger?.aborted === true ? t('It tried to make Git run a program.') : t('The turn was stopped.'));
    if (over.aborted) onAbort();
    over.addEventListener('abort', onAbort, { once: true });
    cleanUps.push(() => over.removeEventListener('abort', onAbort));
    const exitCode = await exited;
    const drained = new Promise<void>((resolve) => cleanUps.push(clock.after(drainMs, resolve)));
    await Promise.race([closed, drained]);
    await tree.end();
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    return { exitCode, ...texts, problem };
  } catch (error) {
    return { exitCode: null, ...texts, problem: t('It can’t be started: {reason}', { reason: errorMessage(error) }) };
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}
