import { describe, expect, it } from 'vitest';
import { namedTarget } from '../../../../src/host/library/chosenSessions';

const selected = () => [{ sessionId: 'x' }, { sessionId: 'y' }];
const row = (sessionId: string) => ({ kind: 'session', sessionId, branches: [] });

describe('the target of a command', () => {
  it('is the clicked row, all selected rows, a message of a page, or an id', () => {
    expect([
      namedTarget([row('a')], selected),
      namedTarget([row('a'), [row('a'), row('b'), { kind: 'group', group: 'today' }]], selected),
      namedTarget([{ sessionId: 'a', messageUid: 'm' }], selected),
      namedTarget(['a'], selected),
    ]).toEqual([
      { sessionIds: ['a'], messageUid: null },
      { sessionIds: ['a', 'b'], messageUid: null },
      { sessionIds: ['a'], messageUid: 'm' },
      { sessionIds: ['a'], messageUid: null },
    ]);
  });

  it('is the selection if a key of the view was pressed', () => {
    expect([namedTarget([{ from: 'selection' }], selected), namedTarget([{ from: 'selection' }], () => [])]).toEqual([
      { sessionIds: ['x', 'y'], messageUid: null },
      { sessionIds: [], messageUid: null },
    ]);
  });

  it('is nothing from the palette, and for any other argument', () => {
    expect([
      namedTarget([], selected),
      namedTarget([undefined], selected),
      namedTarget([{ kind: 'group' }], selected),
      namedTarget([7, []], selected),
    ]).toEqual([null, null, null, null]);
  });

  it('is lost, and replaced by nothing else, if the editor cannot name the row or one of the rows', () => {
    expect([
      namedTarget([undefined, undefined], selected),
      namedTarget([null, null], selected),
      namedTarget([undefined, [undefined, undefined]], selected),
      namedTarget([row('a'), [row('a'), undefined]], selected),
    ]).toEqual(['lost', 'lost', 'lost', 'lost']);
  });
});
