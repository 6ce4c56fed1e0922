import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { endOrphanedCommands } from '../../../../src/tools/terminal/orphanedCommands';
import { bundleProgram, NodeProgram } from '../../../support/nodeProgram';
import { TerminalWorld } from '../../../support/terminalWorld';

let world: TerminalWorld;
beforeEach(() => {
  world = new TerminalWorld();
});
// Every test ends with nothing left running.
afterEach(() => world.dispose());

/** A call that runs, and what it takes to let it go. */
async function begin(command: string, more: Record<string, unknown> = {}) {
  const stop = new AbortController();
  const proceed = new AbortController();
  const heard: string[] = [];
  let tell: () => void = () => undefined;
  const spoke = new Promise<void>((resolve) => (tell = resolve));
  const output = world.call(
    'run_command',
    { command, ...more },
    {
      proceed: proceed.signal,
      report: (progress) => {
        if (progress.kind !== 'output') return;
        heard.push(progress.tail);
        tell();
      },
    },
    stop.signal,
  );
  await spoke;
  return { output, stop, proceed, heard };
}

/** Each says "up" once everything it starts is there. */
const stubborn = [
  ['hangs', 'echo up; sleep 1000'],
  ['ignores SIGTERM', "trap '' TERM HUP INT; echo up; while true; do sleep 1; done"],
  ['has a child that ignores SIGTERM', `bash -c "trap '' TERM; echo up; while true; do sleep 1; done"; echo over`],
  ['has grandchildren', '(sleep 1000 & sleep 1000) & (sleep 1000 | cat) & echo up; wait'],
  ['left its group', 'setsid sleep 1000 & echo up; wait'],
  [
    'left its group and lost its parent',
    'setsid bash -c "setsid sleep 1000 & exit" & wait; sleep 0.1; echo up; sleep 1000',
  ],
  ['was stopped by job control', 'bash -c "echo up; kill -STOP \\$\\$" & wait'],
  ['writes without end', 'echo up; yes'],
  [
    'starts itself anew when it is asked to end',
    `echo up; again() { setsid bash -c "trap '' TERM; sleep 1000" & }; trap again TERM; while true; do sleep 0.1; done`,
  ],
] as const;

describe('a command that the user stops', () => {
  it.each(stubborn)('%s: all of it ends', async (_, command) => {
    const { output, stop } = await begin(command);
    stop.abort();
    expect(world.resultText(await output)).toMatch(
      /^interrupted: The command was stopped after <time> (?:with everything it had started|and does not end by itself: it is being ended by force); it may have run in part\. Output so far:\n\n(?:\[\d\] \d+\n)?up/,
    );
    await world.expectNoLeftovers();
  });
});

describe('commands in the background', () => {
  it('are known until they end, and the user stops one by the file of its output', async () => {
    const { output, proceed } = await begin('echo up; sleep 1000');
    const inTurn = world.running.beside.length;
    proceed.abort();
    await output;
    const changes: number[] = [];
    world.running.onDidChange(() => changes.push(world.running.alive.length));
    const [started] = world.running.beside;
    await world.running.stop('/no/such/file');
    const others = world.running.alive.length;
    await world.running.stop(started?.process.file.path ?? '');
    expect([inTurn, others, world.running.alive.length, world.running.beside.length, changes.at(-1)]).toEqual([
      0, 1, 0, 1, 0,
    ]);
    await world.expectNoLeftovers();
  });

  it('that ended and left processes running count as running until those are gone', async () => {
    await world.call('run_command', { command: 'nohup sleep 1 >/dev/null 2>&1 & sleep 0.3; echo up' });
    const before = world.running.alive.length;
    await expect
      .poll(async () => (await world.running.refresh(world.running.alive), world.running.alive.length), {
        timeout: 20_000,
      })
      .toBe(0);
    expect(before).toBe(1);
  });
});

