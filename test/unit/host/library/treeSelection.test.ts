import { describe, expect, test } from 'vitest';
import { TreeSelection } from '../../../../src/host/library/sessionsTree';

const rows = ['a', 'b', 'c'].map((sessionId) => ({ sessionId }));
const row = (sessionId: string): { readonly sessionId: string } => ({ sessionId });

function selected(selection: TreeSelection, ...known: string[]): readonly string[] {
  return selection.of(known.map(row), () => rows).map(({ sessionId }) => sessionId);
}

describe('the selection of the sessions view', () => {
  test('is what the editor reports', () => {
    const selection = new TreeSelection();
    selection.changed(['a', 'b']);
    expect([selected(selection, 'a', 'b'), selected(selection, 'c', 'a')]).toEqual([
      ['a', 'b'],
      ['c', 'a'],
    ]);
  });

  test('stays the same while the editor does not know its rows yet', () => {
    const selection = new TreeSelection();
    selection.changed(['a', 'b']);
    expect([selected(selection), selected(selection, 'b')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('is the opened row if the editor reports an empty selection in the middle of a refresh', () => {
    const selection = new TreeSelection();
    selection.changed(['a']);
    selection.changed([]);
    selection.opened('b');
    expect([selected(selection), selected(selection, 'b')]).toEqual([['b'], ['b']]);
  });

  test('is empty after the user cleared it, and never contains a removed row', () => {
    const selection = new TreeSelection();
    selection.opened('b');
    selection.changed([]);
    const rewoundTurn = selected(selection);
    selection.opened('gone');
    expect([rewoundTurn, selected(selection)]).toEqual([[], []]);
  });
});
