import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../../../src/store/storeError';
import { ChangedFilesWorld, type Content } from '../../../../support/review/changedFilesWorld';

let world: ChangedFilesWorld;
beforeEach(async () => {
  world = await ChangedFilesWorld.open();
});
afterEach(() => world.dispose());

const done = { sentence: null, conflicts: [] };
const ten = Array.from({ length: 10 }, (_, index) => `${index + 1}\n`).join('');
const revert = (paths: readonly string[] | null = null, overwrite = false) =>
  world.files.reviewFiles('t1', paths, 'revert', overwrite);
const undo = (paths: readonly string[] | null = null) => world.files.undoReverts('t1', paths);
const states = async (turnUid = 't1'): Promise<readonly string[]> =>
  ((await world.files.ofTurns([turnUid]))[turnUid] ?? []).map(
    ({ shown, state, canUndoRevert }) => `${shown} ${state}${canUndoRevert === true ? ' undoable' : ''}`,
  );

/** Bytes of these files; null where there is no file. */
function bytesOf(names: readonly string[]): Readonly<Record<string, Buffer | null>> {
  return Object.fromEntries(
    names.map((name) => {
      const bytes = world.bytes(name);
      return [name, bytes === null ? null : Buffer.from(bytes)];
    }),
  );
}

/** Before and after the turn: every kind of file that a revert writes. */
const kinds: Readonly<Record<string, readonly [Content, Content]>> = {
  'edited.ts': [ten, ten.replace('2\n', 'two\n')],
  'created.ts': [null, 'brand new\n'],
  'deep/down/created.ts': [null, 'no end'],
  'deleted.ts': ['gone\n', null],
  'emptied.ts': ['full\n', ''],
  'crlf.txt': ['a\r\nb\r\n', 'a\r\nB\r\n'],
  'mixed.txt': ['a\r\nb\nc\r', 'a\nb\r\nd\r'],
  'bom.txt': [Buffer.from('\ufeffa\r\nb\r\n'), Buffer.from('\ufeffa\r\nB\n')],
  'lostBom.txt': [Buffer.from('\ufeffa\n'), Buffer.from('a\n')],
  'utf16.txt': [
    Buffer.concat([Uint8Array.of(0xff, 0xfe), Buffer.from('a\nb', 'utf16le')]),
    Buffer.concat([Uint8Array.of(0xff, 0xfe), Buffer.from('a\nB\r\n', 'utf16le')]),
  ],
  'latin.txt': [Uint8Array.of(0x61, 0xe9, 0x0a), Uint8Array.of(0x61, 0xe8, 0x0a)],
  'image.png': [Uint8Array.of(0, 255, 1), Uint8Array.of(0, 1, 2, 3)],
  'created.png': [null, Uint8Array.of(0, 9, 9)],
  'deleted.png': [Uint8Array.of(0, 7), null],
};
const names = Object.keys(kinds);

async function turnOverEveryKind(): Promise<void> {
  for (const [name, [before]] of Object.entries(kinds)) if (before !== null) world.person(name, before);
  for (const [name, [, after]] of Object.entries(kinds)) await world.agent(name, after);
}

describe('the revert of a turn', () => {
  it.each([
    ['in the same window', false],
    ['after a reload', true],
  ] as const)(
    'is undone byte for byte %s: created, deleted, binary files, line endings and byte order marks',
    async (_when, reloads) => {
      for (const [name, [before]] of Object.entries(kinds)) if (before !== null) world.person(name, before);
      const before = bytesOf(names);
      await turnOverEveryKind();
      const after = bytesOf(names);
      const first = await revert();
      const reverted = bytesOf(names);
      const listed = await states();
      if (reloads) world.reload();
      const second = await undo();
      expect({ first, reverted, listed, second, now: bytesOf(names), states: await states() }).toEqual({
        first: done,
        reverted: before,
        listed: names.map((name) => `${name} reverted undoable`),
        second: done,
        now: after,
        states: names.map((name) => `${name} open`),
      });
    },
  );

  it('can be repeated and undone again, as often as the user wants', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    const texts: (string | null)[] = [];
    for (const step of [revert, undo, revert, undo]) {
      await step();
      texts.push(world.text('a.ts'));
    }
    expect([texts, await states(), world.db.verifyIntegrity()]).toEqual([
      ['old\n', 'new\n', 'old\n', 'new\n'],
      ['a.ts open'],
      [],
    ]);
  });

  it('is undone for one file alone, and later for the others', async () => {
    await turnOverEveryKind();
    await revert();
    await undo([world.path('edited.ts')]);
    const one = (await states()).filter((file) => !file.endsWith('undoable'));
    await undo();
    expect([one, (await states()).filter((file) => !file.endsWith(' open'))]).toEqual([['edited.ts open'], []]);
  });

  it('gives files that the user had kept their state back', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    await world.agent('b.ts', 'b\n');
    await world.files.reviewFiles('t1', [world.path('a.ts')], 'keep', false);
    await revert();
    await undo();
    expect(await states()).toEqual(['a.ts kept', 'b.ts open']);
  });

  it('that discarded later changes of the user gives them back', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('new.ts', 'new\n');
    world.person('a.ts', ten.replace('2\n', 'my two\n'));
    world.person('new.ts', 'new\nand mine\n');
    await revert(null, true);
    const reverted = [world.text('a.ts'), world.text('new.ts')];
    world.reload();
    const outcome = await undo();
    expect([reverted, outcome, world.text('a.ts'), world.text('new.ts')]).toEqual([
      [ten, null],
      done,
      ten.replace('2\n', 'my two\n'),
      'new\nand mine\n',
    ]);
  });
});