describe('a command that takes too long', () => {
  it.each(stubborn.slice(0, 4))('%s: all of it ends, and the model is notified', async (_, command) => {
    const { output } = await begin(command, { timeout_seconds: 1 });
    expect(world.resultText(await output)).toMatch(
      /^failed: The command did not end within <time> and was ended with everything it had started\. Ask for more with timeout_seconds, or run it with background\. Output so far:\n\nup/,
    );
    expect(world.leftovers()).toEqual([]);
    expect((await output).details).toMatchObject({ timedOut: true, background: null });
  });

  it('gets the time from the setting when the model names none, and at most ten minutes more', async () => {
    const waits: number[] = [];
    const clock = {
      ...world.deps.clock,
      after: (delayMs: number, callback: () => void) => (
        waits.push(delayMs),
        world.deps.clock.after(delayMs, callback)
      ),
    };
    const timed = new TerminalWorld({ clock, timeoutSeconds: () => 7 });
    await timed.run('true');
    await timed.run('true', { timeout_seconds: 100_000 });
    expect(waits.filter((delayMs) => delayMs >= 7000)).toEqual([7000, 607_000]);
    await timed.dispose();
  });
});

describe('processes that a command leaves behind', () => {
  it.each([
    ['in its group, holding the pipe', 'sleep 1000 & sleep 0.3; echo up'],
    ['without the pipe', 'nohup sleep 1000 >/dev/null 2>&1 & sleep 0.3; echo up'],
    ['outside its session', 'setsid sleep 1000 & sleep 0.3; echo up'],
    [
      'outside its session and without the pipe',
      'setsid nohup sleep 1000 </dev/null >/dev/null 2>&1 & sleep 0.3; echo up',
    ],
  ])('%s: the command ends, remaining processes are named and can be ended', async (_, command) => {
    const output = await world.call('run_command', { command });
    expect(world.resultText(output)).toBe(
      'done: Exit code 0 after <time> in the open folder. It has ended but left running: sleep (<pid>). Use command_output or stop_command with id "<id>"; they end with the editor window.\n\nup',
    );
    expect(world.leftovers()).toHaveLength(1);
    const id = /cmd-[0-9a-f]{8}/.exec(output.text)?.[0];
    expect(world.resultText(await world.call('stop_command', { id }))).toBe(
      'done: Ended with everything it had started. Exit code 0 after <time> in the open folder.\n\n(no output)',
    );
    expect(world.leftovers()).toEqual([]);
  });

  it('end with the window', async () => {
    await world.run('setsid sleep 1000 & sleep 1000 & echo up');
    expect(world.leftovers()).toHaveLength(2);
    world.running.dispose();
    await world.expectNoLeftovers();
  });
});

describe('a command that keeps running', () => {
  const server =
    'echo listening; for i in $(seq 1 100000); do read -r -t 0.05 < /dev/zero; [ -e ../go ] && { echo "request $i" | tr -d 0-9; rm ../go; }; sleep 0.05; done';

  it('returns at once with an id, reports more on request, and ends on request', async () => {
    const first = await world.call('run_command', { command: server, background: true });
    expect(world.resultText(first)).toBe(
      'done: Running for <time> in the open folder. It keeps running with id "<id>": read more with command_output, end it with stop_command. It ends with the editor window. Output so far:\n\nlistening',
    );
    const id = String(/cmd-[0-9a-f]{8}/.exec(first.text)?.[0]);
    expect(first.details).toMatchObject({ background: id, exitCode: null });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(world.home, 'go'), '');
    expect(world.resultText(await world.call('command_output', { id, wait_seconds: 20 }))).toBe(
      'done: Running for <time> in the open folder.\n\nrequest',
    );
    expect(world.resultText(await world.call('command_output', { id }))).toBe(
      'done: Running for <time> in the open folder.\n\n(no output)',
    );
    expect(world.resultText(await world.call('stop_command', { id }))).toMatch(
      /^done: Ended with everything it had started\. Ended by signal SIGTERM after <time>/,
    );
    expect(world.resultText(await world.call('stop_command', { id }))).toMatch(/^done: It had ended before\./);
  });

  it('continues when the user lets the turn proceed', async () => {
    const { output, proceed } = await begin('echo up; sleep 1000');
    proceed.abort();
    const { outcome, text } = await output;
    expect([outcome, text.includes('It keeps running with id "cmd-')]).toEqual(['done', true]);
    expect(world.leftovers().length).toBeGreaterThan(0);
    world.running.dispose();
  });

  it('that fails at once says so', async () => {
    expect(await world.run('echo no port >&2; exit 1', { background: true })).toBe(
      'failed: Exit code 1 after <time> in the open folder.\n\nno port',
    );
  });

  it('keeps its last output readable', async () => {
    const first = await world.call('run_command', {
      command: 'echo one; sleep 1.5; echo two; exit 4',
      background: true,
    });
    const id = /cmd-[0-9a-f]{8}/.exec(first.text)?.[0];
    await world.running.find('session-1', String(id))?.process.ended;
    expect(world.resultText(await world.call('command_output', { id }))).toBe(
      'done: Exit code 4 after <time> in the open folder.\n\ntwo',
    );
  });

  it('belongs to no other conversation', async () => {
    const first = await world.call('run_command', { command: 'sleep 1000', background: true });
    const id = /cmd-[0-9a-f]{8}/.exec(first.text)?.[0];
    expect(world.resultText(await world.call('stop_command', { id }, { conversationId: 'another' }))).toBe(
      'failed: There is no command with id "<id>". None of this session is running. Commands end with their editor window; what they wrote stays in their files.',
    );
    expect(world.leftovers().length).toBeGreaterThan(0);
    world.running.dispose();
  });
});

