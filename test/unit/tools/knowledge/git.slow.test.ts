import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessPaths } from '../../../../src/tools/accessPaths';
import { gitCommand } from '../../../../src/tools/knowledge/git/gitCommand';
import { gitTools } from '../../../../src/tools/knowledge/git/gitTools';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import { WorkspacePaths } from '../../../../src/tools/workspacePaths';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { denying } from '../../../support/readDenials';
import { aToolCall } from '../../../support/toolCalls';

let home: string;
let repository: string;
const settings = {
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', repository, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
    env: { ...process.env, ...settings },
  });
const write = (name: string, text: string) => writeFileSync(join(repository, name), text);

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-git-')));
  repository = join(home, 'project');
  mkdirSync(join(repository, 'src'), { recursive: true });
  git('init', '-q', '-b', 'main');
  write('src/a.ts', 'one\n');
  write('.env', 'PASSWORD=old\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function needs(roots = [{ name: 'project', path: repository }], isTrusted = true, deniesReading = denying()) {
  const files = new FolderOnDisk(roots);
  const environment = { ...process.env, GIT_EXTERNAL_DIFF: 'false', GIT_DIR: '/nowhere', HOME: home };
  return {
    git: gitCommand({ executable: () => 'git', startIn: home, environment }),
    files,
    paths: new WorkspacePaths(files),
    access: new AccessPaths(files),
    deniesReading,
    isTrusted: () => isTrusted,
  };
}

async function run(name: string, input: unknown = {}, given = needs()) {
  const output = await new ToolRegistry(gitTools(given)).run(
    { callId: 'c', name, arguments: JSON.stringify(input) },
    new AbortController().signal,
    aToolCall(),
  );
  return `${output.outcome}: ${output.text.replaceAll(home, '<home>').replace(/\b[0-9a-f]{7,}\b/g, '<hash>')}`;
}

describe('git_status', () => {
  it('reports the branch and the changed files', async () => {
    expect(await run('git_status')).toBe('done: ## main\nNothing is changed.');
    write('src/a.ts', 'two\n');
    write('new.ts', '');
    expect(await run('git_status')).toBe('done: ## main\n M src/a.ts\n?? new.ts');
  });

  it('stays inside the open folder when that is a part of the repository', async () => {
    write('elsewhere.ts', '');
    write('src/b.ts', '');
    expect(await run('git_status', {}, needs([{ name: 'src', path: join(repository, 'src') }]))).toBe(
      'done: ## main\n?? b.ts',
    );
  });

  it('checks every open folder, and a folder without git does not block the others', async () => {
    mkdirSync(join(home, 'plain'));
    const both = needs([
      { name: 'project', path: repository },
      { name: 'plain', path: join(home, 'plain') },
    ]);
    expect(await run('git_status', {}, both)).toBe(
      'done: ## project\n## main\nNothing is changed.\n\n## plain\nThe open folder is no git repository.',
    );
  });

  it('does not run in a folder that is not trusted', async () => {
    expect(await run('git_status', {}, needs(undefined, false))).toMatch(
      /^failed: Git is unavailable because this folder isn’t trusted/,
    );
  });

  it('leaves the index alone', async () => {
    write('src/a.ts', 'two\n');
    const index = () => execFileSync('sha1sum', [join(repository, '.git', 'index')], { encoding: 'utf8' });
    const before = index();
    await run('git_status');
    expect(index()).toBe(before);
  });
});

