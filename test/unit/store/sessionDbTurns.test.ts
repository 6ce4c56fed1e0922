import { unknownUsage } from '../../../src/transcript/usage';
import { beforeEach, describe, expect, it } from 'vitest';
import { closingResultText, closingText } from '../../../src/transcript/closingText';
import {
  anApproval,
  answer,
  append,
  call,
  chunk,
  complete,
  lines,
  openTurn,
  prompt,
  refusal,
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

describe('opening a turn', () => {
  it('stores prompt, turn, derived title and preview at once', () => {
    runningTurn(world.db, { text: '\n  Explain   the store\nand more' });
    expect({
      turn: world.db.openTurnOf('s1')?.state,
      lines: lines(world.db),
      title: world.db.getSession('s1')?.title,
      preview: world.db.listSessions({ limit: 1 })[0]?.preview,
    }).toEqual({
      turn: 'running',
      lines: ['user: \n  Explain   the store\nand more'],
      title: 'Explain the store',
      preview: 'Explain the store and more',
    });
  });

  it('refuses a second turn of the conversation, also while the first waits for an approval', () => {
    runningTurn(world.db);
    const whileRunning = refusal(() => openTurn(world.db, { turnUid: 't2' }));
    world.database.run("UPDATE turns SET state = 'waiting', approval_id = 'a1'");
    const whileWaiting = refusal(() => openTurn(world.db, { turnUid: 't2' }));
    expect({ whileRunning, whileWaiting, rows: lines(world.db).length, open: world.db.openTurnOf('s1') }).toMatchObject(
      {
        whileRunning: 'conversation-busy',
        whileWaiting: 'conversation-busy',
        rows: 1,
        open: { state: 'waiting', approvalId: 'a1' },
      },
    );
  });

  it('keeps a segment and its continuation in one slot, and a branch in its own', () => {
    runningTurn(world.db);
    world.db.createSession({ id: 's2', startedAt: 3, parentSessionId: 's1', parentKind: 'compression' });
    world.db.createSession({ id: 'b1', startedAt: 3, parentSessionId: 's1', parentKind: 'branch' });
    expect({
      continuation: refusal(() => openTurn(world.db, { sessionId: 's2', turnUid: 't2' })),
      branch: refusal(() => openTurn(world.db, { sessionId: 'b1', turnUid: 't3' })),
      seenFromContinuation: world.db.openTurnOf('s2')?.uid,
    }).toEqual({ continuation: 'conversation-busy', branch: 'none', seenFromContinuation: 't1' });
  });

  it('answers a repeated call with what it stored, and refuses another turn under the same uid', () => {
    runningTurn(world.db);
    const again = openTurn(world.db, { turnUid: 't1', text: 'What is here?' });
    expect({
      uid: again.userMessage.uid,
      rows: lines(world.db).length,
      other: refusal(() => openTurn(world.db, { turnUid: 't1', userUid: 'x' })),
    }).toEqual({ uid: 'u-t1', rows: 1, other: 'invalid' });
  });

  it('removes the prompt from the queue in the same transaction', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.enqueue({ uid: 'q1', sessionId: 's1', text: 'later', createdAt: 1 });
    openTurn(world.db, { turnUid: 't1', queuedUid: 'q1' });
    settle(world.db, 't1');
    expect({
      queue: world.db.queue('s1'),
      takenTwice: refusal(() => openTurn(world.db, { turnUid: 't2', queuedUid: 'q1' })),
      open: world.db.openTurnOf('s1'),
    }).toEqual({ queue: [], takenTwice: 'not-found', open: null });
  });

  it('hides every row of the turn it repeats', () => {
    runningTurn(world.db);
    settle(world.db, 't1', stopped);
    openTurn(world.db, { turnUid: 't2', text: 'Again', supersedes: 't1' });
    expect(lines(world.db)).toEqual([
      'user (retried): What is here?',
      `assistant (retried): ${closingText('user')}`,
      'user: Again',
    ]);
  });

  it('refuses invalid input and leaves nothing stored', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.createSession({ id: 's2', startedAt: 2 });
    openTurn(world.db, { sessionId: 's2', turnUid: 't9' });
    world.db.createSession({ id: 's3', startedAt: 2, parentSessionId: 's2', parentKind: 'compression' });
    expect({
      unknownSession: refusal(() => openTurn(world.db, { sessionId: 'none', turnUid: 't1' })),
      foreignPrompt: refusal(() =>
        world.db.openTurn({
          turnUid: 't1',
          sessionId: 's1',
          userMessage: prompt('u', 'x', 't1', 's2'),
          model: 'm',
          startedAt: 1,
        }),
      ),
      unknownSuperseded: refusal(() => openTurn(world.db, { turnUid: 't1', supersedes: 'none' })),
      runningSuperseded: refusal(() => openTurn(world.db, { turnUid: 't1', supersedes: 't9' })),
      compressedSegment: refusal(() => openTurn(world.db, { sessionId: 's2', turnUid: 't1' })),
      usedPrompt: refusal(() => openTurn(world.db, { turnUid: 't1', userUid: 'u-t9' })),
      left: lines(world.db),
    }).toEqual({
      unknownSession: 'not-found',
      foreignPrompt: 'invalid',
      unknownSuperseded: 'not-found',
      runningSuperseded: 'invalid',
      compressedSegment: 'invalid',
      usedPrompt: 'invalid',
      left: [],
    });
  });
});

