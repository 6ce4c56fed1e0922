import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handoffUid } from '../../../src/transcript/handoff';
import { answerText, type Message } from '../../../src/transcript/message';
import type { AssistantPart } from '../../../src/transcript/part';
import { isSound, repairSequence, type SequenceRepair } from '../../../src/transcript/sequenceRepair';
import { projectToWire } from '../../../src/transcript/wireProjection';
import { call, image, rowLines, TranscriptBuilder } from '../../support/builders/messages';
import { kept, sequenceProblems } from '../../support/sequenceProblems';

const thinking = (text: string): AssistantPart => ({ kind: 'thinking', text });
const rowsOf = (build: (rows: TranscriptBuilder) => TranscriptBuilder): readonly Message[] =>
  build(new TranscriptBuilder()).messages;
const repaired = (
  build: (rows: TranscriptBuilder) => TranscriptBuilder,
  openTurnUid: string | null = null,
): SequenceRepair => repairSequence(rowsOf(build), { openTurnUid, at: 99 });
const lines = (
  build: (rows: TranscriptBuilder) => TranscriptBuilder,
  openTurnUid: string | null = null,
): readonly string[] => rowLines(repaired(build, openTurnUid).messages);
const hidden = ({ hidden: rows }: SequenceRepair): readonly string[] =>
  rows.map(({ uid, reason, absorbedInto, why }) => `${uid} ${reason} into ${absorbedInto}: ${why}`);

describe('consecutive prompts', () => {
  it('S4 become one prompt, the later text below the earlier, under the uid of the earlier', () => {
    const repair = repaired((rows) => rows.user('first').user('second'));
    expect({
      lines: rowLines(repair.messages),
      rewritten: repair.rewritten.map(({ uid }) => uid),
      hidden: hidden(repair),
    }).toEqual({
      lines: ['user: first\n\nsecond'],
      rewritten: ['m1'],
      hidden: ['m2 merged into m1: adjacentPrompts'],
    });
  });

  it('S16 all become one, however many there are', () => {
    const repair = repaired((rows) => rows.user('u0').user('u1').user('u2').user('u3'));
    expect({ lines: rowLines(repair.messages), hidden: hidden(repair).length }).toEqual({
      lines: ['user: u0\n\nu1\n\nu2\n\nu3'],
      hidden: 3,
    });
  });

  it('stay separate if they are steering: added to a turn after its tool results', () => {
    expect(
      lines((rows) =>
        rows
          .turn('t1')
          .user('q')
          .assistant(call('a'))
          .tool('a', 'A')
          .user('this')
          .user('and this')
          .turn('t2')
          .user('next')
          .user('more'),
      ),
    ).toEqual(['user: q', 'assistant: [a]', 'tool: a=done', 'user: this', 'user: and this', 'user: next\n\nmore']);
  });

  it('S17 leave the answer after them unchanged', () => {
    const stored = rowsOf((rows) => rows.user('first').user('second').assistant('answer'));
    const repair = repairSequence(stored, { openTurnUid: null, at: 99 });
    expect({ lines: rowLines(repair.messages), sameAnswer: repair.messages[1] === stored[2] }).toEqual({
      lines: ['user: first\n\nsecond', 'assistant: answer'],
      sameAnswer: true,
    });
  });

  it('absorb the prompt of the open turn, but nothing is merged into a row of the open turn', () => {
    const build = (rows: TranscriptBuilder) =>
      rows.turn('old').user('stale').turn('open').user('current').user('steered');
    expect(lines(build, 'open')).toEqual(['user: stale\n\ncurrent\n\nsteered']);
    expect(lines((rows) => rows.turn('open').user('current').user('steered'), 'open')).toEqual([
      'user: current',
      'user: steered',
    ]);
  });

  it('stay separate from a handoff and from a row carried over from an earlier segment', () => {
    const handoff = rowsOf((rows) => rows.user('summary').user('prompt')).map((row, index): Message =>
      index === 0 ? { ...row, uid: handoffUid('s') } : row,
    );
    const carried = rowsOf((rows) => rows.user('carried').user('prompt')).map((row, index): Message =>
      index === 0 ? { ...row, carriedFrom: 'm0' } : row,
    );
    expect([handoff, carried].map((rows) => isSound(repairSequence(rows, { openTurnUid: null, at: 99 })))).toEqual([
      true,
      true,
    ]);
  });
});

