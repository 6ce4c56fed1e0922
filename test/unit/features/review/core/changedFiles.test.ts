import { chmodSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangedFilesWorld } from '../../../../support/review/changedFilesWorld';

let world: ChangedFilesWorld;
beforeEach(async () => {
  world = await ChangedFilesWorld.open();
});
afterEach(() => world.dispose());

const revert = (paths: readonly string[] | null = null, overwrite = false) =>
  world.files.reviewFiles('t1', paths, 'revert', overwrite);
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const ten = lines('1', '2', '3', '4', '5', '6', '7', '8', '9', '10');

describe('files that a turn changed', () => {
  it('are listed once each, from before the first to after the last change, with their lines', async () => {
    world.person('edited.ts', ten);
    world.person('gone.ts', 'x\n');
    await world.agent('edited.ts', ten.replace('2\n', 'two\n'));
    await world.agent('edited.ts', ten.replace('2\n', 'two\n').replace('9\n', ''));
    await world.agent('new.ts', lines('a', 'b'));
    await world.agent('gone.ts', null);
    await world.agent('brief.ts', 'x');
    await world.agent('brief.ts', null);
    await world.agent('image.png', Uint8Array.of(0, 1, 2));
    expect({ listed: await world.listed(), other: await world.files.ofTurns(['t2']) }).toEqual({
      listed: [
        'edited.ts edited +1 -2 open',
        'new.ts created +2 -0 open',
        'gone.ts deleted +0 -1 open',
        'image.png created +null -null open',
      ],
      other: {},
    });
  });

  it('that cannot be written stay unchanged; the log has the reason', async () => {
    world.person('a.ts', 'one\n');
    await world.agent('a.ts', 'two\n');
    chmodSync(world.path('a.ts'), 0o444);
    expect({
      said: await revert(),
      text: world.text('a.ts'),
      logged: world.logged,
      listed: await world.listed(),
    }).toEqual({
      said: {
        sentence: 'These files couldn’t be written and haven’t changed: a.ts. See the log for details.',
        conflicts: [],
      },
      text: 'two\n',
      logged: [expect.stringMatching(/a\.ts was not reverted: .*is read-only/)],
      listed: ['a.ts edited +1 -1 open'],
    });
  });

  it.skipIf(process.platform === 'win32')('that cannot even be read do not keep the others from it', async () => {
    for (const name of ['a.ts', 'b.ts', 'c.ts']) world.person(name, 'one\n');
    for (const name of ['a.ts', 'b.ts', 'c.ts']) await world.agent(name, 'two\n');
    world.person('b.ts', null);
    symlinkSync('b.ts', world.path('b.ts'));
    expect([await revert(), world.text('a.ts'), world.text('c.ts'), world.logged]).toEqual([
      {
        sentence: 'These files couldn’t be written and haven’t changed: b.ts. See the log for details.',
        conflicts: [],
      },
      'one\n',
      'one\n',
      [expect.stringMatching(/b\.ts was not reverted: ELOOP/)],
    ]);
    const states = (await world.listed()).map((line) => line.split(' ').at(-1));
    expect([states[0], states[2]]).toEqual(['reverted', 'reverted']);
  });

  it('are reverted byte for byte: edited, created, deleted, binary, with byte order marks and line endings', async () => {
    const before = {
      'bom.txt': Buffer.from('\ufeffa\r\nb\r\n'),
      'utf16.txt': Buffer.concat([Uint8Array.of(0xff, 0xfe), Buffer.from('a\nb', 'utf16le')]),
      'latin.txt': Uint8Array.of(0x61, 0xe9, 0x0a),
      'image.png': Uint8Array.of(0, 255, 1),
      'gone.ts': Buffer.from('no end'),
      'empty.ts': Buffer.alloc(0),
    };
    for (const [name, content] of Object.entries(before)) world.person(name, content);
    await world.agent('bom.txt', 'a\nB\n');
    await world.agent('utf16.txt', 'ab\n');
    await world.agent('latin.txt', 'plain\n');
    await world.agent('image.png', Uint8Array.of(9));
    await world.agent('gone.ts', null);
    await world.agent('empty.ts', 'x');
    await world.agent('deep/new.ts', 'x');
    const outcome = await revert();
    expect({
      outcome,
      after: Object.fromEntries(Object.keys(before).map((name) => [name, Buffer.from(world.bytes(name) ?? [])])),
      made: world.bytes('deep/new.ts'),
      states: (await world.listed()).map((file) => file.split(' ').at(-1)),
    }).toEqual({
      outcome: { sentence: null, conflicts: [] },
      after: Object.fromEntries(Object.entries(before).map(([name, content]) => [name, Buffer.from(content)])),
      made: null,
      states: Array.from({ length: 7 }, () => 'reverted'),
    });
  });

  it('keep what the user has changed since in other places', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', ''));
    world.person('a.ts', ten.replace('2\n', 'two\n').replace('8\n', '').replace('5\n', 'mine\n'));
    const listed = await world.listed();
    const outcome = await revert();
    expect({ listed, outcome, text: world.text('a.ts'), after: await world.listed() }).toEqual({
      listed: ['a.ts edited +1 -2 changedSince'],
      outcome: { sentence: null, conflicts: [] },
      text: ten.replace('5\n', 'mine\n'),
      after: ['a.ts edited +1 -2 reverted'],
    });
  });

  it('keep what the user changed between two edits of the turn', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    world.person('a.ts', ten.replace('2\n', 'two\n').replace('5\n', 'mine\n'));
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('5\n', 'mine\n').replace('9\n', 'nine\n'));
    const hunks = (await world.files.hunks('t1', world.path('a.ts'))).map(({ removed, added }) => [removed, added]);
    await revert();
    expect({ hunks, text: world.text('a.ts') }).toEqual({
      hunks: [
        [['2'], ['two']],
        [['9'], ['nine']],
      ],
      text: ten.replace('5\n', 'mine\n'),
    });
  });

  it('stay unchanged where the user changed the same lines, until those are given up', async () => {
    world.person('a.ts', ten);
    world.person('b.ts', 'b\n');
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('b.ts', 'B\n');
    await world.agent('new.ts', 'new\n');
    world.person('a.ts', ten.replace('2\n', 'my two\n'));
    world.person('new.ts', 'new\nand mine\n');
    const first = await revert();
    const untouched = [world.text('a.ts'), world.text('b.ts'), world.text('new.ts')];
    const second = await revert([world.path('a.ts')], true);
    expect({ first, untouched, second, text: world.text('a.ts') }).toEqual({
      first: {
        sentence: 'These files have since been changed in the same places, so they weren’t reverted: a.ts, new.ts.',
        conflicts: [world.path('a.ts'), world.path('new.ts')],
      },
      untouched: [ten.replace('2\n', 'my two\n'), 'b\n', 'new\nand mine\n'],
      second: { sentence: null, conflicts: [] },
      text: ten,
    });
  });

  it('that change during the revert are not overwritten', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    world.editor.beforeWriting = () => world.person('a.ts', 'just now\n');
    expect([(await revert()).conflicts, world.text('a.ts')]).toEqual([[world.path('a.ts')], 'just now\n']);
  });

  it('of an earlier turn keep the changes of a later turn', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('9\n', 'nine\n'), { turnUid: 't2' });
    await revert();
    expect(world.text('a.ts')).toBe(ten.replace('9\n', 'nine\n'));
  });

  it('are all reverted, from a turn on', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', 'one\n');
    await world.agent('a.ts', 'two\n', { turnUid: 't2' });
    await world.agent('b.ts', 'b\n', { turnUid: 't2' });
    await world.agent('a.ts', 'three\n', { turnUid: 't3' });
    const from = (await world.files.from('t2')).map(({ shown }) => shown);
    const outcome = await world.files.revertFrom('t2');
    expect({
      from,
      outcome,
      a: world.text('a.ts'),
      b: world.text('b.ts'),
      left: await world.files.from('t2'),
      told: world.notified.map(({ turnUid }) => turnUid),
    }).toEqual({
      from: ['a.ts', 'b.ts'],
      outcome: { sentence: null, conflicts: [] },
      a: 'one\n',
      b: null,
      left: [],
      told: ['t2', 't3'],
    });
  });

  it('cut off in the middle of a call are shown as changed since, and restored on request', async () => {
    world.person('a.ts', 'old\n');
    world.person('same.ts', 'old\n');
    await world.agent('a.ts', 'half', { crash: true });
    await world.agent('same.ts', 'old\n', { crash: true });
    const listed = await world.listed();
    const first = await revert();
    const second = await revert(null, true);
    expect({ listed, conflicts: first.conflicts, second, text: world.text('a.ts') }).toEqual({
      listed: ['a.ts edited +null -null changedSince', 'same.ts edited +null -null reverted'],
      conflicts: [world.path('a.ts')],
      second: { sentence: null, conflicts: [] },
      text: 'old\n',
    });
  });

  it('that are too large are listed as changed, and marked as not revertible', async () => {
    const small = await ChangedFilesWorld.open(100);
    small.person('a.ts', 'x'.repeat(200));
    await small.agent('a.ts', 'y\n');
    const outcome = await small.files.reviewFiles('t1', null, 'revert', true);
    expect([await small.listed(), outcome.sentence, small.text('a.ts')]).toEqual([
      ['a.ts edited +null -null open'],
      'These files were too large to save a copy of, so they can’t be reverted: a.ts.',
      'y\n',
    ]);
    small.dispose();
  });

  it.each([
    ['kept', true],
    ['open', false],
  ] as const)('are %s again when a revert was undone in the editor', async (state, isKept) => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    if (isKept) await world.files.reviewFiles('t1', null, 'keep', false);
    const before = await world.listed();
    await revert();
    const reverted = await world.listed();
    world.person('a.ts', 'new\n');
    expect([before, reverted, await world.listed()]).toEqual([
      [`a.ts edited +1 -1 ${state}`],
      ['a.ts edited +1 -1 reverted'],
      [`a.ts edited +1 -1 ${state}`],
    ]);
  });

  it('are not recorded when checkpoints are off', async () => {
    world.isOn = false;
    await world.agent('a.ts', 'new\n');
    expect(await world.listed()).toEqual([]);
  });
});

