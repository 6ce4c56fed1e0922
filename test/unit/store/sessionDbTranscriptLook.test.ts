import { beforeEach, describe, expect, it } from 'vitest';
import {
  anApproval,
  answer,
  call,
  result,
  runningTurn,
  sessionDbWorld,
  settle,
  stopped,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

/** A settled turn with a call, and a second one whose prompt was merged into the first prompt's row by a repair. */
function twoTurns(): void {
  runningTurn(world.db, { text: 'Why FLAKY?' });
  world.db.putMessages([
    answer('m1', [{ kind: 'thinking', text: 'the clock' }, call('c1')], 't1'),
    result('r1', 'c1', 'Straße', 't1'),
  ]);
  settle(world.db, 't1', stopped);
}

describe('looking at stored rows', () => {
  it('returns every row in short, in slices, with the state of its turn', () => {
    twoTurns();
    world.db.setApiContent('u-t1', 'note + Why FLAKY?');
    const first = world.db.transcriptOutline({ sessionId: 's1', after: null, limit: 2 });
    const rest = world.db.transcriptOutline({ sessionId: 's1', after: first.at(-1)?.position ?? 0, limit: 10 });
    expect(
      [first, rest].map((slice) =>
        slice.map(({ uid, role, visibility, turn, revised }) => [uid, role, visibility, turn, revised]),
      ),
    ).toEqual([
      [
        ['u-t1', 'user', 'shown', 'interrupted', false],
        ['m1', 'assistant', 'shown', 'interrupted', false],
      ],
      [
        ['r1', 'tool', 'shown', 'interrupted', false],
        ['t1/closing', 'assistant', 'closing', 'interrupted', false],
      ],
    ]);
  });

  it('finds text anywhere in a row, also thinking and results, with and without case', () => {
    twoTurns();
    const find = (text: string, matchCase = false): readonly string[] =>
      world.db.findInTranscript({ sessionId: 's1', after: null, limit: 50, text, matchCase }).uids;
    expect([
      find('flaky'),
      find('flaky', true),
      find('FLAKY', true),
      find('THE CLOCK'),
      find('straße'),
      find('nowhere'),
    ]).toEqual([['u-t1'], [], ['u-t1'], ['m1'], ['r1'], []]);
  });

  it('returns the named rows in order with their turns and the questions to the user', () => {
    runningTurn(world.db);
    world.db.putMessages([answer('m1', [call('c1')], 't1')]);
    world.db.requestApproval(anApproval('a1'));
    world.db.decideApproval('a1', { kind: 'deny', reason: 'not now' }, 9);
    const rows = world.db.transcriptRows(['m1', 'u-t1', 'gone']);
    expect([
      rows.messages.map(({ uid }) => uid),
      rows.turns.map(({ uid }) => uid),
      rows.approvals.map(({ id, state }) => [id, state]),
      rows.fileChanges,
    ]).toEqual([
      ['u-t1', 'm1'],
      ['t1'],
      [['a1', { kind: 'decided', decision: { kind: 'deny', reason: 'not now' }, decidedAt: 9 }]],
      [],
    ]);
  });

  it('returns a row as the file holds it, but only the length of the exact text it was sent with', () => {
    twoTurns();
    world.db.setApiContent('u-t1', 'secret recall');
    const row = world.db.storedRow('u-t1');
    const [inFile] = world.database.all("SELECT * FROM messages WHERE uid = 'u-t1'");
    const { api_content: _sent, ...columns } = inFile ?? {};
    expect([
      row?.columns,
      row?.wireTextLength,
      JSON.stringify(row).includes('secret'),
      world.db.storedRow('gone'),
    ]).toEqual([columns, 13, false, null]);
  });
});