describe('delivered text', () => {
  it('is read with the message from its first chunk on', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'let me think', 0, 'thinking'));
    append(world.db, 't1', chunk('a1', 2, 0, 'Hel', 1), chunk('a1', 3, 3, 'lo', 1));
    expect(world.db.activeMessages('s1').at(-1)).toMatchObject({
      uid: 'a1',
      state: 'streaming',
      lastSeq: 3,
      model: 'Local/test',
      parts: [
        { kind: 'thinking', text: 'let me think' },
        { kind: 'text', text: 'Hello' },
      ],
    });
  });

  it('counts a repeated chunk once, before and after folding', () => {
    runningTurn(world.db);
    const chunks = [chunk('a1', 1, 0, 'Hel'), chunk('a1', 2, 3, 'lo')];
    append(world.db, 't1', ...chunks);
    append(world.db, 't1', ...chunks);
    settle(world.db, 't1');
    append(world.db, 't1', ...chunks);
    expect(lines(world.db)).toEqual(['user: What is here?', 'assistant: Hello']);
  });

  it('keeps a character intact that is split between two chunks', async () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'a\ud83d'), chunk('a1', 2, 2, '\ude00b'));
    const again = await world.reopened();
    const streaming = lines(again.db).at(-1);
    settle(again.db, 't1');
    expect([streaming, lines(again.db).at(-1)]).toEqual(['assistant: a😀b…', 'assistant: a😀b']);
  });

  it('refuses a gap, an overlap, another text, another kind, a skipped part and a settled turn', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'abc'));
    const refused = {
      gap: refusal(() => append(world.db, 't1', chunk('a1', 3, 3, 'x'))),
      overlap: refusal(() => append(world.db, 't1', chunk('a1', 2, 2, 'x'))),
      otherText: refusal(() => append(world.db, 't1', chunk('a1', 1, 0, 'abd'))),
      otherKind: refusal(() => append(world.db, 't1', chunk('a1', 2, 3, 'x', 0, 'thinking'))),
      skippedPart: refusal(() => append(world.db, 't1', chunk('a1', 2, 0, 'x', 2))),
      firstNotOne: refusal(() => append(world.db, 't1', chunk('a2', 2, 0, 'x'))),
      firstNotAtZero: refusal(() => append(world.db, 't1', chunk('a2', 1, 4, 'x'))),
      intoPrompt: refusal(() => append(world.db, 't1', chunk('u-t1', 1, 0, 'x'))),
      unknownTurn: refusal(() => append(world.db, 'none', chunk('a2', 1, 0, 'x'))),
    };
    settle(world.db, 't1');
    expect({
      ...refused,
      afterSettling: refusal(() => append(world.db, 't1', chunk('a1', 2, 3, 'x'))),
      newAfterSettling: refusal(() => append(world.db, 't1', chunk('a2', 1, 0, 'x'))),
      kept: lines(world.db).at(-1),
    }).toEqual({
      gap: 'invalid',
      overlap: 'invalid',
      otherText: 'invalid',
      otherKind: 'invalid',
      skippedPart: 'invalid',
      firstNotOne: 'invalid',
      firstNotAtZero: 'invalid',
      intoPrompt: 'invalid',
      unknownTurn: 'not-found',
      afterSettling: 'invalid',
      newAfterSettling: 'invalid',
      kept: 'assistant: abc',
    });
  });
});

