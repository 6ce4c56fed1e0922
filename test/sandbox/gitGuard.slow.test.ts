import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfinedOutcome, endGroup, SandboxWorld } from '../support/sandboxWorld';

describe('repositories and confined commands', { timeout: 60_000 }, () => {
  let world: SandboxWorld;
  beforeEach(async () => {
    world = await SandboxWorld.start();
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'one');
  });
  afterEach(() => world.dispose());

  const git = (...words: string[]): string =>
    spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: world.project,
      env: { PATH: process.env['PATH'] ?? '', HOME: world.home },
      encoding: 'utf8',
    }).stdout;
  const inProject = (path: string): string => join(world.project, path);
  /** Runs a command that is killed as the product does it. */
  const killed = async (command: string): Promise<ConfinedOutcome & { readonly wasEnded: boolean }> => {
    const { project, aside, home } = world;
    const run = await world.confinement.confine(command, '/bin/bash', { hosts: [], folder: project, aside });
    const child = spawn(run.program, [...run.args], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: 'ignore',
      detached: true,
    });
    run.danger.addEventListener('abort', () => endGroup(child));
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { code, output: '', ...(await run.ended()) };
  };

  it.each([
    ['git init made', 'made/.git/HEAD'],
    [
      'git init -q made; git -C made config user.name x; git -C made remote add o https://example.org/x',
      'made/.git/HEAD',
    ],
    ['git clone -q . made', 'made/.git/HEAD'],
    ['git clone -q --bare . made', 'made/HEAD'],
    ['git worktree add -q made -b made; git -C made status', 'made/.git'],
    ['git init -q --separate-git-dir=store made', 'made/.git'],
    ['git init -q made; git -C made sparse-checkout set x', 'made/.git/config.worktree'],
    ['git init -q made; git -C made worktree prune; git -C made gc -q', 'made/.git/HEAD'],
  ])('leave a new repository with ordinary settings alone: %s', async (command, file) => {
    const end = await killed(`${command} && echo > through`);
    expect({ ...end, isThere: existsSync(inProject(file)), through: existsSync(inProject('through')) }).toMatchObject({
      code: 0,
      wasEnded: false,
      takenOut: [],
      isThere: true,
      through: true,
    });
    expect(git('status', '--short')).not.toContain('fatal');
  });

  it('end as soon as something appears that would make Git run a program', async () => {
    const end = await killed('git init -q made; git -C made config core.fsmonitor ./x; sleep 1000; echo > survived');
    expect(end).toMatchObject({ wasEnded: true, takenOut: ['made/.git/config'] });
    expect([existsSync(inProject('survived')), existsSync(inProject('made/.git/config'))]).toEqual([false, false]);
    expect(readFileSync(join(world.aside, 'git/1/config'), 'utf8')).toContain('fsmonitor');
  });

  it('do not lose a file again that the user restored', async () => {
    const end = await killed(
      'mkdir -p a/b; cd a/b; git init -q r; mkdir -p r/.git/hooks; echo x > r/.git/hooks/pre-commit',
    );
    expect(end.takenOut).toEqual(['a/b/r/.git/hooks/pre-commit']);
    const [{ taken } = { taken: [] }] = world.removed;
    for (const { path, kept } of taken) writeFileSync(path, readFileSync(kept));
    expect((await killed('echo fine')).takenOut).toEqual([]);
    expect(existsSync(inProject('a/b/r/.git/hooks/pre-commit'))).toBe(true);
  });

  it('move nothing through a link that the command puts in place of a folder', async () => {
    const other = join(world.home, 'code/other');
    spawnSync('git', ['init', '-q', other]);
    spawnSync('git', ['-C', other, 'config', 'core.fsmonitor', './own']);
    await killed(
      `for i in $(seq 300); do mkdir -p s/.git; echo '[core' > s/.git/config; rm -rf s; ln -s ${other} s; rm s; done`,
    );
    await killed(`ln -s ${other} t; ln -s ${other}/.git u; mkdir v; ln -s ${other}/.git v/.git`);
    expect(readFileSync(join(other, '.git/config'), 'utf8')).toContain('./own');
  });

  it('leave no file of ours behind, and work beside one while they run', async () => {
    const run = world.run(
      'until [ -e go ]; do sleep 0.05; done; cat .git/commondir; git commit -q --allow-empty -m two; echo $?',
    );
    while (!existsSync(inProject('.git/commondir'))) await new Promise((resolve) => setTimeout(resolve, 20));
    const during = git('log', '--format=%s') + git('status', '--short');
    writeFileSync(inProject('go'), '');
    expect([during, (await run).output.replace(/^.*Author.*\n/gm, '').slice(0, 2)]).toEqual(['one\n', '.\n']);
    expect(existsSync(inProject('.git/commondir'))).toBe(false);
  });

  it('remove the file that a killed window left', async () => {
    writeFileSync(inProject('.git/commondir'), '.\n');
    await world.run('true');
    expect(existsSync(inProject('.git/commondir'))).toBe(false);
  });

  it('do not judge what the user has in a repository', async () => {
    git('config', 'core.fsmonitor', 'false');
    git('config', 'alias.x', '!true');
    mkdirSync(inProject('.git/hooks'), { recursive: true });
    writeFileSync(inProject('.git/hooks/pre-commit'), '');
    const run = killed('echo > started; until [ -e go ]; do sleep 0.05; done');
    while (!existsSync(inProject('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    git('config', 'alias.y', '!true');
    writeFileSync(inProject('go'), '');
    expect(await run).toMatchObject({ wasEnded: false, takenOut: [] });
  });
});
