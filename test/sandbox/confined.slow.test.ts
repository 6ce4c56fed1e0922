import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxWorld } from '../support/sandboxWorld';

describe('a confined command', { timeout: 60_000 }, () => {
  let world: SandboxWorld;
  beforeAll(async () => {
    world = await SandboxWorld.start();
    const git = (...args: string[]) =>
      spawnSync('git', args, { cwd: world.project, env: { ...process.env, HOME: world.home } });
    git('init', '-q');
    git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m', 'one');
    world.write('src/a.ts', 'a');
    world.write('.env', 'KEY=secret');
    world.write('.vscode/settings.json', '{}');
    world.write(join(world.home, '.ssh/id_rsa'), 'private');
    world.write(join(world.home, '.bashrc'), 'ours');
    world.write(join(world.home, 'Documents/letter.txt'), 'dear');
    world.write(join(world.home, 'code/other/index.js'), 'other');
    world.write(join(world.home, '.nvm/node.sh'), 'tool');
    world.write(join(world.editor, 'settings.json'), '{}');
  });
  afterAll(() => world.dispose());

  it('works here', async () => {
    expect(await world.confinement.state()).toEqual({ kind: 'works' });
  });

  it("reads and changes the open folder and the temporary folder, and runs the machine's programs", async () => {
    expect(
      await world.run(
        `cat src/a.ts; echo b > src/b.ts; mkdir -p x/y && echo c > x/y/c; echo t > ${world.temporary}/t; git status --short | head -1; node -p 1+1; cat ~/.nvm/node.sh; exit 7`,
      ),
    ).toEqual({ code: 7, output: 'a?? .env\n2\ntool', stopped: [], takenOut: [] });
    expect([readFileSync(join(world.project, 'src/b.ts'), 'utf8'), existsSync(join(world.temporary, 't'))]).toEqual([
      'b\n',
      true,
    ]);
  });

  it('can commit in Git, and cannot change what Git runs', async () => {
    const done = await world.run(
      'git add src && git -c user.name=n -c user.email=e@x commit -qm two && git log --format=%s; git config core.pager ./evil; echo evil > .git/hooks/pre-commit; mv .git .git2; rm -rf .git/hooks; ls .git',
    );
    expect(done.output).toContain('two\none\n');
    expect(readFileSync(join(world.project, '.git/config'), 'utf8')).not.toContain('evil');
    expect([
      existsSync(join(world.project, '.git/hooks/pre-commit')),
      existsSync(join(world.project, '.git/hooks')),
    ]).toEqual([false, true]);
    expect(done.stopped).toEqual([expect.stringMatching(/^write to \d+ files in \.git$/)]);
  });

  it('cannot read or change what the rules of the user deny, however a command names it', async () => {
    const files = ['secret/x', 'secret/deep/y', 'notes/a.private', 'Upper/z', 'node_modules/p/q'];
    for (const name of files) world.write(name, 'hush');
    world.write('infra/main.tf', 'ours');
    world.write(join(world.home, '.nvm/plan.txt'), 'hush');
    symlinkSync('secret/x', join(world.project, 'way'));
    const attempts = [
      'cat sec*/x',
      'cat $(echo secret/x)',
      'cat secret/deep/y',
      'cat way',
      'grep -rh hush .',
      'cd secret && cat x',
      'cp -r secret copy && cat copy/x',
      'tar c secret notes | strings',
      'mv secret other; cat other/x',
      'ln secret/x hard; cat hard',
      'cat notes/*.private',
      'cat [U]pper/z',
      'cat node_modules/p/q',
      'cat ~/.nv*/plan.txt',
      `python3 -c 'print(open("secret/x").read())'`,
    ];
    const read = async (command: string): Promise<boolean> => (await world.run(command)).output.includes('hush');
    const outcome: [string, boolean][] = [];
    world.deny = [
      'read(secret/**)',
      'read(notes/*.private)',
      'read(upper/**)',
      'read(node_modules/p/**)',
      'read(~/.nvm/p*)',
    ];
    for (const command of attempts) outcome.push([command, await read(command)]);
    expect(outcome.filter(([, isRead]) => isRead)).toEqual([]);
    world.deny = ['edit(infra/**)'];
    const changed = await world.run(
      'echo evil >> inf*/main.tf; rm -rf infra; mv infra x; echo evil > infra/new; cat infra/main.tf',
    );
    expect([changed.output.endsWith('ours'), readFileSync(join(world.project, 'infra/main.tf'), 'utf8')]).toEqual([
      true,
      'ours',
    ]);
    world.deny = [];
    // The control: without the rules, all of it is read.
    expect([await read('cat sec*/x'), await read('cat [U]pper/z'), await read('cat ~/.nv*/plan.txt')]).toEqual([
      true,
      true,
      true,
    ]);
    for (const name of ['secret', 'notes', 'Upper', 'node_modules', 'infra', 'way', 'copy', 'hard', 'other', 'x'])
      rmSync(join(world.project, name), { recursive: true, force: true });
  });

  it.each([
    ['the home folder', 'echo x > ~/new', '~/new'],
    ['a start-up file', 'echo x >> ~/.bashrc', '~/.bashrc'],
    ['a file of the editor', 'echo x > ~/.config/Code/User/settings.json', null],
    ['what the editor runs', 'echo x > .vscode/settings.json', '.vscode/settings.json'],
    ['new beside what the editor runs', 'echo x > .vscode/tasks.json', '.vscode/tasks.json'],
    ['by another name of the folder', 'mv .vscode v && echo x > v/settings.json', null],
    ['through a link', 'ln -s ~/.bashrc l; echo x > l', '~/.bashrc'],
    ['the system', 'echo x > /etc/hermes-test', '/etc/hermes-test'],
  ])('does not write %s', async (_, command, path) => {
    const { code, stopped } = await world.run(command);
    if (path !== null) expect([code === 0, stopped]).toEqual([false, expect.arrayContaining([`write to ${path}`])]);
    expect([
      readFileSync(join(world.home, '.bashrc'), 'utf8'),
      readFileSync(join(world.editor, 'settings.json'), 'utf8'),
      readFileSync(join(world.project, '.vscode/settings.json'), 'utf8'),
      existsSync(join(world.home, 'new')),
      existsSync(join(world.project, '.vscode/tasks.json')),
      existsSync('/etc/hermes-test'),
    ]).toEqual(['ours', '{}', '{}', false, false, false]);
  });

  it.each([
    'cat .env',
    'cat ~/.ssh/id_rsa',
    'cat ~/.config/Code/User/settings.json',
    'cat ~/Documents/letter.txt',
    'cat ~/code/other/index.js',
    'ln -sf .env e2; cat e2',
    'cp ~/.ssh/id_rsa k; cat k',
    'cat /proc/1/environ | grep -a secret',
    'tar cf - .env | grep -a secret',
  ])("does not read secrets, the user's own files, or the editor's: %s", async (command) => {
    const { output, code } = await world.run(command);
    expect([
      output.includes('secret'),
      output.includes('private'),
      output.includes('dear'),
      output.includes('other\n'),
      output.includes('{}'),
      code === 0,
    ]).toEqual([false, false, false, false, false, false]);
  });

  it('reaches no host and no port of this machine', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked++;
      answer.end('reached');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const port = String((server.address() as AddressInfo).port);
    const inside = await world.run(
      `curl -sS -m 5 http://127.0.0.1:${port}/; curl -sS -m 5 --noproxy '' -x "$HTTP_PROXY" http://127.0.0.1:${port}/; curl -sS -m 5 --noproxy '' -x "$HTTP_PROXY" http://localhost:${port}/; curl -sS -m 5 https://example.org/`,
    );
    const outside = spawnSync('true');
    expect([
      inside.output.includes('reached'),
      asked,
      inside.stopped.includes('connect to example.org'),
      outside.status,
    ]).toEqual([false, 0, true, 0]);
    server.close();
  });

  it('reaches an allowed host, but not if its name leads to this machine', async () => {
    const { output, stopped } = await world.run(
      'curl -sS -m 8 -o /dev/null -w "%{http_connect}" https://registry.example.org/ 2>/dev/null; echo; curl -sS -m 8 https://other.example.org/',
      { hosts: ['registry.example.org'] },
    );
    // Without a network the allowed name cannot be found, which is another answer than the refusal.
    expect([/^(200|502|504)\n/.test(output), stopped]).toEqual([true, ['connect to other.example.org']]);
  });

  it('leaves no process behind, and no file of the sandbox', async () => {
    const mark = `sleep 9${Math.floor(Math.random() * 1e6)}`;
    await world.run(`${mark} & echo started`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(spawnSync('pgrep', ['-f', mark]).stdout.toString()).toBe('');
    expect(spawnSync('git', ['status', '--short', '--ignored'], { cwd: world.project }).stdout.toString()).not.toMatch(
      /husky|AGENTS|CLAUDE/,
    );
  });

  it('cannot leave files that an editor or an agent obeys: such files are taken out, and a copy is kept', async () => {
    const { takenOut } = await world.run(
      'ln -s nowhere CLAUDE.md; mkdir -p .husky .github/workflows; echo evil > .husky/pre-commit; echo evil > AGENTS.md; echo evil > .github/workflows/x.yml; echo fine > README.md',
    );
    expect(takenOut).toEqual(['.github/workflows', '.husky', 'AGENTS.md', 'CLAUDE.md']);
    expect([
      existsSync(join(world.project, '.husky')),
      existsSync(join(world.project, 'AGENTS.md')),
      existsSync(join(world.project, 'README.md')),
      readFileSync(join(world.aside, '3/AGENTS.md'), 'utf8'),
    ]).toEqual([false, false, true, 'evil\n']);
  });

  it('leaves what the editor wrote while it ran, and takes out and reports files of unknown origin', async () => {
    world.removed.length = 0;
    const running = world.run(
      'echo > started; until [ -e CLAUDE.md ]; do sleep 0.05; done; echo evil >> GEMINI.md; echo evil > .envrc',
    );
    while (!existsSync(join(world.project, 'started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const name of ['AGENTS.md', 'GEMINI.md', 'CLAUDE.md'])
      world.written.note(world.write(name, 'ours\n'), 'ours\n');
    expect((await running).takenOut).toEqual(['.envrc', 'GEMINI.md']);
    expect([existsSync(join(world.project, 'AGENTS.md')), existsSync(join(world.project, 'CLAUDE.md'))]).toEqual([
      true,
      true,
    ]);
    expect(world.removed.map(({ taken }) => taken.map(({ kept }) => readFileSync(kept, 'utf8')))).toEqual([
      ['evil\n', 'ours\nevil\n'],
    ]);
    for (const name of ['AGENTS.md', 'CLAUDE.md']) rmSync(join(world.project, name));
  });

  it('runs exactly the text it is given, whatever characters it contains', async () => {
    const text = `a'b"c\\d$e\`f;g|h&i(j)k<l>m*n?o[p]q{r}s!t~u#v
w`;
    world.write('text', text);
    const script = `cat <<'END'\n${text}\nEND\nprintf '%s' "'\\"'" ; echo '$(touch ~/pwned)'; echo "it's"`;
    expect((await world.run(script)).output).toBe(`${text}\n'"'$(touch ~/pwned)\nit's\n`);
  });

  it('in a repository whose files are elsewhere commits there, and changes nothing that runs there', async () => {
    const tree = join(world.home, 'code', 'tree');
    spawnSync('git', ['worktree', 'add', '-q', tree, '-b', 'side'], { cwd: world.project });
    world.folders = [tree];
    const { output } = await world.run(
      `git -c user.name=n -c user.email=e@x commit -q --allow-empty -m side && git log -1 --format=%s; echo evil > ${world.project}/.git/hooks/post-commit; echo evil > ${world.project}/src/a.ts; echo gitdir: /etc > .git`,
      { folder: tree },
    );
    world.folders = [world.project];
    expect([
      output.startsWith('side\n'),
      existsSync(join(world.project, '.git/hooks/post-commit')),
      readFileSync(join(world.project, 'src/a.ts'), 'utf8'),
    ]).toEqual([true, false, 'a']);
  });

  it('gains no write access to the target of a .git file that it made itself', async () => {
    const bare = join(world.home, 'code', 'bare');
    world.write(join(bare, 'x'), '');
    world.folders = [bare];
    await world.run(`echo 'gitdir: ${world.home}' > .git; touch ${world.home}/HEAD`, { folder: bare });
    await world.run(`echo x > ${world.home}/new`, { folder: bare });
    world.folders = [world.project];
    expect(existsSync(join(world.home, 'new'))).toBe(false);
  });

  it('is guarded if a guarded name is a link', async () => {
    world.write('shared/tasks.json', '{}');
    symlinkSync('shared', join(world.project, '.idea'));
    await world.run('echo evil > shared/tasks.json');
    expect(readFileSync(join(world.project, 'shared/tasks.json'), 'utf8')).toBe('{}');
  });

  it('guards repositories below the open folder', async () => {
    spawnSync('git', ['init', '-q', 'below'], { cwd: world.project });
    await world.run('echo evil > below/.git/hooks/pre-commit; echo evil >> below/.git/config');
    expect([
      existsSync(join(world.project, 'below/.git/hooks/pre-commit')),
      readFileSync(join(world.project, 'below/.git/config'), 'utf8').includes('evil'),
    ]).toEqual([false, false]);
  });

  it('is refused if its helper is not available, and the helper is started again after it was killed', async () => {
    spawnSync('pkill', ['-9', '-f', world.helper]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await world.run('echo again')).output).toBe('again\n');
  });
});
