import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangedFilesWorld } from '../../../support/changedFilesWorld';

let world: ChangedFilesWorld;
beforeEach(async () => {
  world = await ChangedFilesWorld.open();
});
afterEach(() => world.dispose());

const ten = Array.from({ length: 10 }, (_, index) => `${index + 1}\n`).join('');
const path = (): string => world.path('a.ts');
const hunks = (turns: readonly string[] = ['t1']) => world.files.hunksInEditor(turns, path());
const shown = async (turns?: readonly string[]): Promise<readonly string[]> =>
  (await hunks(turns)).map(
    ({ line, removed, added, state }) => `${line}: ${removed.join('|')} > ${added.join('|')} ${state}`,
  );
const act = async (action: 'keep' | 'revert', index: number, turns: readonly string[] = ['t1']) =>
  world.files.reviewHunkInEditor(turns, path(), (await hunks(turns))[index]?.id ?? '', action);
const state = async (turnUid = 't1'): Promise<string | undefined> =>
  (await world.files.ofTurns([turnUid]))[turnUid]?.[0]?.state;

describe('the changes of a file in its editor', () => {
  it('of several turns are those between the content before the first and the present one', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'deux\n').replace('9\n', 'nine\n'), { turnUid: 't2' });
    const before = await shown(['t1', 't2']);
    await act('keep', 1, ['t1', 't2']);
    await act('revert', 0, ['t1', 't2']);
    expect([before, world.text('a.ts'), await shown(['t1', 't2'])]).toEqual([
      ['2: 2 > deux open', '9: 9 > nine open'],
      ten.replace('9\n', 'nine\n'),
      ['9: 9 > nine kept'],
    ]);
  });

  it('are kept with the last of them, for each turn that made them', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    await world.agent('a.ts', ten.replace('2\n', 'two\n').replace('9\n', 'nine\n'), { turnUid: 't2' });
    await act('keep', 0, ['t1', 't2']);
    const first = [await state('t1'), await state('t2')];
    await act('keep', 1, ['t1', 't2']);
    expect([first, [await state('t1'), await state('t2')]]).toEqual([
      ['kept', 'partly'],
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
      ['2: 2 > my two open', '8: 8 > eight open'],
      null,
      ten.replace('5\n', 'my five\n').replace('8\n', 'eight\n'),
      ['8: 8 > eight open'],
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

  it('are one for a created file; undoing it deletes the file, unless the user changed it', async () => {
    await world.agent('a.ts', 'new\n');
    const before = await shown();
    world.person('a.ts', 'new\nmine\n');
    const refused = await act('revert', 0);
    const text = world.text('a.ts');
    world.person('a.ts', 'new\n');
    await act('revert', 0);
    expect([before, refused.conflicts, text, world.text('a.ts')]).toEqual([
      ['1:  > new open'],
      [path()],
      'new\nmine\n',
      null,
    ]);
  });

  it('that are gone by now are refused', async () => {
    world.person('a.ts', ten);
    await world.agent('a.ts', ten.replace('2\n', 'two\n'));
    const [hunk] = await hunks();
    world.person('a.ts', ten.replace('2\n', 'my two\n'));
    expect([
      (await world.files.reviewHunkInEditor(['t1'], path(), hunk?.id ?? '', 'revert')).sentence,
      world.text('a.ts'),
    ]).toEqual(['This change to a.ts no longer exists.', ten.replace('2\n', 'my two\n')]);
  });
});
