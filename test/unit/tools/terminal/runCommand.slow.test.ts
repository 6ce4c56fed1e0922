import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolProgress } from '../../../../src/transcript/turnEvent';
import { TerminalWorld } from '../../../support/terminalWorld';

let world: TerminalWorld;
beforeEach(() => {
  world = new TerminalWorld();
});
afterEach(() => world.dispose());

const detailsSchema = v.object({
  kind: v.literal('command'),
  command: v.string(),
  folder: v.string(),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  ms: v.number(),
  bytes: v.number(),
  file: v.string(),
  timedOut: v.boolean(),
  background: v.nullable(v.string()),
  tail: v.string(),
});

describe('a command', () => {
  it('of several lines is refused where the shell runs only the first', async () => {
    const cmd = new TerminalWorld({ shell: () => ({ path: 'cmd.exe', kind: 'cmd', name: 'cmd' }) });
    await expect(cmd.run('cd src\ndir')).rejects.toThrow(
      'has several lines, and cmd runs only the first: join them with && or &',
    );
    await cmd.dispose();
  });

  it.each([
    ['says what it wrote', 'echo hello', 'done: Exit code 0 after <time> in the open folder.\n\nhello'],
    ['may say nothing', 'true', 'done: Exit code 0 after <time> in the open folder.\n\n(no output)'],
    ['fails with its exit code', 'echo no; exit 3', 'failed: Exit code 3 after <time> in the open folder.\n\nno'],
    [
      'is not found',
      'no-such-program-here',
      'failed: Exit code 127 (command not found) after <time> in the open folder.\n\n/bin/bash: line 1: no-such-program-here: command not found',
    ],
    [
      'keeps output and errors in order',
      'for i in 1 2 3; do echo out$i; echo err$i >&2; done',
      'done: Exit code 0 after <time> in the open folder.\n\nout1\nerr1\nout2\nerr2\nout3\nerr3',
    ],
    [
      'can open its output by name',
      'echo one > /dev/stderr; echo two | tee /dev/stderr >/dev/null',
      'done: Exit code 0 after <time> in the open folder.\n\none\ntwo',
    ],
    [
      'runs subshells',
      '(echo a; (cd src && basename "$PWD")); echo b',
      'done: Exit code 0 after <time> in the open folder.\n\na\nsrc\nb',
    ],
    [
      'takes heredocs',
      "cat <<'EOF' | tr a-z A-Z\nline $one\n'two'\nEOF",
      "done: Exit code 0 after <time> in the open folder.\n\nLINE $ONE\n'TWO'",
    ],
    ['runs pipes', 'seq 1 100000 | grep 7 | head -n 2', 'done: Exit code 0 after <time> in the open folder.\n\n7\n17'],
    [
      'has no input to wait for',
      'cat; read -r answer || echo nobody',
      'done: Exit code 0 after <time> in the open folder.\n\nnobody',
    ],
    [
      'has no terminal to ask',
      '(: < /dev/tty) 2>/dev/null || echo none',
      'done: Exit code 0 after <time> in the open folder.\n\nnone',
    ],
    [
      'is ended by a signal',
      'kill -SEGV $$',
      'failed: Ended by signal SIGSEGV after <time> in the open folder.\n\n(no output)',
    ],
    [
      'tells of a signal within',
      'bash -c "kill -9 \\$\\$"; exit $?',
      'failed: Exit code 137 (SIGKILL) after <time> in the open folder.\n\n/bin/bash: line 1:   <job>',
    ],
    [
      'shows a progress bar as it ended',
      "printf 'load 1%%\\rload 50%%\\rload 100%%\\n\\033[32mgreen\\033[0m\\n'",
      'done: Exit code 0 after <time> in the open folder.\n\nload 100%\ngreen',
    ],
    [
      'may write what is no text',
      "printf 'a\\0b\\377\\376c\\001'",
      'done: Exit code 0 after <time> in the open folder.\n\nab\ufffd\ufffdc',
    ],
  ])('%s', async (_, command, said) => {
    expect((await world.run(command)).replace(/line 1:\s+\d+ Killed.*$/s, 'line 1:   <job>')).toBe(said);
  });

  it('runs in the folder it names, and is refused when that folder does not exist', async () => {
    expect(await world.run('pwd', { cwd: 'src' })).toBe('done: Exit code 0 after <time> in src.\n\n<home>/project/src');
    expect(await world.run('pwd', { cwd: 'nowhere' })).toBe(
      'failed: There is no folder at nowhere; nothing was run. Name an existing one in cwd.',
    );
  });

  it('writes its whole output to a file private to the user, and numbers to its row', async () => {
    const output = await world.call(
      'run_command',
      { command: 'printf "\\033[31mred\\033[0m\\n"; exit 2' },
      { turnUid: 'turn', callId: 'c/../1', conversationId: 'conv' },
    );
    const details = v.parse(detailsSchema, output.details);
    expect(details).toMatchObject({
      command: 'printf "\\033[31mred\\033[0m\\n"; exit 2',
      folder: '.',
      exitCode: 2,
      signal: null,
      bytes: 13,
      timedOut: false,
      background: null,
      tail: 'red\n',
    });
    expect(details.file).toBe(join(world.outputs.path, 'conv', 'turn-c____1.log'));
    expect(readFileSync(details.file, 'utf8')).toBe('\u001b[31mred\u001b[0m\n');
    expect(statSync(details.file).mode & 0o777).toBe(0o600);
    expect([
      world.outputs.isOwnOutput(details.file),
      world.outputs.isOwnOutput('/etc/passwd'),
      world.outputs.isOwnOutput(join(world.project, 'x.log')),
    ]).toEqual([true, false, false]);
  });

  it('shows only what is in the file already', async () => {
    const seen: { readonly inFile: number; readonly bytes: number; readonly tail: string }[] = [];
    const report = (progress: ToolProgress): void => {
      if (progress.kind === 'output')
        seen.push({ inFile: statSync(progress.file).size, bytes: progress.bytes, tail: progress.tail });
    };
    await world.call('run_command', { command: 'for i in 1 2 3 4 5; do echo "line $i"; sleep 0.12; done' }, { report });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter(({ inFile, bytes }) => bytes > inFile)).toEqual([]);
    expect(seen.at(-1)?.tail).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n');
  });

  it('keeps two outputs apart when a call id comes twice', async () => {
    const first = await world.call('run_command', { command: 'echo one' }, { callId: 'same' });
    const second = await world.call('run_command', { command: 'echo two' }, { callId: 'same' });
    const files = [first, second].map(({ details }) => v.parse(detailsSchema, details).file);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['one\n', 'two\n']);
  });

  it('asks with the typed command, its folder and the kind of shell', async () => {
    const { terminalTools } = await import('../../../../src/tools/terminal/runCommandTool');
    const bound = terminalTools(world.deps)[0]?.bind({ command: 'rm -rf "$X"', cwd: '..' });
    expect(bound?.kind === 'ready' ? await bound.asks?.(new AbortController().signal) : bound).toEqual({
      access: {
        kind: 'run',
        command: 'rm -rf "$X"',
        folder: { path: world.home, shown: world.home, isInside: false },
        shell: 'posix',
      },
    });
  });
});