describe('putting messages', () => {
  it('folds the chunks of a message and keeps its place', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'Look'));
    const put = world.db.putMessages([
      answer('a1', [{ kind: 'text', text: 'Look here' }, call('c1')], 't1'),
      result('r1', 'c1', 'ok', 't1'),
    ]);
    expect({
      put: put.map((message) => message.uid),
      lines: lines(world.db),
      chunks: world.database.all('SELECT * FROM stream_chunks'),
      flat: world.database.all(
        'SELECT role, content, tool_calls, tool_call_id, tool_name FROM messages WHERE role <> ?',
        ['user'],
      ),
    }).toEqual({
      put: ['a1', 'r1'],
      lines: ['user: What is here?', 'assistant: Look here call:c1', 'tool: c1=done:ok'],
      chunks: [],
      flat: [
        {
          role: 'assistant',
          content: 'Look here',
          tool_call_id: null,
          tool_name: null,
          tool_calls: '[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]',
        },
        { role: 'tool', content: 'ok', tool_calls: null, tool_call_id: 'c1', tool_name: 'read_file' },
      ],
    });
  });

  it('never removes delivered text', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'why', 0, 'thinking'), chunk('a1', 2, 0, 'Hello', 1));
    const shorter = [
      refusal(() =>
        world.db.putMessages([
          answer(
            'a1',
            [
              { kind: 'thinking', text: 'why' },
              { kind: 'text', text: 'Hell' },
            ],
            't1',
          ),
        ]),
      ),
      refusal(() => world.db.putMessages([answer('a1', 'Hello', 't1')])),
      refusal(() => world.db.putMessages([answer('a1', [], 't1')])),
      refusal(() => settle(world.db, 't1', stopped, [answer('a1', 'Hello', 't1')])),
    ];
    world.db.putMessages([
      answer('a1', [{ kind: 'thinking', text: 'why not' }, call('c1'), { kind: 'text', text: 'Hello there' }], 't1'),
    ]);
    expect({ shorter, now: lines(world.db).at(-1), open: world.db.openTurnOf('s1')?.uid }).toEqual({
      shorter: ['invalid', 'invalid', 'invalid', 'invalid'],
      now: 'assistant: <why not> call:c1 Hello there',
      open: 't1',
    });
  });

  it('keeps the earlier content of a final message that changes', () => {
    runningTurn(world.db);
    settle(world.db, 't1', complete, [answer('a1', 'one', 't1')]);
    world.clock.now = 77;
    world.db.putMessages([answer('a1', 'one\ntwo', 't1')]);
    world.db.putMessages([answer('a1', 'one\ntwo', 't1')]);
    expect({
      lines: lines(world.db),
      revisions: world.database.all('SELECT message_uid, revised_at, content FROM message_revisions'),
    }).toEqual({
      lines: ['user: What is here?', 'assistant: one\ntwo'],
      revisions: [{ message_uid: 'a1', revised_at: 77, content: 'one' }],
    });
  });

  it('puts a message that was missing into its settled turn, before what came later', () => {
    runningTurn(world.db);
    settle(world.db, 't1');
    openTurn(world.db, { turnUid: 't2', text: 'Next' });
    world.db.putMessages([answer('a1', 'late', 't1')]);
    expect(lines(world.db)).toEqual([
      'user: What is here?',
      'assistant: late',
      `assistant (closing): ${closingText('stop')}`,
      'user: Next',
    ]);
  });

  it('refuses what would move a message or reopen it', () => {
    runningTurn(world.db);
    world.db.createSession({ id: 's2', startedAt: 1 });
    world.db.putMessages([answer('a1', 'x', 't1')]);
    const whileRunning = {
      role: refusal(() => world.db.putMessages([prompt('a1', 'x', 't1')])),
      session: refusal(() => world.db.putMessages([answer('a1', 'x', 't1', 's2')])),
      reopened: refusal(() => world.db.putMessages([{ ...answer('a1', 'x', 't1'), state: 'streaming' }])),
      unknownSession: refusal(() => world.db.putMessages([answer('a2', 'x', 't1', 'none')])),
      unknownTurn: refusal(() => world.db.putMessages([answer('a2', 'x', 'none')])),
    };
    settle(world.db, 't1');
    expect({
      ...whileRunning,
      lateStream: refusal(() => world.db.putMessages([{ ...answer('a2', 'x', 't1'), state: 'streaming' }])),
    }).toEqual({
      role: 'invalid',
      session: 'invalid',
      reopened: 'invalid',
      unknownSession: 'not-found',
      unknownTurn: 'not-found',
      lateStream: 'invalid',
    });
  });
});