describe('a window that is about to close', () => {
  it('ends its servers, and leaves the commands of turns to their turns', async () => {
    const ended = join(world.home, 'ended');
    await world.call('run_command', {
      command: `trap 'echo bye > ${ended}; exit' TERM; while true; do sleep 0.05; done`,
      background: true,
    });
    const { output, stop } = await begin('echo up; sleep 1000');
    await world.running.endHandedOver();
    expect(readFileSync(ended, 'utf8')).toBe('bye\n');
    expect(world.running.alive.map(({ command }) => command)).toEqual(['echo up; sleep 1000']);
    stop.abort();
    expect((await output).outcome).toBe('interrupted');
  });
});

describe('commands of a window that was killed', () => {
  it('are ended by the next window, and those of a living window are not', async () => {
    const host = new NodeProgram(await bundleProgram('test/support/killedHost.ts', world.home), []);
    const [, variable = '', home = ''] = (await host.line('started ')).split(' ');
    await world.call('run_command', { command: 'sleep 1000', background: true });
    expect(await endOrphanedCommands(systemClock)).toBe(0);
    await host.kill();
    expect(world.leftovers(variable).length).toBeGreaterThanOrEqual(2);
    expect(await endOrphanedCommands(systemClock)).toBe(1);
    expect([world.leftovers(variable), world.leftovers().length > 0]).toEqual([[], true]);
    rmSync(home, { recursive: true, force: true });
  });
});

describe('many commands', () => {
  it('leave no process and no open file', async () => {
    const { readdirSync, readlinkSync } = await import('node:fs');
    const open = (): readonly string[] =>
      readdirSync('/proc/self/fd')
        .flatMap((fd) => {
          try {
            return [readlinkSync(`/proc/self/fd/${fd}`)];
          } catch {
            return [];
          }
        })
        .filter((target) => target.includes('pipe') || target.startsWith('socket:') || target.endsWith('.log'));
    await world.run('true');
    const before = open().length;
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 10 }, (_, index) => world.run(`echo ${index}; (exit 0) | cat`)));
    expect(world.leftovers()).toEqual([]);
    for (let again = 0; again < 100 && open().length > before; again++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(open().length).toBe(before);
    expect(world.running.alive).toEqual([]);
  }, 300_000);
});

it('a stop that comes before the start runs nothing', async () => {
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  await expect(world.call('run_command', { command: `touch ${world.home}/ran` }, {}, stop.signal)).rejects.toThrow(
    'stopped',
  );
  expect(() => readFileSync(join(world.home, 'ran'))).toThrow();
});