describe('consecutive answers', () => {
  it('S22 keep the text of the one with the calls of the other', () => {
    const repair = repaired((rows) =>
      rows.user('q').assistant('Let me search for that.').assistant(call('call_1')).tool('call_1', 'r'),
    );
    expect({ lines: rowLines(repair.messages), hidden: hidden(repair) }).toEqual({
      lines: ['user: q', 'assistant: Let me search for that. [call_1]', 'tool: call_1=done'],
      hidden: ['m3 merged into m2: adjacentAnswers'],
    });
  });

  it('keep every delivered word in order, with the calls after it', () => {
    expect(
      lines((rows) =>
        rows
          .user('q')
          .assistant(thinking('hm'), 'one', call('A'))
          .assistant(thinking('so'), 'two', call('A'), call('B'))
          .tool('A', 'a')
          .tool('B', 'b'),
      )[1],
    ).toBe('assistant: <hm> one\n <so> two [A] [B]');
  });

  it('return thinking of another model to no model', () => {
    const signed: AssistantPart = { kind: 'thinking', text: 'hm', metadata: { anthropic: { signature: 'x' } } };
    const stored = rowsOf((rows) => rows.user('q').assistant('one').assistant(signed, 'two')).map((row): Message =>
      row.uid === 'm3' && row.role === 'assistant' ? { ...row, model: 'other' } : row,
    );
    expect(repairSequence(stored, { openTurnUid: null, at: 99 }).messages[1]?.parts).toEqual([
      { kind: 'text', text: 'one\n' },
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'two' },
    ]);
  });

  it('stay separate if the results of the first are lost, which are then inserted between them', () => {
    const answered = lines((rows) => rows.user('q').assistant('I look.', call('A')).assistant('Found it.'));
    const closed = lines((rows) => rows.user('q').assistant(call('A')).closing('(No answer.)'));
    const besideAnother = lines((rows) =>
      rows.user('q').assistant('I look.', call('A')).assistant('Found it.').tool('x', 'stray'),
    );
    expect({ answered, besideAnother, closed }).toEqual({
      answered: ['user: q', 'assistant: I look. [A]', 'tool: A=interrupted', 'assistant: Found it.'],
      besideAnother: ['user: q', 'assistant: I look. [A]', 'tool: A=interrupted', 'assistant: Found it.'],
      closed: ['user: q', 'assistant: [A]', 'tool: A=interrupted', 'assistant: (No answer.)'],
    });
  });

  it('do not mix with the text of a closing row, which is never shown', () => {
    const before = repaired((rows) => rows.user('q').closing('(No answer.)').assistant('answer'));
    const behind = repaired((rows) => rows.user('q').assistant('answer').closing('(No answer.)'));
    expect({
      before: [rowLines(before.messages), hidden(before)],
      behind: [rowLines(behind.messages), hidden(behind)],
    }).toEqual({
      before: [['user: q', 'assistant: answer'], ['m2 merged into m3: adjacentAnswers']],
      behind: [['user: q', 'assistant: answer'], ['m3 merged into m2: adjacentAnswers']],
    });
  });

  it('S24 S25 are left alone if a result or a prompt is between them', () => {
    const withResult = repaired((rows) =>
      rows.user('q').assistant(call('t1')).tool('t1', 'r').assistant(call('t2')).tool('t2', 'r'),
    );
    const withPrompt = repaired((rows) => rows.user('a').assistant('b').user('c').assistant('d'));
    expect([isSound(withResult), isSound(withPrompt)]).toEqual([true, true]);
  });

  it('carried over from an earlier segment, or still being delivered, are left alone', () => {
    const stored = rowsOf((rows) => rows.user('q').assistant('one').assistant('two'));
    const changed = (change: Partial<Message>) =>
      stored.map((row): Message => (row.uid === 'm3' ? Object.assign({ ...row }, change) : row));
    expect(
      [changed({ carriedFrom: 'm0' }), changed({ state: 'streaming' })].map((rows) =>
        isSound(repairSequence(rows, { openTurnUid: null, at: 99 })),
      ),
    ).toEqual([true, true]);
  });

  it('of the open turn are left alone', () => {
    expect(
      isSound(repaired((rows) => rows.turn('open').user('q').assistant('one').assistant('two', call('A')), 'open')),
    ).toBe(true);
  });
});

describe('parts with only metadata', () => {
  const redacted = (data: string) => ({
    kind: 'thinking' as const,
    text: '',
    metadata: { anthropic: { redactedData: data } },
  });
  const partsOf = (repair: ReturnType<typeof repaired>) =>
    repair.messages.flatMap((row) => (row.role === 'assistant' ? [row.parts] : []));

  it('S29 keep their place when their answers are joined: a provider needs them back', () => {
    const repair = repaired((rows) =>
      rows.user('q').assistant(redacted('first')).assistant(redacted('second')).assistant('Final answer.'),
    );
    expect(partsOf(repair)).toEqual([[redacted('first'), redacted('second'), { kind: 'text', text: 'Final answer.' }]]);
  });

  it('keep their model of origin, and are dropped if the joined answer is from another model', () => {
    const stored = rowsOf((rows) =>
      rows.user('q').assistant(redacted('first')).assistant(redacted('second'), 'Final answer.'),
    );
    const repair = repairSequence(
      stored.map((row): Message =>
        row.uid === 'm2' && row.role === 'assistant' ? { ...row, model: 'other/model' } : row,
      ),
      { openTurnUid: null, at: 99 },
    );
    expect([repair.messages.flatMap((row) => (row.role === 'assistant' ? [row.model] : [])), partsOf(repair)]).toEqual([
      ['other/model'],
      [[redacted('first'), { kind: 'text', text: 'Final answer.' }]],
    ]);
  });
});

