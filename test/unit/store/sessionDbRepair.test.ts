import { beforeEach, describe, expect, it } from 'vitest';
import {
  answer,
  call,
  lines,
  openTurn,
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

/** What rows said before, oldest first. */
const revisions = (): readonly string[] =>
  world.database
    .all('SELECT message_uid, content FROM message_revisions ORDER BY id')
    .map((row) => `${row['message_uid']}: ${row['content']}`);
const active = (): readonly string[] => world.db.activeMessages('s1').map((message) => message.uid);
/** Turn `t1` with a prompt and nothing else: its closing row was lost. */
const staleTail = (text = 'stale'): void => {
  runningTurn(world.db, { text });
  settle(world.db, 't1');
  world.database.run("DELETE FROM messages WHERE uid = 't1/closing'");
};

describe('repairing a stored sequence', () => {
  it('B02 merges the prompt of the open turn into an earlier one, keeps both originals, and survives a power cut', async () => {
    staleTail();
    openTurn(world.db, { turnUid: 't2', text: 'current' });
    world.clock.now = 77;
    const repair = world.db.repairTranscript('s1');
    const after = await world.reopened();
    world = after;
    expect({
      touched: repair.messages.map(({ uid, visibility }) => ({ uid, visibility })),
      reasons: repair.reasons,
      lines: lines(after.db),
      revisions: revisions(),
      prompt: after.db.getTurn('t2')?.userMessageUid,
    }).toEqual({
      touched: [
        { uid: 'u-t1', visibility: { kind: 'shown' } },
        { uid: 'u-t2', visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u-t1' } },
      ],
      reasons: ['adjacentPrompts'],
      lines: ['user: stale\n\ncurrent', 'user (merged): current'],
      revisions: ['u-t1: stale'],
      prompt: 'u-t2',
    });
  });

  it('does nothing to a sound sequence, and nothing the second time', () => {
    runningTurn(world.db);
    const sound = world.db.repairTranscript('s1');
    settle(world.db, 't1');
    world.database.run("DELETE FROM messages WHERE uid = 't1/closing'");
    openTurn(world.db, { turnUid: 't2' });
    const first = world.db.repairTranscript('s1').messages.length;
    expect({ sound, first, second: world.db.repairTranscript('s1') }).toEqual({
      sound: { messages: [], reasons: [] },
      first: 2,
      second: { messages: [], reasons: [] },
    });
  });

  it('ends a turn whose prompt was merged into an earlier row with a closing row after that row', () => {
    staleTail();
    openTurn(world.db, { turnUid: 't2', text: 'current' });
    world.db.repairTranscript('s1');
    settle(world.db, 't2', stopped);
    expect({ active: active(), problems: world.db.verifyIntegrity() }).toEqual({
      active: ['u-t1', 't2/closing'],
      problems: [],
    });
  });

  it('takes a prompt out of the row it was merged into when it is retried', () => {
    staleTail();
    openTurn(world.db, { turnUid: 't2', text: 'current' });
    world.db.repairTranscript('s1');
    settle(world.db, 't2', stopped);
    openTurn(world.db, { turnUid: 't3', text: 'current', supersedes: 't2' });
    world.db.repairTranscript('s1');
    expect(world.db.activeMessages('s1').map(({ parts }) => parts)).toEqual([
      [{ kind: 'text', text: 'stale\n\ncurrent' }],
    ]);
  });

  it('answers a call that lost its result in place, and leaves out results without a call', () => {
    runningTurn(world.db);
    world.db.putMessages([
      answer('a1', [call('A'), call('B')], 't1'),
      result('r-a', 'A', 'a', 't1'),
      result('r-b', 'B', 'b', 't1'),
      answer('a2', 'Done.', 't1'),
    ]);
    settle(world.db, 't1');
    world.database.run("DELETE FROM messages WHERE uid = 'r-b'");
    world.database.run(
      "INSERT INTO messages (uid, session_id, turn_uid, position, role, content, parts, tool_call_id, timestamp) SELECT 'stray', session_id, turn_uid, position + 1, role, content, parts, tool_call_id, timestamp FROM messages WHERE uid = 'r-a'",
    );
    const repair = world.db.repairTranscript('s1');
    const again = world.db.repairTranscript('s1');
    expect({
      reasons: repair.reasons,
      lines: lines(world.db).slice(1),
      again: again.messages,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      reasons: ['repeatedResult', 'unansweredCall'],
      lines: [
        'assistant: call:A call:B',
        'tool: A=done:a',
        'tool: B=interrupted:(Interrupted before a result was recorded. It may have run, in whole or in part.)',
        'tool (dropped): A=done:a',
        'assistant: Done.',
      ],
      again: [],
      problems: [],
    });
  });

  it('joins answers that lost the prompt between them, and a search finds the words in their new place', () => {
    runningTurn(world.db);
    settle(world.db, 't1', undefined, [answer('a1', 'apples', 't1')]);
    openTurn(world.db, { turnUid: 't2' });
    settle(world.db, 't2', undefined, [answer('a2', 'pears', 't2')]);
    world.database.run("DELETE FROM messages WHERE uid = 'u-t2'");
    world.db.repairTranscript('s1');
    world.db.indexBatch(100);
    expect({
      lines: lines(world.db).slice(1),
      found: world.db.search({ text: 'pears', limit: 5 }).map((hit) => hit.messageUid),
      revisions: revisions(),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      lines: ['assistant: apples\n pears', 'assistant (merged): pears'],
      found: ['a1'],
      revisions: ['a1: apples'],
      problems: [],
    });
  });

  it('changes all or nothing', () => {
    staleTail();
    openTurn(world.db, { turnUid: 't2', text: 'current' });
    world.database.execute(
      "CREATE TRIGGER no_hiding BEFORE UPDATE OF absorbed_into ON messages WHEN new.absorbed_into = 'u-t1' BEGIN SELECT raise(ABORT, 'no'); END",
    );
    expect(() => world.db.repairTranscript('s1')).toThrow();
    expect({ lines: lines(world.db), revisions: revisions() }).toEqual({
      lines: ['user: stale', 'user: current'],
      revisions: [],
    });
  });
});
