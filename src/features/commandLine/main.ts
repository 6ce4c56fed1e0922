import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { systemClock } from '../../base/clock';
import type { Terminal } from './commands/command';
import { runCommand } from './runCommand';

/** Entry of `dist/hermes-history.js`. */
/** Milliseconds. */
const graceMs = 5000;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => endBy(signal));

const terminal: Omit<Terminal, 'result'> = {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  confirm,
  signal: stop.signal,
  clock: systemClock,
  home: homedir(),
  platform: process.platform,
  environment: process.env,
  folder: process.cwd(),
  programFolder: __dirname,
};

/** Lets the command end itself. One that does not, because a thread of it is busy, is ended by the same signal: the
 *  listener is gone by then. The next command removes its private copies. */
function endBy(signal: NodeJS.Signals): void {
  stop.abort();
  setTimeout(() => process.kill(process.pid, signal), graceMs).unref();
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || stop.signal.aborted) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: stop.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (stop.signal.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}

// A closed pipe (`| head`) ends the program quietly.
process.stdout.on('error', () => process.exit(0));
void runCommand(terminal, process.argv.slice(2)).then((code) => (process.exitCode = code));
