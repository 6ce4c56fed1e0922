import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as systemPause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { runGit, type RunGit } from '../../../../src/tools/files/changes/gitProgram';
import { GitSnapshots } from '../../../../src/tools/files/changes/gitSnapshots';
import { NotWatched } from '../../../../src/tools/files/changes/snapshot';
import { ScanSnapshots } from '../../../../src/tools/files/changes/scanSnapshots';
import { WorkspaceCheckpoint } from '../../../../src/tools/files/changes/changeRecorder';
import { ChangedFilesWorld } from '../../../support/review/changedFilesWorld';
import { aToolCall } from '../../../support/toolCalls';

let world: ChangedFilesWorld;
let home: string;
beforeEach(async () => {
  world = await ChangedFilesWorld.open();
  home = mkdtempSync(join(tmpdir(), 'hermes-checkpoints-'));
});
afterEach(() => {
  world.dispose();
  rmSync(home, { recursive: true, force: true });
});

// No budget of the machine the test runs on decides its outcome.
const patient: RunGit = (call) => runGit({ ...call, timeoutMs: 60_000 });
const frozen = { ...systemClock, monotonicMs: () => 0 };
const checkpoint = (git: RunGit = patient, clock = frozen): WorkspaceCheckpoint =>
  new WorkspaceCheckpoint({
    journal: world.journal,
    git: new GitSnapshots(git, clock, () => home),
    scan: new ScanSnapshots(clock),
    isOn: () => true,
    roots: () => [world.folder],
    clock,
    log: silentLog,
  });
const call = aToolCall({ sessionId: 's1', turnUid: 't1' });
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: world.folder, encoding: 'utf8' });
const shortOf = (changed: readonly { readonly path: string; readonly kind: string }[]): readonly string[] =>
  changed.map(({ path, kind }) => `${kind} ${path.slice(world.folder.length + 1)}`).sort();

const tooLarge = 'x'.repeat(10 * 1024 * 1024 + 1);