describe('results', () => {
  it('S30 of a call that already has one are left out, and point at the remaining one', () => {
    const repair = repaired((rows) =>
      rows.user('q').assistant(call('call_1')).tool('call_1', 'res1').tool('call_1', 'res1 duplicate'),
    );
    expect({ kept: repair.messages.length, hidden: hidden(repair) }).toEqual({
      kept: 3,
      hidden: ['m4 dropped into m3: repeatedResult'],
    });
  });

  it('of two calls stored under one id are left alone, one for each, even if one of the two calls has none', () => {
    const both = repaired((rows) =>
      rows.user('q').assistant(call('Y'), call('Y')).tool('Y', 'first').tool('Y', 'second').assistant('done'),
    );
    const one = repaired((rows) => rows.user('q').assistant(call('Y'), call('Y')).tool('Y', 'first').assistant('done'));
    const more = repaired((rows) =>
      rows
        .user('q')
        .assistant(call('Y'), call('Y'))
        .tool('Y', 'first')
        .tool('Y', 'second')
        .tool('Y', 'third')
        .assistant('done'),
    );
    expect([isSound(both), isSound(one), hidden(more)]).toEqual([true, true, ['m5 dropped into m3: repeatedResult']]);
  });

  it('B44 S6 S12 S28 in their place are left alone: before a prompt, in parallel, under either name of the call', () => {
    const redirect = repaired((rows) => rows.user('Q1').assistant(call('t1')).tool('t1', 'r').user('Q2'));
    const parallel = repaired((rows) =>
      rows.user('q').assistant(call('A'), call('B')).tool('B', 'b').tool('A', 'a').assistant('done').user('next'),
    );
    const aliases = repaired((rows) =>
      rows
        .user('q')
        .assistant(call('call_ABC|fc_123'))
        .tool('call_ABC', 'r')
        .assistant(call('fc_9'))
        .tool('call_Z|fc_9', 'r'),
    );
    expect([redirect, parallel, aliases].map(isSound)).toEqual([true, true, true]);
  });

  it('of the open turn are left alone: they are being written', () => {
    expect(
      isSound(
        repaired((rows) => rows.turn('open').user('q').assistant(call('A')).tool('A', 'a').tool('B', 'b'), 'open'),
      ),
    ).toBe(true);
  });

  it('join the answers around a stray result', () => {
    expect(lines((rows) => rows.user('q').assistant('one').tool('x', 'stray').assistant('two'))).toEqual([
      'user: q',
      'assistant: one\n two',
    ]);
  });
});

describe('a call without a result', () => {
  it('is kept and gets a result: it may have run', () => {
    const repair = repaired((rows) =>
      rows.user('q').assistant('I write.', call('A'), call('B')).tool('A', 'a').user('next'),
    );
    const made = repair.answered[0]?.message;
    expect({
      lines: rowLines(repair.messages),
      behind: repair.answered[0]?.after,
      uid: made?.uid,
      turn: made?.turnUid,
      at: made?.createdAt,
      text: made?.parts[0].text,
    }).toEqual({
      lines: ['user: q', 'assistant: I write. [A] [B]', 'tool: A=done', 'tool: B=interrupted', 'user: next'],
      behind: 'm3',
      uid: 'm2/result/B',
      turn: 't',
      at: 99,
      text: '(Interrupted before a result was recorded. It may have run, in whole or in part.)',
    });
  });

  it('gets a result in its place, which makes the sequence unsound, beside other calls of the same answer too', () => {
    const repair = repaired((rows) => rows.user('q').assistant(call('A'), call('B')).user('next'));
    const places = repair.messages.map(({ position }) => position);
    expect({
      isSound: isSound(repair),
      inOrder: places.every((place, index) => index === 0 || place > places[index - 1]!),
    }).toEqual({
      isSound: false,
      inOrder: true,
    });
  });

  it('gets a result if its own is stored elsewhere, and that one is left out', () => {
    const repair = repaired((rows) => rows.user('q').assistant(call('A')).user('and?').tool('A', 'late'));
    expect(rowLines(repair.messages)).toEqual(['user: q', 'assistant: [A]', 'tool: A=interrupted', 'user: and?']);
  });

  it('of the open turn is left alone: it is about to run', () => {
    expect(isSound(repaired((rows) => rows.turn('open').user('q').assistant(call('A')), 'open'))).toBe(true);
  });
});

