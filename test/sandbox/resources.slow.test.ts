import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxWorld } from '../support/sandboxWorld';

let world: SandboxWorld;
beforeAll(async () => {
  world = await SandboxWorld.start();
});
afterAll(() => world.dispose());

const outputOf = async (command: string): Promise<string> => (await world.run(command)).output.trim();
/** Processes, and 512-byte or 1024-byte blocks of a file, as the shell counts. */
const limits = 'ulimit -u; ulimit -f';

describe('a command in the sandbox', () => {
  it('has limits of processes and file size, which it cannot raise, and nor can what it starts', async () => {
    expect(await outputOf(limits)).toBe('8192\n33554432');
    expect(await outputOf(`ulimit -u 9000; ulimit -f unlimited; ulimit -Su 8193; ${limits}`)).toMatch(
      /8192\n33554432$/,
    );
    expect(await outputOf(`bash -c '${limits}'; setsid bash -c '${limits}'; (${limits})`)).toBe(
      Array.from({ length: 3 }, () => '8192\n33554432').join('\n'),
    );
    const raised = 'import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (2**40, 2**40))';
    expect(await outputOf(`python3 -c '${raised}'`)).toMatch(/not allowed to raise maximum limit/);
  });

  it.each([
    'truncate -s 40G huge',
    'dd if=/dev/zero of=huge bs=1 count=1 seek=40G',
    "python3 -c \"f = open('huge', 'wb'); f.seek(40 * 2**30); f.write(b'x'); f.flush()\"",
    "node -e \"require('fs').truncateSync(require('fs').openSync('huge', 'w'), 40 * 2 ** 30)\"",
    'fallocate -l 40G huge',
  ])('writes no file of 40 GB: %s', async (command) => {
    const { code } = await world.run(command);
    const size = spawnSync('stat', ['-c', '%s', join(world.project, 'huge')], { encoding: 'utf8' }).stdout.trim();
    rmSync(join(world.project, 'huge'), { force: true });
    expect([code !== 0, size === '' || Number(size) < 2 ** 35]).toEqual([true, true]);
  });

  it.skipIf(process.platform !== 'linux')('is what the system ends first when the memory is used up', async () => {
    expect(await outputOf("cat /proc/self/oom_score_adj; sh -c 'cat /proc/self/oom_score_adj'")).toBe('1000\n1000');
  });

  it('is otherwise as it was written', async () => {
    expect(await outputOf('echo $?; false; echo $?; echo "a\nb" | cat -A')).toBe('0\n1\na$\nb$');
    expect(await outputOf('nowhere-program')).toMatch(/line 1: nowhere-program: command not found/);
    expect(await outputOf('cat <<E\n# no comment\nE')).toBe('# no comment');
  });

  it('builds what reserves far more memory than there is', async () => {
    const wasm =
      'const m = Array.from({ length: 8 }, () => new WebAssembly.Memory({ initial: 1, maximum: 65536 })); console.log(m.length)';
    expect(await outputOf(`node -e '${wasm}'`)).toBe('8');
  });
});