/** Every file below a folder, with what it holds. */
function everything(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

/** A repository with a commit, something staged, something stashed, and a file that is not in it. */
function repository(): void {
  git('init', '-q');
  world.person('.gitignore', 'ignored.txt\n');
  for (const name of ['a.ts', 'b.ts', 'staged.ts']) world.person(name, `${name}\n`);
  git('add', '-A');
  git('commit', '-qm', 'first');
  world.person('a.ts', 'stashed\n');
  git('stash', '-q');
  world.person('staged.ts', 'staged\n');
  git('add', 'staged.ts');
  world.person('staged.ts', 'staged and more\n');
  world.person('new.ts', 'not in Git\n');
}

const theCommand = async (): Promise<number> => {
  world.person('a.ts', 'by the command\n');
  world.person('staged.ts', 'by the command\n');
  world.person('new.ts', null);
  world.person('made/deep.ts', 'made\n');
  world.person('ignored.txt', 'ignored');
  return 7;
};

describe('a command in a Git work tree', () => {
  it('has its changes recorded, and leaves index, stash, refs and objects alone byte for byte', async () => {
    repository();
    const before = everything(join(world.folder, '.git'));
    const { value, changed, note } = await checkpoint().around(call, world.folder, theCommand);
    const listed = await world.listed();
    const outcome = await world.files.reviewFiles('t1', null, 'revert', false);
    expect({
      value,
      changed: shortOf(changed),
      note,
      git: everything(join(world.folder, '.git')),
      listed,
      outcome,
      texts: ['a.ts', 'staged.ts', 'new.ts', 'made/deep.ts', 'ignored.txt'].map((name) => world.text(name)),
    }).toEqual({
      value: 7,
      changed: ['created made/deep.ts', 'deleted new.ts', 'edited a.ts', 'edited staged.ts'],
      note: null,
      git: before,
      listed: [
        'a.ts edited +1 -1 open',
        'made/deep.ts created +1 -0 open',
        'new.ts deleted +0 -1 open',
        'staged.ts edited +1 -1 open',
      ],
      outcome: { sentence: null, conflicts: [] },
      texts: ['a.ts\n', 'staged and more\n', 'not in Git\n', null, 'ignored'],
    });
  });

  it('is checked again for each command, also from a subfolder', async () => {
    repository();
    const each = checkpoint();
    mkdirSync(join(world.folder, 'below'));
    const changed: (readonly string[])[] = [];
    for (const text of ['one\n', 'two\n', 'two\n'])
      changed.push(
        shortOf((await each.around(call, join(world.folder, 'below'), async () => world.person('b.ts', text))).changed),
      );
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect({ changed, text: world.text('b.ts') }).toEqual({
      changed: [['edited b.ts'], ['edited b.ts'], []],
      text: 'b.ts\n',
    });
  });

  it('restores line endings as they were on disk, and reports files that Git converted and it cannot restore', async () => {
    git('init', '-q');
    git('config', 'core.autocrlf', 'true');
    world.person('committed.txt', 'a\r\nb\r\n');
    utimesSync(world.path('committed.txt'), 1000, 1000);
    git('add', '-A');
    git('commit', '-qm', 'first');
    world.person('untracked.txt', 'a\r\nb\r\n');
    const { changed, note } = await checkpoint().around(call, world.folder, async () => {
      world.person('committed.txt', 'x');
      world.person('untracked.txt', 'x');
    });
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect({ changed: shortOf(changed), note, text: world.text('untracked.txt') }).toEqual({
      changed: ['edited untracked.txt'],
      text: 'a\r\nb\r\n',
      note: 'Some of what this command changed in files cannot be reverted: what was there before is not known or not kept for committed.txt.',
    });
  });

  it('runs no program of the repository during the check', async () => {
    repository();
    const hook = join(world.folder, 'ran');
    for (const name of ['post-index-change', 'pre-commit'])
      writeFileSync(join(world.folder, '.git', 'hooks', name), `#!/bin/sh\necho ran > '${hook}'\n`, { mode: 0o755 });
    git('config', 'core.fsmonitor', `echo ran > '${hook}'`);
    git('config', 'filter.evil.clean', `sh -c "echo ran > '${hook}'; cat"`);
    world.person('.gitattributes', '* filter=evil\n');
    rmSync(hook, { force: true });
    const { note } = await checkpoint().around(call, world.folder, async () => world.person('a.ts', 'x\n'));
    expect([world.text('ran'), note]).toEqual([null, null]);
  });

  it('works before the first commit, with odd names, links and a nested repository', async () => {
    git('init', '-q');
    const odd = [
      'with space.ts',
      'ünï.ts',
      '-dash.ts',
      '[glob]*.ts',
      ...(process.platform === 'win32' ? [] : ['new\nline.ts', 'quote".ts']),
    ];
    for (const name of odd) world.person(name, 'old\n');
    symlinkSync('with space.ts', join(world.folder, 'link'));
    execFileSync('git', ['init', '-q', join(world.folder, 'inner')]);
    const { changed, note } = await checkpoint().around(call, world.folder, async () =>
      odd.forEach((name) => world.person(name, 'new\n')),
    );
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect({ changed: changed.length, note, texts: odd.map((name) => world.text(name)) }).toEqual({
      changed: odd.length,
      note: null,
      texts: odd.map(() => 'old\n'),
    });
  });
});

describe('a repository that is not as it should be', () => {
  const changed = async (act: () => void, each = checkpoint()): Promise<readonly unknown[]> => {
    const { changed, note } = await each.around(call, world.folder, async () => act());
    return [...shortOf(changed), note];
  };

  it.skipIf(process.platform === 'win32').each(['.git/index', '.git/info/exclude'])(
    'has a pipe at %s',
    async (name) => {
      repository();
      world.person(name, null);
      mkdirSync(join(world.folder, '.git/info'), { recursive: true });
      execFileSync('mkfifo', [world.path(name)]);
      expect(await changed(() => world.person('b.ts', 'by the command\n'))).toEqual(['edited b.ts', null]);
    },
  );

  it('names the work tree of another one', async () => {
    repository();
    const other = mkdtempSync(join(tmpdir(), 'hermes-other-'));
    execFileSync('git', ['init', '-q', other]);
    git('config', 'core.worktree', other);
    expect(await changed(() => world.person('b.ts', 'by the command\n'))).toEqual(['edited b.ts', null]);
    rmSync(other, { recursive: true });
  });

  it('holds another text than the file, which the same second and size hide', async () => {
    repository();
    const untilNextSecond = (): Promise<void> => systemPause(1010 - (Date.now() % 1000));
    await untilNextSecond();
    world.person('b.ts', 'one\n');
    git('add', 'b.ts');
    world.person('b.ts', 'two\n');
    await untilNextSecond();
    await changed(() => world.person('b.ts', 'by the command\n'));
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect(world.text('b.ts')).toBe('two\n');
  });

  it.skipIf(process.platform === 'win32')('has a link in the place of a folder', async () => {
    world.person('folder/inner.ts', 'inner\n');
    repository();
    const outside = mkdtempSync(join(tmpdir(), 'hermes-other-'));
    writeFileSync(join(outside, 'inner.ts'), 'of somebody else\n');
    const act = (): void => {
      rmSync(world.path('folder'), { recursive: true });
      symlinkSync(outside, world.path('folder'));
      world.person('b.ts', 'by the command\n');
    };
    const each = checkpoint();
    const said = await changed(act, each);
    const inner = { paths: [world.path('folder/inner.ts')], tree: null };
    const isRestored = await each.restores(world.folder, inner);
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect([said, world.text('b.ts'), readFileSync(join(outside, 'inner.ts'), 'utf8'), isRestored]).toEqual([
      ['deleted folder/inner.ts', 'edited b.ts', expect.stringMatching(/not kept for folder\.$/)],
      'b.ts\n',
      'of somebody else\n',
      false,
    ]);
    rmSync(outside, { recursive: true });
  });

  it('is watched again after its snapshots were cleaned away', async () => {
    repository();
    const each = checkpoint();
    await changed(() => world.person('b.ts', 'one\n'), each);
    for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true });
    expect(await changed(() => world.person('b.ts', 'by the command\n'), each)).toEqual(['edited b.ts', null]);
  });
});