describe('git_diff', () => {
  it('shows unstaged, staged and committed differences', async () => {
    write('src/a.ts', 'two\n');
    expect(await run('git_diff')).toContain('-one\n+two');
    expect(await run('git_diff', { staged: true })).toBe('done: There are no differences.');
    git('add', '-A');
    expect(await run('git_diff', { staged: true })).toContain('-one\n+two');
    git('commit', '-q', '-m', 'Second');
    expect(await run('git_diff', { ref: 'HEAD~1..HEAD', path: 'src' })).toContain('-one\n+two');
    rmSync(join(repository, 'src', 'a.ts'));
    expect(await run('git_diff', { path: 'src/a.ts' })).toContain('-two');
  });

  it('withholds files that may hold secrets until their path is requested', async () => {
    write('.env', 'PASSWORD=new\n');
    write('src/a.ts', 'two\n');
    const all = await run('git_diff');
    expect(all).toContain('+two');
    expect(all).toContain('(.env differs too. It may hold secrets: ask for it by its path.)');
    expect(all).not.toContain('PASSWORD');
    const [, diff] = gitTools(needs());
    const bound = diff?.bind({ path: '.env' });
    expect(bound?.kind === 'ready' && (await bound.asks?.(new AbortController().signal))).toMatchObject({
      access: { kind: 'read', paths: [{ shown: '.env', isInside: true }] },
    });
    expect(await run('git_diff', { path: '.env' })).toContain('+PASSWORD=new');
  });

  it.each([
    ' .npmrc',
    '\n.npmrc',
    '.npmrc ',
    './.npmrc',
    'src/../.npmrc',
    ' id_rsa',
    '\tsecrets.json',
    ' .netrc',
    'file://.npmrc',
  ])('asks before it shows %j', async (path) => {
    for (const name of ['.npmrc', 'id_rsa', 'secrets.json', '.netrc']) write(name, 'old\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'Secrets');
    for (const name of ['.npmrc', 'id_rsa', 'secrets.json', '.netrc']) write(name, 'PASSWORD\n');
    const [, diff] = gitTools(needs());
    const bound = diff?.bind({ path });
    const name = /[^/\s]+(?=\s*$)/.exec(path)?.[0];
    expect(bound?.kind === 'ready' && (await bound.asks?.(new AbortController().signal))).toMatchObject({
      access: { kind: 'read', paths: [{ shown: name, path: join(repository, name ?? ''), isInside: true }] },
    });
  });

  it('asks for a file behind a link that may hold secrets, and for a deleted file with such a name', async () => {
    symlinkSync('.env', join(repository, 'notes.md'));
    rmSync(join(repository, '.env'));
    write('secrets.json', '');
    symlinkSync('secrets.json', join(repository, 'plain.md'));
    const [, diff] = gitTools(needs());
    const asked = async (path: string) => {
      const bound = diff?.bind({ path });
      const asks = bound?.kind === 'ready' ? await bound.asks?.(new AbortController().signal) : null;
      return asks?.access.kind === 'read' ? asks.access.paths.map(({ shown }) => shown) : null;
    };
    expect([await asked('plain.md'), await asked('.env'), await asked('src/a.ts'), await asked('src')]).toEqual([
      ['plain.md', 'secrets.json'],
      ['.env'],
      null,
      null,
    ]);
  });

  it('withholds what a deny rule covers, and asks for it when it is named, so that the rule answers', async () => {
    mkdirSync(join(repository, 'private'));
    for (const name of ['private/plan.md', 'private/gone.md']) write(name, 'old\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'Private');
    write('private/plan.md', 'hidden\n');
    rmSync(join(repository, 'private', 'gone.md'));
    write('src/a.ts', 'two\n');
    symlinkSync('private/plan.md', join(repository, 'notes.md'));
    const linked = join(home, 'linked');
    symlinkSync(repository, linked);
    for (const [rule, root] of [
      ['read(private/*)', repository],
      [`read(${repository}/private/**)`, linked],
    ] as const) {
      const given = needs([{ name: 'project', path: root }], true, denying(rule));
      const withheld =
        '(private/gone.md differs too. Withheld: a rule denies reading it.)\n(private/plan.md differs too. Withheld: a rule denies reading it.)';
      const all = await run('git_diff', {}, given);
      expect(all).toContain('+two');
      expect(all).toContain(withheld);
      expect(all).not.toContain('hidden');
      expect(all).not.toContain('old');
      expect(await run('git_diff', { path: 'private' }, given)).toBe(`done: ${withheld}`);
      expect(await run('git_diff', { path: 'private/plan.md' }, given)).not.toContain('hidden');
      const [, diff] = gitTools(given);
      for (const path of ['private/plan.md', 'private/gone.md', 'notes.md']) {
        const bound = diff?.bind({ path });
        expect(bound?.kind === 'ready' && (await bound.asks?.(new AbortController().signal))).toMatchObject({
          access: { kind: 'read' },
        });
      }
    }
  });

  it('shows nothing below a name that was once a file', async () => {
    write('keys', 'plain\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'A file');
    rmSync(join(repository, 'keys'));
    mkdirSync(join(repository, 'keys'));
    write('keys/.env', 'PASSWORD\n');
    git('add', '-A');
    expect(await run('git_diff', { staged: true })).not.toContain('PASSWORD');
  });

  it.each(['--output=/tmp/x', '-O', 'HEAD:.env', 'main; rm', '$(id)'])(
    'does not accept %s as a commit',
    async (ref) => {
      expect(await run('git_diff', { ref })).toMatch(/is no name of a commit/);
    },
  );

  it.each([
    ['../other', 'is outside the open folder'],
    ['/etc', 'is outside the open folder'],
  ])('refuses %s', async (path, sentence) => expect(await run('git_diff', { path })).toContain(sentence));
});

describe('git_log', () => {
  it('lists commits, newest first, as many as requested', async () => {
    write('src/a.ts', 'two\n');
    git('commit', '-q', '-a', '-m', 'Second');
    expect(await run('git_log')).toBe('done: <hash> 2026-01-02 Ann: Second\n<hash> 2026-01-02 Ann: First');
    expect(await run('git_log', { count: 1, path: '.env' })).toBe('done: <hash> 2026-01-02 Ann: First');
  });

  it('explains a repository without commits and a path that git does not know', async () => {
    rmSync(join(repository, '.git'), { recursive: true });
    git('init', '-q', '-b', 'main');
    expect(await run('git_log')).toBe('failed: The repository has no commits yet.');
  });
});

describe('the settings of a repository', () => {
  const trap = (): string => join(home, 'sprung');
  const configure = (text: string) => appendFileSync(join(repository, '.git', 'config'), text);

  it.each([
    ['a file system monitor', () => configure(`[core]\n\tfsmonitor = "touch '${trap()}'"\n`)],
    ['an external diff', () => configure(`[diff]\n\texternal = "touch '${trap()}' #"\n`)],
    [
      'a diff driver',
      () => (
        configure(`[diff "x"]\n\tcommand = "touch '${trap()}' #"\n\ttextconv = "touch '${trap()}' #"\n`),
        write('.git/info/attributes', '* diff=x\n')
      ),
    ],
    [
      'a filter',
      () => (
        configure(`[filter "x"]\n\tclean = "touch '${trap()}'; cat"\n\trequired = true\n`),
        write('.git/info/attributes', '* filter=x\n')
      ),
    ],
    [
      'a filter process from an included file',
      () => (
        write('.git/more', `[filter "x"]\n\tprocess = "touch '${trap()}'"\n\tsmudge = cat\n`),
        configure('[include]\n\tpath = more\n'),
        write('.git/info/attributes', '* filter=x\n')
      ),
    ],
    [
      'a pager',
      () => configure(`[core]\n\tpager = "touch '${trap()}'"\n[pager]\n\tlog = "touch '${trap()}'"\n\tstatus = true\n`),
    ],
    ['an alias', () => configure(`[alias]\n\tstatus = "!touch '${trap()}'"\n\tlog = "!touch '${trap()}'"\n`)],
    ['a signature check', () => configure(`[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "${trap()}"\n`)],
  ])('run nothing: %s', async (_case, set) => {
    mkdirSync(join(repository, '.git', 'info'), { recursive: true });
    set();
    write('src/a.ts', 'two\n');
    const told = [await run('git_status'), await run('git_diff'), await run('git_log')];
    expect(existsSync(trap())).toBe(false);
    expect(told).toEqual([
      expect.stringContaining('M src/a.ts'),
      expect.stringContaining('+two'),
      expect.stringContaining('First'),
    ]);
  });

  it('do not lead to another folder', async () => {
    configure(`[core]\n\tworktree = ${home}\n`);
    expect(await run('git_status')).not.toContain('project');
    rmSync(join(repository, '.git', 'config'));
    mkdirSync(join(home, 'private'));
    configure(`[core]\n\trepositoryformatversion = 0\n\tworktree = ${join(home, 'private')}\n`);
    writeFileSync(join(home, 'private', 'key.txt'), 'hidden');
    expect(await run('git_status')).toBe(
      'failed: The open folder is not the working tree of its repository, so git is not asked.',
    );
  });
});

it('a machine without git is reported as such', async () => {
  const given = {
    ...needs(),
    git: gitCommand({ executable: () => join(home, 'no-git'), startIn: home, environment: {} }),
  };
  expect(await run('git_status', {}, given)).toBe('failed: git is not installed on this machine, or not on its PATH.');
});
