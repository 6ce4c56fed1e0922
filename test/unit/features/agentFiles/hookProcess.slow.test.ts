import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { runHookProgram } from '../../../../src/features/agentFiles/core/hookProcess';
import { pause } from '../../../../src/base/pause';

const folder = mkdtempSync(join(tmpdir(), 'hermes-hook-'));

function run(command: string, timeoutMs = 10_000, signal = new AbortController().signal) {
  return runHookProgram({
    invocation: { program: '/bin/sh', args: ['-c', command], verbatim: false },
    folder,
    environment: { PATH: process.env['PATH'] ?? '' },
    input: '{"tool_name":"Bash"}',
    timeoutMs,
    clock: systemClock,
    signal,
  });
}

describe.skipIf(process.platform === 'win32')('the program of a hook', () => {
  it('gets its input and gives its output, errors and exit code', async () => {
    expect(await run('cat; echo no >&2; exit 2')).toEqual({
      exitCode: 2,
      output: '{"tool_name":"Bash"}',
      errors: 'no\n',
      problem: null,
    });
  });

  it('that hangs is ended at its time limit, with everything it started', async () => {
    const { problem } = await run(`(sleep 2; touch late) & sleep 30`, 300);
    await pause(systemClock, 2200);
    expect([problem, existsSync(join(folder, 'late'))]).toEqual(['It took longer than 0.3 seconds.', false]);
  });

  it('that dies by a signal, cannot be started or floods gives no answer', async () => {
    const missing = await runHookProgram({
      invocation: { program: '/nowhere/sh', args: [], verbatim: false },
      folder,
      environment: {},
      input: 'x',
      timeoutMs: 1000,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    const flood = await run('yes');
    expect([
      (await run('kill -9 $$')).problem,
      missing.problem?.startsWith('It can’t be started'),
      flood.problem,
      flood.output.length <= 1_000_000,
    ]).toEqual(['It was ended by SIGKILL.', true, 'It wrote too much.', true]);
  });

  it('that reads nothing of a long input, or ends while something of it still runs, is over at its own end', async () => {
    expect((await run('sleep 20 & echo done')).output).toBe('done\n');
  });

  it('ends with the turn', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    expect((await run('sleep 20', 10_000, stop.signal)).problem).toBe('The turn was stopped.');
  });

  it('is left alone after its end: its number may be that of another program by then', async () => {
    const stop = new AbortController();
    await run('true', 10_000, stop.signal);
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    stop.abort();
    await pause(systemClock, 300);
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
  });
});