describe('a command in a folder without Git', () => {
  const noGit: RunGit = () => Promise.reject(new Error('there is no Git'));

  it('has its changes recorded, except in folders that tools fill', async () => {
    world.person('a.ts', 'a\r\n');
    world.person('image.png', Uint8Array.of(0, 1));
    world.person('new.ts', 'x');
    const { changed, note } = await checkpoint(noGit).around(call, world.folder, async () => {
      world.person('a.ts', 'A\n');
      world.person('image.png', Uint8Array.of(2));
      world.person('new.ts', null);
      world.person('made.ts', 'x');
      world.person('node_modules/x.js', 'x');
    });
    await world.files.reviewFiles('t1', null, 'revert', false);
    expect({
      changed: shortOf(changed),
      note,
      texts: ['a.ts', 'new.ts', 'made.ts'].map((name) => world.text(name)),
      image: [...(world.bytes('image.png') ?? [])],
    }).toEqual({
      changed: ['created made.ts', 'deleted new.ts', 'edited a.ts', 'edited image.png'],
      note: null,
      texts: ['a\r\n', 'x', null],
      image: [0, 1],
    });
  });

  it('is distinguished from one outside the open folders', async () => {
    const { value, note } = await checkpoint(noGit).around(call, tmpdir(), async () => 'ran');
    expect([value, note]).toEqual([
      'ran',
      'What this command changed in files cannot be reverted: it ran outside the open folders.',
    ]);
  });
});