describe('long output', () => {
  it('reaches the model as beginning and end', async () => {
    const output = await world.call('run_command', { command: 'seq 1 200000' });
    expect(output.text.length).toBeLessThan(31_000);
    const { file } = v.parse(detailsSchema, output.details);
    expect(output.text).toMatch(/^Exit code 0 after [^\n]+\n\n1\n2\n3\n/);
    expect(output.text).toContain(` bytes omitted; whole output in ${file}; read with read_file]`);
    expect(output.text.endsWith('199999\n200000')).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(`${Array.from({ length: 200_000 }, (_, index) => index + 1).join('\n')}\n`);
  });

  it('may be one line', async () => {
    const output = await world.call('run_command', {
      command: 'head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end',
    });
    expect([output.outcome, output.text.length < 31_000, output.text.endsWith('x\nend')]).toEqual(['done', true, true]);
  });

  it('is never split inside a character', async () => {
    const output = await world.call('run_command', { command: "for i in $(seq 1 30000); do printf '😀ö€'; done" });
    expect(output.text.replace(/\[… \d+ bytes.*\]/, '')).not.toMatch(
      /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
    );
    expect(v.parse(detailsSchema, output.details).tail).toMatch(/^[😀ö€]+$/u);
  });
});

describe('a command that cannot start', () => {
  it('names a shell that does not exist', async () => {
    const without = new TerminalWorld({ shell: () => ({ path: '/no/such/bash', kind: 'posix', name: 'bash' }) });
    expect(await without.run('echo hi')).toBe(
      'failed: The shell /no/such/bash does not exist; nothing was run. The person can choose another default terminal profile.',
    );
    await without.dispose();
  });

  it('does not run when its output has no place', async () => {
    const { OutputFolder } = await import('../../../../src/tools/terminal/outputFolder');
    writeFileSync(join(world.home, 'a file'), '');
    const without = new TerminalWorld({
      outputs: new OutputFolder(() => join(world.home, 'a file', 'outputs'), { now: () => 0 }),
    });
    expect(await without.run(`touch ${world.home}/ran`)).toMatch(
      /^failed: The command's output could not be kept \(.*\), so nothing was run\.$/,
    );
    expect(() => statSync(join(world.home, 'ran'))).toThrow();
    await without.dispose();
  });
});