describe('a sequence', () => {
  it('has no hidden row, and nothing is joined to one', () => {
    const stored = rowsOf((rows) => rows.user('taken back').user('q').assistant('a')).map((row, index): Message =>
      index === 0 ? { ...row, visibility: { kind: 'hidden', reason: 'rewound', absorbedInto: null } } : row,
    );
    const repair = repairSequence(stored, { openTurnUid: null, at: 99 });
    expect({ lines: rowLines(repair.messages), isSound: isSound(repair) }).toEqual({
      lines: ['user: q', 'assistant: a'],
      isSound: true,
    });
  });

  it('is valid, keeps every user word, every call and every delivered word, and is not repaired twice, whatever it was', () => {
    const row = fc.oneof(
      fc.record({ role: fc.constant('user' as const), text: fc.string({ maxLength: 6 }), image: fc.boolean() }),
      fc.record({
        role: fc.constant('assistant' as const),
        text: fc.string({ maxLength: 6 }),
        thinks: fc.boolean(),
        calls: fc.subarray(['a', 'b', 'c']),
      }),
      fc.record({ role: fc.constant('closing' as const) }),
      fc.record({ role: fc.constant('tool' as const), callId: fc.constantFrom('a', 'b', 'c', 'item|a', 'zz', '') }),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 14 }), fc.boolean(), (rows, withPrompt) => {
        const builder = new TranscriptBuilder().turn(null);
        for (const entry of rows) {
          if (entry.role === 'user') builder.user(entry.text, ...(entry.image ? [image] : []));
          else if (entry.role === 'assistant')
            builder.assistant(
              ...(entry.thinks ? [thinking('hm')] : []),
              entry.text,
              ...entry.calls.map((id) => call(id)),
            );
          else if (entry.role === 'closing') builder.closing('(No answer.)');
          else builder.tool(entry.callId, 'r');
        }
        if (withPrompt) builder.turn('open').user('the prompt of now');
        const stored = builder.messages;
        const repair = repairSequence(stored, { openTurnUid: 'open', at: 99 });
        expect({
          problems: storedProblems(repair.messages),
          wire: sequenceProblems(kept(projectToWire(repair.messages, 'test/model'))),
          lostPrompts: texts(stored, 'user').filter(
            (text) => !texts(repair.messages, 'user').join('\n').includes(text),
          ),
          lostAnswers: texts(
            stored.filter((message) => message.visibility.kind === 'shown'),
            'assistant',
          ).filter((text) => !texts(repair.messages, 'assistant').join('\n').includes(text)),
          accounted: repair.messages.length - repair.answered.length + repair.hidden.length,
          again: isSound(repairSequence(repair.messages, { openTurnUid: 'open', at: 100 })),
        }).toEqual({ problems: [], wire: [], lostPrompts: [], lostAnswers: [], accounted: stored.length, again: true });
      }),
      { numRuns: 1000 },
    );
  });
});

function texts(rows: readonly Message[], role: Message['role']): readonly string[] {
  return rows
    .filter((row) => row.role === role)
    .map((row) => answerText(row.parts))
    .filter((text) => text.trim() !== '');
}

/** What a provider would refuse in the rows themselves. Prompts with images may touch: only the wire copy joins
 *  them. */
function storedProblems(rows: readonly Message[]): readonly string[] {
  const plain = (row: Message | undefined): boolean =>
    row?.role === 'user' && row.parts.every((part) => part.kind === 'text');
  return rows.flatMap((row, index) => {
    const before = rows[index - 1];
    switch (row.role) {
      case 'user':
        return plain(row) && plain(before) ? [`${row.uid}: two prompts`] : [];
      case 'assistant': {
        const following = rows.slice(index + 1);
        const end = following.findIndex((next) => next.role !== 'tool');
        const results = (end === -1 ? following : following.slice(0, end)).flatMap((next) =>
          next.role === 'tool' ? [next.parts[0].callId.replace('item|', '')] : [],
        );
        const calls = row.parts.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []));
        return [
          ...(before?.role === 'assistant' ? [`${row.uid}: two answers`] : []),
          ...(calls.toSorted().join() === results.toSorted().join()
            ? []
            : [`${row.uid}: calls ${calls.join()} and results ${results.join()}`]),
        ];
      }
      case 'tool':
        return before === undefined || before.role === 'user' ? [`${row.uid}: stray`] : [];
    }
  });
}
