import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfinedRun } from '../../src/tools/sandbox/confinement';
import { SandboxWorld } from '../support/sandboxWorld';

const planted = ['.vscode', '.husky', 'AGENTS.md', '.envrc', '.mcp.json', '.github/workflows'];
const plant =
  'mkdir -p .vscode/x .husky .github/workflows; echo {} > .vscode/settings.json; echo {} > .vscode/tasks.json; ' +
  'for name in .husky/pre-commit AGENTS.md .envrc .mcp.json .github/workflows/x.yml; do echo evil > $name; done; ';

/** Ways to make the removal of such files fail. Most of them do nothing to root, as which tests run in some containers. */
const ways: readonly (readonly [string, string])[] = [
  ['a folder inside that cannot be read', 'chmod 000 .vscode/x'],
  ['a folder that cannot be written', 'chmod 500 .vscode .husky .github/workflows'],
  ['the folder itself without permissions', 'chmod 000 .vscode .husky'],
  ['files without permissions', 'chmod 000 .vscode/settings.json AGENTS.md .envrc'],
  ['the open folder without permission to write', 'chmod 555 .'],
  ['a parent without permissions', 'chmod 000 .github'],
  ['a parent that can be read and not entered', 'chmod 444 .github .vscode'],
  ['both of these', 'chmod 000 .github/workflows; chmod 400 .github'],
  [
    'a deep chain without permissions',
    'cd .vscode; for i in $(seq 40); do mkdir d; cd d; done; for i in $(seq 40); do cd ..; chmod 000 d; done',
  ],
  ['a pipe', 'mkfifo .vscode/pipe .husky/pipe'],
  ['names that are no text', "touch .vscode/$'\\xff\\xfe' .husky/$'a\\nb'"],
  ['a link in a circle', 'ln -s . .vscode/loop; ln -s .. .husky/up'],
  ['links into nothing', 'ln -s /nowhere/x .vscode/none; ln -sfn nowhere .mcp.json'],
  ['a path that is too long', 'cd .vscode; for i in $(seq 60); do n=$(printf "%0200d" $i); mkdir $n; cd $n; done'],
  ['very many files', 'for i in $(seq 5000); do echo > .vscode/f$i; done'],
  ['a file where a folder is usual', 'rm -r .husky; echo evil > .husky; chmod 000 .husky'],
  ['hard links', 'ln AGENTS.md copy; ln .envrc .husky/copy'],
  ['the parent exchanged for a link', 'mkdir other; mv .github other/g; ln -s other/g .github'],
];