describe('single changes of a file', () => {
  beforeEach(async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('5\n', '5\nnew\n').replace('9\n', ''));
  });
  const path = (): string => world.path('a.ts');
  const hunks = () => world.files.hunks('t1', path());
  const idOf = async (index: number): Promise<string> => (await hunks())[index]?.id ?? '';

  it('are listed with their lines and keep their identity while others are removed', async () => {
    const all = await hunks();
    await world.files.reviewHunk('t1', path(), all[0]?.id ?? '', 'revert');
    expect({
      all: all.map(({ line, removed, added }) => [line, removed, added]),
      left: (await hunks()).map(({ id }) => id),
      text: world.text('a.ts'),
      listed: await world.listed(),
    }).toEqual({
      all: [
        [2, ['2'], ['two']],
        [6, [], ['new']],
        [10, ['9'], []],
      ],
      left: all.slice(1).map(({ id }) => id),
      text: ten.replace('5\n', '5\nnew\n').replace('9\n', ''),
      listed: ['a.ts edited +2 -2 partly'],
    });
  });

  it('are reverted one by one to the original file', async () => {
    for (const index of [1, 1, 0]) await world.files.reviewHunk('t1', path(), await idOf(index), 'revert');
    expect([world.text('a.ts'), await world.listed(), await hunks()]).toEqual([
      ten,
      ['a.ts edited +2 -2 reverted'],
      [],
    ]);
  });

  it('are reverted although the user has changed other lines', async () => {
    world.person('a.ts', `mine\n${world.text('a.ts')}`);
    await world.files.reviewHunk('t1', path(), await idOf(1), 'revert');
    expect(world.text('a.ts')).toBe(`mine\n${ten.replace('2\n', 'two\n').replace('9\n', '')}`);
  });

  it('are reverted one by one where the user has changed the same lines', async () => {
    world.person('a.ts', (world.text('a.ts') ?? '').replace('two', 'my two'));
    const outcome = await world.files.reviewHunk('t1', path(), await idOf(0), 'revert');
    expect([(await hunks()).length, outcome.conflicts, world.text('a.ts')]).toEqual([
      2,
      [],
      ten.replace('5\n', '5\nnew\n').replace('9\n', ''),
    ]);
  });

  it('are kept one by one, and the file with the last of them', async () => {
    await world.files.reviewHunk('t1', path(), await idOf(0), 'keep');
    const first = [(await hunks()).length, await world.listed()];
    for (const index of [0, 0]) await world.files.reviewHunk('t1', path(), await idOf(index), 'keep');
    expect([first, (await hunks()).length, await world.listed()]).toEqual([
      [2, ['a.ts edited +2 -2 partly']],
      0,
      ['a.ts edited +2 -2 kept'],
    ]);
  });

  it('bring a removed line of the user back once, whichever of two turns is undone first', async () => {
    const orders = ['turn first', 'change first'] as const;
    const texts: (string | null)[] = [];
    for (const [index, order] of orders.entries()) {
      const name = `${index}.ts`;
      world.person(name, '1\n2\n3\n');
      await world.agent(name, '1\ntwo\n3\n', { turnUid: 't1' });
      world.person(name, '1\nmine\nyours\ntwo\n3\n');
      await world.agent(name, '1\nmine\ntwo\n3\n', { turnUid: 't2' });
      const ofTurn = () => world.files.reviewFiles('t2', null, 'revert', false);
      if (order === 'turn first') await ofTurn();
      const [hunk] = await world.files.hunks('t1', world.path(name));
      await world.files.reviewHunk('t1', world.path(name), hunk?.id ?? '', 'revert');
      if (order === 'change first') await ofTurn();
      texts.push(world.text(name));
    }
    expect(texts).toEqual(orders.map(() => '1\nmine\nyours\n2\n3\n'));
  });

  it('of a turn are undone although the user added an empty line beside them', async () => {
    world.person('b.ts', '1\n2\n\n3\n');
    await world.agent('b.ts', '1\ntwo\n3\n', { turnUid: 't2' });
    world.person('b.ts', '1\n\ntwo\n3\n');
    const { conflicts } = await world.files.reviewFiles('t2', null, 'revert', false);
    expect([conflicts, world.text('b.ts')]).toEqual([[], '1\n\n2\n\n3\n']);
  });

  it('that no longer exist are reported as missing', async () => {
    const outcome = await world.files.reviewHunk('t1', path(), 'none', 'revert');
    expect(outcome.sentence).toBe('This change to a.ts no longer exists.');
  });
});