describe.each([
  ['in Git', true],
  ['without Git', false],
] as const)('what the look before a command left out, %s', (_where, withGit) => {
  const noGit: RunGit = () => Promise.reject(new Error('there is no Git'));
  const large = (withGit ? 10 : 1) * 1024 * 1024 + 1;
  const begin = (): void => {
    if (!withGit || existsSync(world.path('.git'))) return;
    git('init', '-q');
    world.person('.gitignore', '.env\nbuild\n*.log\n');
    git('add', '-A');
    git('commit', '-qm', 'first');
  };
  /** Runs a command, reverts its turn, and reads the files. */
  const reverted = async (
    before: Readonly<Record<string, string | Uint8Array>>,
    run: () => void,
    names: readonly string[],
  ): Promise<{ readonly texts: unknown; readonly changed: readonly string[]; readonly note: string | null }> => {
    begin();
    for (const [name, content] of Object.entries(before)) world.person(name, content);
    await new Promise((resolve) => setTimeout(resolve, 40)); // stamps of the files are older than the look
    const { changed, note } = await checkpoint(withGit ? patient : noGit).around(call, world.folder, async () => run());
    await world.files.reviewFiles('t1', null, 'revert', false);
    return { texts: names.map((name) => world.text(name)?.slice(0, 20) ?? null), changed: shortOf(changed), note };
  };
  const notKept = (names: string): string =>
    `Some of what this command changed in files cannot be reverted: what was there before is not known or not kept for ${names}.`;

  const inGit = (name: string, run: () => Promise<void>): void => void (withGit && it(name, run));

  inGit('keeps ignored files whose rule the command removed, unlisted', async () => {
    const { texts, changed, note } = await reverted(
      { '.env': 'KEY=1', 'build/app.js': 'built', 'a.log': 'log' },
      () => world.person('.gitignore', ''),
      ['.env', 'build/app.js', 'a.log'],
    );
    expect([texts, changed, note]).toEqual([['KEY=1', 'built', 'log'], ['edited .gitignore'], null]);
  });

  inGit('keeps and names an ignored file that the command changed as well, and stores no word of it', async () => {
    const { texts, changed, note } = await reverted(
      { '.env': 'KEY=1' },
      () => {
        rmSync(world.path('.gitignore'));
        rmSync(world.path('.env'));
        world.person('.env', 'KEY=2');
      },
      ['.env'],
    );
    const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
      env: { GIT_DIR: join(home, readdirSync(home)[0] ?? '') },
      encoding: 'utf8',
    });
    expect([texts, changed, note, objects.includes('KEY=')]).toEqual([
      ['KEY=2'],
      ['deleted .gitignore'],
      notKept('.env'),
      false,
    ]);
  });

  inGit('keeps the files of a nested repository that became plain', async () => {
    const { texts, changed } = await reverted(
      {
        'vendor/a.c': 'a',
        'vendor/deep/b.c': 'b',
        'vendor/.git/HEAD': 'ref: refs/heads/main\n',
        'vendor/.git/objects/x': '',
        'vendor/.git/refs/x': '',
      },
      () => rmSync(world.path('vendor/.git'), { recursive: true }),
      ['vendor/a.c', 'vendor/deep/b.c'],
    );
    expect([texts, changed]).toEqual([['a', 'b'], []]);
  });

  it('keeps what was moved out of a folder that is not looked at', async () => {
    const { texts, note } = await reverted(
      { 'build/report.csv': 'report', 'build/deep/x.js': 'x' },
      () => {
        renameSync(world.path('build/report.csv'), world.path('report.csv'));
        renameSync(world.path('build/deep'), world.path('moved'));
      },
      ['report.csv', 'moved/x.js'],
    );
    expect([texts, note]).toEqual([['report', 'x'], notKept('moved/x.js, report.csv')]);
  });

  it('keeps what was moved in from outside', async () => {
    const outside = join(home, '..', `${basename(home)}-outside.txt`);
    writeFileSync(outside, 'outside');
    const { texts } = await reverted({}, () => renameSync(outside, world.path('in.txt')), ['in.txt']);
    expect(texts).toEqual(['outside']);
  });

  it('still takes back a file that was moved within what is looked at, and changed there', async () => {
    const { texts, note } = await reverted(
      { 'a.ts': 'a\n', 'b.ts': 'b\n' },
      () => {
        renameSync(world.path('a.ts'), world.path('a2.ts'));
        renameSync(world.path('b.ts'), world.path('b2.ts'));
        appendFileSync(world.path('b2.ts'), 'more\n');
      },
      ['a.ts', 'b.ts', 'a2.ts', 'b2.ts'],
    );
    expect([texts, note]).toEqual([['a\n', 'b\n', null, null], null]);
  });

  it('keeps a large file that was cut short, grew, was deleted, or appeared, and names it', async () => {
    const full = new Uint8Array(large).fill(97);
    const { texts, note } = await reverted(
      { 'cut.bin': full, 'gone.bin': full, 'small.txt': 'small' },
      () => {
        world.person('cut.bin', 'cut');
        rmSync(world.path('gone.bin'));
        world.person('small.txt', full);
        world.person('new.bin', full);
      },
      ['cut.bin'],
    );
    expect([texts, note]).toEqual([['cut'], notKept('cut.bin, gone.bin, new.bin, small.txt')]);
  });

  inGit('never shows the committed text as what a large file held before', async () => {
    begin();
    world.person('data.csv', 'committed');
    git('add', '-A');
    git('commit', '-qm', 'second');
    const { texts, changed } = await reverted(
      { 'data.csv': new Uint8Array(large).fill(97) },
      () => world.person('data.csv', 'cut'),
      ['data.csv'],
    );
    expect([texts, changed]).toEqual([['cut'], []]);
  });

  it.skipIf(process.platform === 'win32')('names links and permissions that it cannot restore', async () => {
    begin();
    symlinkSync('one', world.path('link'));
    symlinkSync('one', world.path('replaced'));
    world.person('run.sh', '#!/bin/sh\n');
    chmodSync(world.path('run.sh'), 0o755);
    const { note } = await reverted(
      {},
      () => {
        rmSync(world.path('link'));
        symlinkSync('two', world.path('link'));
        rmSync(world.path('replaced'));
        world.person('replaced', 'text');
        rmSync(world.path('run.sh'));
      },
      [],
    );
    expect(note).toBe(notKept(withGit ? 'link, replaced, run.sh (permission to run it)' : 'link, replaced'));
  });

  it('brings a file back where the command made a folder, and a folder where it made a file', async () => {
    const { texts } = await reverted(
      { a: 'file', 'd/x': 'x' },
      () => {
        rmSync(world.path('a'));
        world.person('a/deep/b', 'b');
        rmSync(world.path('d'), { recursive: true });
        world.person('d', 'file now');
      },
      ['a', 'd/x'],
    );
    expect(texts).toEqual(['file', 'x']);
  });

  it('leaves a file in a folder that took a name alone, and brings back the others', async () => {
    begin();
    world.person('a', 'file');
    world.person('other', 'other');
    await checkpoint(withGit ? patient : noGit).around(call, world.folder, async () => {
      rmSync(world.path('a'));
      world.person('a/b', 'b');
      world.person('other', 'changed');
    });
    world.person('a/mine', 'mine');
    const { conflicts } = await world.files.reviewFiles('t1', null, 'revert', false);
    expect([world.text('a/mine'), world.text('other'), conflicts]).toEqual(['mine', 'other', []]);
  });

  inGit('sees files that Git was told not to look at', async () => {
    begin();
    world.person('quiet.ts', 'old');
    git('add', '-A');
    git('commit', '-qm', 'second');
    git('update-index', '--skip-worktree', 'quiet.ts');
    const { texts, changed } = await reverted({}, () => world.person('quiet.ts', 'new'), ['quiet.ts']);
    expect([texts, changed]).toEqual([['old'], ['edited quiet.ts']]);
  });

  // Nothing is closed to root.
  if (process.platform !== 'win32' && process.getuid?.() !== 0)
    it('keeps what it was not allowed to look at', async () => {
      begin();
      world.person('closed/a.txt', 'a');
      chmodSync(world.path('closed'), 0);
      const { texts } = await reverted({}, () => chmodSync(world.path('closed'), 0o755), ['closed/a.txt']);
      expect(texts).toEqual(['a']);
    });
});

