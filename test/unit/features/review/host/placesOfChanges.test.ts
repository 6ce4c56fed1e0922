import { describe, expect, it, vi } from 'vitest';
import { changeAt, changeFrom, type ChangePlace } from '../../../../../src/features/review/host/reviewInEditor';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

/** Two changes in a.ts, of which the second only removes lines, and one in b.ts. */
const changes: readonly ChangePlace[] = [
  { path: 'a.ts', start: 2, end: 4 },
  { path: 'a.ts', start: 10, end: 10 },
  { path: 'b.ts', start: 0, end: 1 },
];
const at = (path: string, line: number): number => changeAt(changes, path, line);
const from = (path: string, line: number): readonly number[] =>
  (['next', 'previous'] as const).map((direction) => changeFrom(changes, { path, line }, direction));

describe('going from change to change', () => {
  it('finds the change at the cursor; removed lines are at the lines around them', () => {
    expect([at('a.ts', 1), at('a.ts', 2), at('a.ts', 3), at('a.ts', 4)]).toEqual([-1, 0, 0, -1]);
    expect([at('a.ts', 8), at('a.ts', 9), at('a.ts', 10), at('a.ts', 11), at('b.ts', 0)]).toEqual([-1, 1, 1, -1, 2]);
  });

  it('passes through all files and around the end', () => {
    expect([from('a.ts', 2), from('a.ts', 10), from('b.ts', 0)]).toEqual([
      [1, 2],
      [2, 0],
      [0, 1],
    ]);
  });

  it('begins between two changes where the cursor is', () => {
    expect([from('a.ts', 0), from('a.ts', 6), from('a.ts', 20), from('b.ts', 9)]).toEqual([
      [0, 2],
      [1, 0],
      [2, 1],
      [0, 2],
    ]);
  });

  it('begins with the first or last one from anywhere else, and stays where there is none', () => {
    expect([
      from('other.ts', 3),
      changeFrom(changes, null, 'next'),
      changeFrom(changes, null, 'previous'),
      changeFrom([], null, 'next'),
    ]).toEqual([[0, 2], 0, 2, -1]);
  });
});