describe('undoing a revert', () => {
  it('keeps what the user changed in other lines since', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await revert();
    world.person('a.ts', ten.replace('9\n', 'mine\n'));
    expect([await undo(), world.text('a.ts')]).toEqual([done, ten.replace('2\n', 'two\n').replace('9\n', 'mine\n')]);
  });

  it('refuses for a file that was changed in the same lines or created again, and changes nothing', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('new.ts', 'new\n');
    await world.agent('other.ts', 'other\n');
    await revert();
    world.person('a.ts', ten.replace('2\n', 'my two\n'));
    world.person('new.ts', 'mine\n');
    const refused = await undo();
    const texts = [world.text('a.ts'), world.text('new.ts'), world.text('other.ts')];
    world.person('new.ts', null);
    const later = await undo();
    expect({ refused, texts, later: [later.sentence, world.text('new.ts')] }).toEqual({
      refused: {
        sentence:
          'These files have been changed in the same places since they were reverted, so the revert wasn’t undone: new.ts, a.ts. What it replaced is still saved.',
        conflicts: [],
      },
      texts: [ten.replace('2\n', 'my two\n'), 'mine\n', 'other\n'],
      later: [expect.stringContaining('wasn’t undone: a.ts.'), 'new\n'],
    });
  });

  it('brings single changes back one after the other, the last one first', async () => {
    world.person('a.ts', ten);
    const changed = ten.replace('2\n', 'two\n').replace('8\n', 'eight\n');
    await world.agent('a.ts', changed);
    const revertFirst = async (): Promise<void> => {
      const [hunk] = await world.files.hunks('t1', world.path('a.ts'));
      await world.files.reviewHunk('t1', world.path('a.ts'), hunk?.id ?? '', 'revert');
    };
    await revertFirst();
    const listed = await states();
    await revertFirst();
    const none = world.text('a.ts');
    world.reload();
    await undo();
    const one = world.text('a.ts');
    await undo();
    expect([listed, none, one, world.text('a.ts'), await states()]).toEqual([
      ['a.ts partly undoable'],
      ten,
      ten.replace('8\n', 'eight\n'),
      changed,
      ['a.ts open'],
    ]);
  });

  it('has nothing to do where the editor undid the revert', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    await revert();
    world.person('a.ts', 'new\n');
    expect([await states(), await undo(), world.text('a.ts')]).toEqual([['a.ts open'], done, 'new\n']);
  });

  it('covers what Rewind reverted in several turns, found by the session', async () => {
    world.person('a.ts', 'zero\n');
    await world.agent('a.ts', 'one\n');
    await world.agent('a.ts', 'two\n', { turnUid: 't2' });
    await world.agent('b.ts', 'b\n', { turnUid: 't3' });
    await world.files.revertFrom('t2');
    const reverted = [world.text('a.ts'), world.text('b.ts')];
    world.reload();
    const newest = await world.files.newestRevert(['s1']);
    const outcome = await world.files.undoRevert(newest);
    expect({
      reverted,
      outcome,
      files: [world.text('a.ts'), world.text('b.ts')],
      states: [await states(), await states('t2'), await states('t3')],
      left: await world.files.newestRevert(['s1']),
    }).toEqual({
      reverted: ['one\n', null],
      outcome: done,
      files: ['two\n', 'b\n'],
      states: [['a.ts changedSince'], ['a.ts open'], ['b.ts open']],
      left: [],
    });
  });

  it('finds the newest revert of a session', async () => {
    for (const name of ['a.ts', 'b.ts', 'c.ts']) await world.agent(name, `${name}\n`);
    await revert([world.path('a.ts')]);
    world.clock.advance(1000);
    await revert([world.path('b.ts'), world.path('c.ts')]);
    const newest = async (): Promise<readonly string[]> =>
      (await world.files.newestRevert(['s1'])).map(({ path }) => path.split('/').at(-1) ?? '');
    const first = await newest();
    await world.files.undoRevert(await world.files.newestRevert(['s1']));
    expect([first, await newest()]).toEqual([['b.ts', 'c.ts'], ['a.ts']]);
  });
});

const ended = new StoreError('invalid', 'the process ended', 'test');