describe('settling a turn', () => {
  it('folds what was streamed, and a second settling changes nothing', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'Half an ans'));
    const first = settle(world.db, 't1', stopped);
    const second = settle(world.db, 't1', complete, [answer('a2', 'other', 't1')]);
    expect({
      second,
      lines: lines(world.db),
      chunks: world.database.all('SELECT * FROM stream_chunks'),
      sound: world.db.verifyIntegrity(),
    }).toEqual({ second: first, lines: ['user: What is here?', 'assistant: Half an ans'], chunks: [], sound: [] });
  });

  it('answers open calls directly after their row and ends with the fixed row of its reason', () => {
    runningTurn(world.db);
    world.db.putMessages([answer('a1', [call('c1'), call('c2'), call('c3')], 't1'), result('r2', 'c2', 'two', 't1')]);
    append(world.db, 't1', chunk('a2', 1, 0, 'Meanwhile'));
    settle(world.db, 't1', stopped);
    const interrupted = closingResultText('interrupted');
    expect(lines(world.db)).toEqual([
      'user: What is here?',
      'assistant: call:c1 call:c2 call:c3',
      'tool: c2=done:two',
      `tool: c1=interrupted:${interrupted}`,
      `tool: c3=interrupted:${interrupted}`,
      'assistant: Meanwhile',
    ]);
  });

  it('marks a call that never reached a tool as not run', () => {
    runningTurn(world.db);
    world.db.putMessages([{ ...answer('a1', [call('c1')], 't1'), state: 'streaming' }]);
    settle(world.db, 't1', stopped);
    expect(lines(world.db).slice(1)).toEqual([
      'assistant: call:c1',
      `tool: c1=cancelled:${closingResultText('cancelled')}`,
      `assistant (closing): ${closingText('user')}`,
    ]);
  });

  it('makes room between rows that have none', () => {
    runningTurn(world.db);
    world.db.putMessages([answer('a1', [call('c1'), call('c2')], 't1'), answer('a2', 'later', 't1')]);
    world.database.run(
      "UPDATE messages SET position = (SELECT position + 1 FROM messages WHERE uid = 'a1') WHERE uid = 'a2'",
    );
    settle(world.db, 't1', stopped);
    const interrupted = closingResultText('interrupted');
    expect(lines(world.db).slice(1)).toEqual([
      'assistant: call:c1 call:c2',
      `tool: c1=interrupted:${interrupted}`,
      `tool: c2=interrupted:${interrupted}`,
      'assistant: later',
    ]);
  });

  it('leaves no assistant row without a word', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, ''));
    settle(world.db, 't1', stopped, [answer('a2', [], 't1')]);
    expect({
      lines: lines(world.db),
      closing: world.db.getMessage('t1/closing')?.visibility,
      shown: world.db.readTranscript({ sessionId: 's1', limit: 9 }).messages.length,
    }).toEqual({
      lines: ['user: What is here?', `assistant (closing): ${closingText('user')}`],
      closing: { kind: 'closing' },
      shown: 1,
    });
  });

  it('keeps reason, failure, times and usage with the turn', () => {
    runningTurn(world.db);
    const usage = { ...unknownUsage, inputTokens: 3, outputTokens: 5, reasoningTokens: 1 };
    world.db.addUsage('t1', usage);
    world.db.addUsage('t1', usage);
    const failure = { cause: 'rateLimit', sentence: 'Too many requests.', technical: '429' } as const;
    settle(world.db, 't1', { outcome: 'failed', stopReason: 'error', failure });
    expect({
      turn: world.db.getTurn('t1'),
      session: world.database.get('SELECT input_tokens, output_tokens, reasoning_tokens FROM sessions'),
    }).toEqual({
      turn: {
        uid: 't1',
        sessionId: 's1',
        userMessageUid: 'u-t1',
        model: 'Local/test',
        startedAt: 2,
        supersedes: null,
        state: 'settled',
        settledAt: 9,
        outcome: 'failed',
        stopReason: 'error',
        failure,
        usage: { ...unknownUsage, inputTokens: 6, outputTokens: 10, reasoningTokens: 2 },
      },
      session: { input_tokens: 6, output_tokens: 10, reasoning_tokens: 2 },
    });
  });
});

describe('recovery', () => {
  it('settles what a dead process left running, and nothing else', async () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'Half '), chunk('a1', 2, 5, 'way'));
    runningTurn(world.db, { sessionId: 's2', turnUid: 't2' });
    world.db.putMessages([{ ...answer('m2', [call('c1')], 't2'), sessionId: 's2' }]);
    world.db.requestApproval(anApproval('a', { sessionId: 's2', turnUid: 't2', messageUid: 'm2' }));
    const again = await world.reopened();
    again.clock.now = 4000;
    const recovered = again.db.recoverTurns();
    expect({
      recovered: recovered.map((one) => one.turn),
      lines: lines(again.db),
      waiting: again.db.openTurnOf('s2')?.state,
      second: again.db.recoverTurns(),
      sound: again.db.verifyIntegrity(),
    }).toMatchObject({
      recovered: [{ uid: 't1', outcome: 'interrupted', stopReason: 'crash', settledAt: 4000 }],
      lines: ['user: What is here?', 'assistant: Half way'],
      waiting: 'waiting',
      second: [],
      sound: [],
    });
  });
});