describe('a command that cannot be checked', () => {
  it('runs anyway, with the reason', async () => {
    world.person('a.ts', 'a');
    let time = 0;
    const late = { ...systemClock, monotonicMs: () => (time += 3000) };
    const { value, changed, note } = await checkpoint(() => Promise.reject(new Error('none')), late).around(
      call,
      world.folder,
      async () => 'ran',
    );
    expect([value, changed, note]).toEqual([
      'ran',
      [],
      'What this command changed in files cannot be reverted: looking at the folder takes too long.',
    ]);
  });

  it('is not checked in vain again for a while', async () => {
    let looks = 0;
    let time = 0;
    const slow: RunGit = () => (looks++, Promise.reject(new NotWatched('looking at the folder takes too long')));
    const each = new WorkspaceCheckpoint({
      journal: world.journal,
      scan: new ScanSnapshots(frozen),
      isOn: () => true,
      roots: () => [],
      clock: { ...frozen, monotonicMs: () => time },
      log: silentLog,
      git: new GitSnapshots(slow, frozen, () => home),
    });
    const notes: (string | null)[] = [];
    for (const at of [0, 1000, 400_000]) {
      time = at;
      notes.push((await each.around(call, world.folder, async () => 'ran')).note);
    }
    expect([looks, new Set(notes).size]).toEqual([2, 1]);
  });

  it('runs anyway when its changes cannot be stored', async () => {
    const broken = new WorkspaceCheckpoint({
      journal: { record: () => Promise.reject(new Error('disk full')) },
      git: new GitSnapshots(patient, frozen, () => home),
      scan: new ScanSnapshots(frozen),
      isOn: () => true,
      roots: () => [world.folder],
      clock: frozen,
      log: silentLog,
    });
    const { note } = await broken.around(call, world.folder, async () => world.person('a.ts', 'a'));
    expect(note).toBe('What this command changed in files cannot be reverted: it could not be stored.');
  });

  it('that fails has its failure passed on and its earlier changes recorded', async () => {
    repository();
    const failing = checkpoint().around(call, world.folder, async () => {
      world.person('a.ts', 'half\n');
      throw new Error('exit 1');
    });
    await expect(failing).rejects.toThrow('exit 1');
    expect(await world.listed()).toEqual(['a.ts edited +1 -1 open']);
  });
});