describe('the content that a revert replaces', () => {
  it('is stored before the file is touched, so that a crash in between loses nothing', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    world.person('a.ts', 'new\nand mine\n');
    let stored: string | null = null;
    world.editor.beforeWriting = () => {
      const [record] = world.db.fileChangesOf(['reverts/s1']);
      const bytes = typeof record?.before === 'string' ? world.db.fileContent(record.before) : null;
      stored = bytes === null ? null : Buffer.from(bytes).toString();
    };
    await revert(null, true);
    expect(stored).toBe('new\nand mine\n');
  });

  it('is offered, and the files are shown as reverted, when a process ended before it marked them', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    await world.agent('b.ts', 'b\n');
    await world.files.reviewFiles('t1', null, 'keep', false);
    world.clock.advance(1000);
    const marking = vi.spyOn(world.db, 'markReviewed').mockImplementation(() => {
      throw new Error('the process ended');
    });
    await expect(revert()).rejects.toThrow('the process ended');
    marking.mockRestore();
    world.reload();
    const reverted = [world.text('a.ts'), world.text('b.ts'), await states()];
    expect([reverted, await undo(), world.text('a.ts'), world.text('b.ts'), await states()]).toEqual([
      ['old\n', null, ['a.ts reverted undoable', 'b.ts reverted undoable']],
      done,
      'new\n',
      'b\n',
      ['a.ts kept', 'b.ts kept'],
    ]);
  });

  it.each([
    ['nothing was stored of what the revert left', false],
    ['and the file was changed in other lines since', true],
  ])('can be put back when a process ended right after it wrote a file: %s', async (_when, isEdited) => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('b.ts', 'b\n');
    const apply = world.editor.apply.bind(world.editor);
    const ends = (): never => {
      throw ended;
    };
    vi.spyOn(world.editor, 'apply').mockImplementationOnce((...args) => apply(...args).then(ends));
    const completing = vi.spyOn(world.db, 'completeFileChanges').mockImplementation(ends);
    await expect(revert()).rejects.toThrow('the process ended');
    completing.mockRestore();
    world.reload();
    const reverted = [world.text('a.ts'), world.text('b.ts')];
    if (isEdited) world.person('a.ts', ten.replace('9\n', 'mine\n'));
    const outcome = await undo();
    const back = ten.replace('2\n', 'two\n');
    expect([reverted, outcome, world.text('a.ts'), world.text('b.ts')]).toEqual([
      [ten, 'b\n'],
      done,
      isEdited ? back.replace('9\n', 'mine\n') : back,
      'b\n',
    ]);
  });

  it('is not offered when a process ended before it wrote the file', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    vi.spyOn(world.editor, 'apply').mockRejectedValueOnce(new Error('the process ended'));
    vi.spyOn(world.db, 'completeFileChanges').mockImplementationOnce(() => {
      throw ended;
    });
    await expect(revert()).rejects.toThrow('the process ended');
    world.reload();
    expect([world.text('a.ts'), await states(), await undo(), world.text('a.ts')]).toEqual([
      'new\n',
      ['a.ts open'],
      done,
      'new\n',
    ]);
  });

  it('leaves no content behind that nothing names when a formatter changed the file while it was saved', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    const apply = world.editor.apply.bind(world.editor);
    vi.spyOn(world.editor, 'apply').mockImplementationOnce(async (...args) => {
      await apply(...args);
      world.person('a.ts', ten.replace('5\n', 'formatted\n'));
    });
    const [hunk] = await world.files.hunks('t1', world.path('a.ts'));
    await world.files.reviewHunk('t1', world.path('a.ts'), hunk?.id ?? '', 'revert');
    expect([world.text('a.ts'), world.db.verifyIntegrity()]).toEqual([ten.replace('5\n', 'formatted\n'), []]);
  });

  it('leaves no record when the file could not be written', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    world.editor.beforeWriting = () => world.person('a.ts', 'just now\n');
    const outcome = await revert();
    expect([outcome.conflicts, world.text('a.ts'), await states()]).toEqual([
      [world.path('a.ts')],
      'just now\n',
      ['a.ts changedSince'],
    ]);
  });

  it('goes with the session that is forgotten', async () => {
    world.person('a.ts', 'old\n');
    await world.agent('a.ts', 'new\n');
    world.person('a.ts', 'xylophonic\n');
    await revert(null, true);
    world.db.forgetSession('s1');
    expect([world.db.fileChangesOf(['reverts/s1']), world.db.verifyIntegrity()]).toEqual([[], []]);
  });
});

it('a file that the user does not let a revert write stays as it is, and the others are reverted', async () => {
  world.person('a.ts', ten);
  world.person('.envrc', 'safe\n');
  await world.agent('a.ts', 'changed\n');
  await world.agent('.envrc', 'changed\n');
  const asked: string[] = [];
  world.mayWrite = (path, bytes) => {
    asked.push(`${path.slice(world.folder.length + 1)}: ${Buffer.from(bytes ?? []).toString()}`);
    return !path.endsWith('.envrc');
  };
  const outcome = await revert();
  expect({ outcome, asked, ...bytesOf(['a.ts', '.envrc']), listed: await states() }).toEqual({
    outcome: done,
    asked: [`a.ts: ${ten}`, '.envrc: safe\n'],
    'a.ts': Buffer.from(ten),
    '.envrc': Buffer.from('changed\n'),
    listed: ['a.ts reverted undoable', '.envrc open'],
  });
  world.mayWrite = () => false;
  expect([await undo(), bytesOf(['a.ts'])]).toEqual([done, { 'a.ts': Buffer.from(ten) }]);
});
