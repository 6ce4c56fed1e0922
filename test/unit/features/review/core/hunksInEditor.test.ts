import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangedFilesWorld } from '../../../../support/review/changedFilesWorld';

let world: ChangedFilesWorld;
beforeEach(async () => {
  world = await ChangedFilesWorld.open();
});
afterEach(() => world.dispose());

const ten = Array.from({ length: 10 }, (_, index) => `${index + 1}\n`).join('');
const path = (): string => world.path('a.ts');
const hunks = () => world.files.hunks(null, path());
const shown = async (): Promise<readonly string[]> =>
  (await hunks()).map(({ line, removed, added }) => `${line}: ${removed.join('|')} > ${added.join('|')}`);
const act = async (action: 'keep' | 'revert', index: number) =>
  world.files.reviewHunk(null, path(), (await hunks())[index]?.id ?? '', action);
const state = async (turnUid = 't1'): Promise<string | undefined> =>
  (await world.files.ofTurns([turnUid]))[turnUid]?.[0]?.state;

describe('the changes of a file in its editor', () => {
  it('of several turns are those between the content before the first and the present one', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'deux\n').replace('9\n', 'nine\n'), { turnUid: 't2' });
    const before = await shown();
    await act('keep', 1);
    await act('revert', 0);
    expect([before, world.text('a.ts'), await shown()]).toEqual([
      ['2: 2 > deux', '9: 9 > nine'],
      ten.replace('9\n', 'nine\n'),
      [],
    ]);
  });

  it('that were kept are not undone with a later change of the same line', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    await act('keep', 0);
    await world.agent('a.ts', ten.replace('2\n', 'deux\n').replace('8\n', 'huit\n'), { turnUid: 't2' });
    const before = await shown();
    await act('revert', 0);
    expect([before, world.text('a.ts'), await shown()]).toEqual([
      ['2: two > deux', '8: 8 > huit'],
      ten.replace('2\n', 'two\n').replace('8\n', 'huit\n'),
      ['8: 8 > huit'],
    ]);
  });

  it('are undone in the turn that made them last, and can be brought back there', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'deux\n'), { turnUid: 't2' });
    await act('revert', 0);
    const undoable = (await world.files.newestRevertOf(path()))?.turnUid;
    const first = await world.files.undoReverts('t1', null);
    const text = world.text('a.ts');
    await world.files.undoReverts('t2', null);
    expect([undoable, first.sentence, text, world.text('a.ts'), await shown()]).toEqual([
      't2',
      null,
      ten,
      ten.replace('2\n', 'deux\n'),
      ['2: 2 > deux'],
    ]);
  });

  it.each([
    ['kept', ['revert 0', 'keep 0', 'back']],
    ['kept before', ['keep 1', 'revert 0', 'back']],
  ] as const)('that come back are open again, also when the other change was %s', async (_when, steps) => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    for (const each of steps) {
      const [action = '', index] = each.split(' ');
      if (action === 'back') await world.files.undoReverts('t1', null);
      else await act(action === 'keep' ? 'keep' : 'revert', Number(index));
    }
    expect([await shown(), await state()]).toEqual([['2: 2 > two'], 'partly']);
  });

  it.each([
    ['at once', ''],
    ['with an edit elsewhere', 'mine\n'],
  ])('that the editor’s own undo brings back are open again: %s', async (_when, more) => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    await act('revert', 0);
    await act('keep', 0);
    world.person('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n') + more);
    expect(await shown()).toEqual(['2: 2 > two']);
  });

  it('of a file that the user edited, too, are kept and undone when an agent deletes it', async () => {
    for (const action of ['keep', 'revert'] as const) {
      world.person('a.ts', ten);
      await world.agent('a.ts', ten.replace('2\n', 'two\n'));
      world.person('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'mine\n'));
      await world.agent('a.ts', null);
      const outcome = await act(action, 0);
      expect([outcome.sentence, world.text('a.ts'), await shown()]).toEqual([
        null,
        action === 'keep' ? null : ten.replace('8\n', 'mine\n'),
        [],
      ]);
    }
  });

  it('are not undone with nothing when what was accepted is no longer stored', async () => {
    world.person('a.ts', 'one\n');
    await world.agent('a.ts', 'two\n');
    await shown();
    world.loseContents();
    await act('revert', 0);
    expect(world.text('a.ts')).toBe('one\n');
  });

  it('that only look like one that was undone, in another place, are the user’s own', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', '2\n}\n'));
    await act('revert', 0);
    world.person('a.ts', ten.replace('8\n', '8\n}\n'));
    expect(await shown()).toEqual([]);
  });

  it('of all sessions are found again after a reload, without those that are older than 30 days', async () => {
    world.person('a.ts', ten);
    world.person('b.ts', ten);
    await world.agent('b.ts', ten.replace('1\n', 'one\n'));
    await world.clock.advance(31 * 24 * 60 * 60 * 1000);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('c.ts', 'c\n', { turnUid: 't3' });
    await world.agent('d.ts', 'd\n', { turnUid: 't2' });
    await world.files.reviewFiles('t2', null, 'keep', false);
    world.reload();
    expect(await world.files.toReview(() => true)).toEqual(['t1', 't3']);
  });

  it('are kept with the last of them, for each turn that made them', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('9\n', 'nine\n'), { turnUid: 't2' });
    await act('keep', 0);
    const first = [await state('t1'), await state('t2')];
    await act('keep', 0);
    expect([first, [await state('t1'), await state('t2')]]).toEqual([
      ['kept', 'open'],
      ['kept', 'kept'],
    ]);
  });

  it('are still shown where the user changed the same lines, and without the user’s other changes', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    world.person('a.ts', ten.replace('2\n', 'my two\n').replace('5\n', 'my five\n').replace('8\n', 'eight\n'));
    const before = await shown();
    const outcome = await act('revert', 0);
    expect([before, outcome.sentence, world.text('a.ts'), await shown()]).toEqual([
      ['2: 2 > my two', '8: 8 > eight'],
      null,
      ten.replace('5\n', 'my five\n').replace('8\n', 'eight\n'),
      ['8: 8 > eight'],
    ]);
  });

  it('that are undone can be brought back, with what the user made of them', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('8\n', 'eight\n'));
    const mine = ten.replace('2\n', 'my two\n').replace('8\n', 'eight\n');
    world.person('a.ts', mine);
    await act('revert', 0);
    world.reload();
    await world.files.undoReverts('t1', null);
    expect(world.text('a.ts')).toBe(mine);
  });

  it('are one for a created file; undoing it deletes the file, and leaves what the user added', async () => {
    await world.agent('a.ts', 'new\n');
    const before = await shown();
    await act('revert', 0);
    const first = world.text('a.ts');
    await world.files.undoReverts('t1', null);
    world.person('a.ts', 'new\nmine\n');
    await act('revert', 0);
    expect([before, first, world.text('a.ts')]).toEqual([['1:  > new'], null, 'mine\n']);
  });

  it('that are gone by now are refused', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    const [hunk] = await hunks();
    world.person('a.ts', ten.replace('2\n', 'my two\n'));
    expect([
      (await world.files.reviewHunk(null, path(), hunk?.id ?? '', 'revert')).sentence,
      world.text('a.ts'),
    ]).toEqual(['This change to a.ts no longer exists.', ten.replace('2\n', 'my two\n')]);
  });
});