describe('what a command would discard', () => {
  const held = (
    names: readonly string[],
    each = checkpoint(),
    tree: 'changed' | 'all' | null = null,
  ): Promise<boolean> => each.restores(world.folder, { paths: names.map((name) => join(world.folder, name)), tree });

  it.each([
    ['tracked, changed and untracked files', ['a.ts', 'staged.ts', 'new.ts'], true],
    ['what is not there', ['nothing'], true],
    ['folders that tools fill again', ['dist', 'node_modules/.cache', 'coverage'], true],
    ['a folder of such files', ['folder'], true],
    ['a file that Git ignores', ['ignored.txt'], false],
    ['such a file below a folder', ['mixed'], false],
    ['a link', ['link'], false],
    ['another repository', ['other'], false],
    ['a file that is too large', ['large.bin'], false],
    ['a file outside of the work tree', ['../elsewhere'], false],
  ])('is restored by a checkpoint in Git: %s', async (_, names, expected) => {
    repository();
    world.person('ignored.txt', 'ignored');
    world.person('folder/a.ts', 'a');
    world.person('mixed/a.ts', 'a');
    world.person('mixed/ignored.txt', 'ignored');
    world.person('dist/a.js', 'a');
    world.person('node_modules/.cache/a', 'a');
    world.person('other/.git/HEAD', 'ref: refs/heads/main');
    world.person('large.bin', tooLarge);
    world.person('../elsewhere', 'x');
    symlinkSync('a.ts', join(world.folder, 'link'));
    expect(await held(names)).toBe(expected);
    rmSync(join(world.folder, '../elsewhere'));
  });

  it.each([
    ['nothing else', () => undefined, [true, true]],
    ['a large file that is new', () => world.person('large.bin', tooLarge), [true, false]],
    ['a large file that changed', () => world.person('a.ts', tooLarge), [false, false]],
  ])('is the whole work tree: without and with new files, if there is %s', async (_, change, expected) => {
    repository();
    change();
    expect([await held(['b.ts'], undefined, 'changed'), await held([], undefined, 'all')]).toEqual(expected);
  });

  it('is not restored where Git stored it in another form and it was not changed since', async () => {
    git('init', '-q');
    git('config', 'core.autocrlf', 'true');
    for (const name of ['same.txt', 'changed.txt']) world.person(name, 'a\r\nb\r\n');
    world.person('plain.txt', 'a');
    utimesSync(world.path('same.txt'), 1000, 1000);
    git('add', '-A');
    git('commit', '-qm', 'first');
    world.person('changed.txt', 'c\r\n');
    const each = checkpoint();
    const found = await Promise.all(['plain.txt', 'changed.txt', 'same.txt'].map((name) => held([name], each)));
    expect(found).toEqual([true, true, false]);
  });

  it('is restored without Git too, unless the folder could not be looked at', async () => {
    const none: RunGit = () => Promise.reject(new Error('none'));
    world.person('a.ts', 'a');
    world.person('large.bin', 'x'.repeat(1024 * 1024 + 1));
    expect([await held(['a.ts'], checkpoint(none)), await held(['large.bin'], checkpoint(none))]).toEqual([
      true,
      false,
    ]);
    const late = { ...systemClock, monotonicMs: (): number => (at += 10_000) };
    let at = 0;
    expect(await held(['a.ts'], checkpoint(none, late))).toBe(false);
  });

  it('keeps a command from running that needs a checkpoint which cannot be made', async () => {
    repository();
    const broken = checkpoint((given) =>
      given.args.includes('write-tree') ? Promise.reject(new NotWatched('it is full')) : patient(given),
    );
    let hasRun = false;
    const run = async (): Promise<void> => void (hasRun = true);
    await expect(broken.around(call, world.folder, run, true)).rejects.toThrow('it is full');
    expect([hasRun, await held(['a.ts'], broken)]).toEqual([false, false]);
    await broken.around(call, world.folder, run);
    expect(hasRun).toBe(true);
  });
});