describe('files that only the user may allow are removed after a command', { timeout: 60_000 }, () => {
  let world: SandboxWorld;
  beforeAll(async () => {
    world = await SandboxWorld.start();
  });
  afterAll(() => {
    spawnSync('chmod', ['-R', 'u+rwx', world.base]);
    spawnSync('rm', ['-rf', world.home]);
    world.dispose();
  });
  beforeEach(() => {
    spawnSync('chmod', ['-R', 'u+rwx', world.home]);
    // Node itself cannot remove a path that is too long.
    spawnSync('rm', ['-rf', world.home]);
    for (const folder of [world.project, world.editor]) mkdirSync(folder, { recursive: true });
    world.removed.length = 0;
  });

  const isThere = (name: string): boolean =>
    lstatSync(join(world.project, name), { throwIfNoEntry: false }) !== undefined;

  it.each(ways)('in spite of %s', async (_, way) => {
    await world.run(`${plant} ${way}`);
    expect(planted.filter(isThere)).toEqual([]);
    expect(world.removed.flatMap(({ left }) => left)).toEqual([]);
    expect(world.confinement.hasLeftovers).toBe(false);
  });

  it.each(ways)('and stay without the sandbox, with %s', (_, way) => {
    spawnSync('bash', ['-c', `${plant} ${way}`], { cwd: world.project });
    spawnSync('chmod', ['-R', 'u+rwx', world.project]);
    expect(planted.filter(isThere).length).toBeGreaterThanOrEqual(planted.length - 1);
  });

  it("but not what a command restores that was the user's before, with the same content in the same place", async () => {
    const git = (text: string): unknown => spawnSync('bash', ['-c', text], { cwd: world.project });
    world.write('src/a.ts');
    git('git init -qb main; git config user.name a; git config user.email a@b; git add -A; git commit -qm 1');
    world.write('eslint.config.js', 'ours');
    world.write('.husky/pre-commit', 'ours');
    git('git checkout -qb lint; git add -A; git commit -qm 2');
    await world.run('true');
    git('git checkout -q main');
    const before = isThere('eslint.config.js') || isThere('.husky');
    await world.run('git checkout -q lint; mkdir -p b; cp eslint.config.js b; echo evil > .husky/pre-push');
    expect([
      before,
      ...['eslint.config.js', '.husky/pre-commit', '.husky/pre-push', 'b/eslint.config.js'].map(isThere),
    ]).toEqual([false, true, true, false, false]);
    rmSync(join(world.project, 'eslint.config.js'));
    await world.run('echo evil > eslint.config.js');
    expect(isThere('eslint.config.js')).toBe(false);
  });

  it('also if another command starts and ends while they are there', async () => {
    const { confinement } = world;
    const start = (command: string): ReturnType<typeof confinement.confine> =>
      confinement.confine(command, '/bin/bash', { hosts: [], folder: world.project, aside: world.aside });
    const play = ({ program, args }: ConfinedRun): unknown =>
      spawnSync(program, [...args], { cwd: world.project, env: { PATH: process.env['PATH'] ?? '' } });
    const first = await start('echo evil > AGENTS.md');
    play(first);
    const second = await start('true');
    play(second);
    await second.ended();
    const between = isThere('AGENTS.md');
    await first.ended();
    expect([between, isThere('AGENTS.md')]).toEqual([true, false]);
    // From then on it would be the user's, had it been noted.
    await world.run('echo evil > AGENTS.md');
    expect(isThere('AGENTS.md')).toBe(false);
  });

  it('but not keys, samples of settings, and what is none of them', async () => {
    await world.run('for name in a.pem id_rsa .env.example a.ts .env .npmrc; do echo x > $name; done');
    expect(['a.pem', 'id_rsa', '.env.example', 'a.ts', '.env', '.npmrc'].filter(isThere)).toEqual([
      'a.pem',
      'id_rsa',
      '.env.example',
      'a.ts',
    ]);
    const { output } = await world.run(
      'cat .env.example; cat a.pem; echo y > a.pem; rm -f a.pem; echo z > .env.example',
    );
    expect([output.trim().startsWith('x'), isThere('a.pem')]).toEqual([true, true]);
  });

  it('or are reported, and the next command is asked about until they are gone', async () => {
    const { confinement } = world;
    world.write(world.aside, 'a file in the way');
    const run = await confinement.confine('echo evil > AGENTS.md', '/bin/bash', {
      hosts: [],
      folder: world.project,
      aside: world.aside,
    });
    spawnSync(run.program, [...run.args], { cwd: world.project, env: { PATH: process.env['PATH'] ?? '' } });
    const end = await run.ended();
    const before = confinement.hasLeftovers;
    rmSync(join(world.project, 'AGENTS.md'));
    expect([end.left, before, confinement.hasLeftovers]).toEqual([['AGENTS.md'], true, false]);
  });

  it('and a command whose guard has died is ended, and counts as one that left something', async () => {
    const { confinement } = world;
    const run = await confinement.confine('true', '/bin/bash', {
      hosts: [],
      folder: world.project,
      aside: world.aside,
    });
    const died = new Promise((resolve) => run.danger.addEventListener('abort', resolve));
    const helper = spawnSync('pgrep', ['-f', world.helper], { encoding: 'utf8' }).stdout.trim();
    for (const pid of helper.split('\n')) process.kill(Number(pid), 'SIGKILL');
    await died;
    expect([(await run.ended()).left, confinement.hasLeftovers]).toEqual([['~/code/project'], true]);
  });
});
