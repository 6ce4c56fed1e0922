import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steeringText } from '../../../src/transcript/steering';
import type { WireMessage } from '../../../src/transcript/wireMessage';
import { projectToWire } from '../../../src/transcript/wireProjection';
import { call, TranscriptBuilder } from '../../support/builders/messages';
import { kept, sequenceProblems } from '../../support/sequenceProblems';

const project = (build: (rows: TranscriptBuilder) => unknown, model = 'test/model'): readonly WireMessage[] => {
  const rows = new TranscriptBuilder();
  build(rows);
  return projectToWire(rows.messages, model);
};
const projectKept: typeof project = (build, model) => kept(project(build, model));
const text = (value: string) => ({ kind: 'text' as const, text: value });

describe('the wire copy of a transcript', () => {
  it('sends prompts, answers, calls and results in order', () => {
    expect(
      project((rows) =>
        rows.user('q').assistant('looking', call('c1', '{"path":"a"}')).tool('c1', 'content').assistant('a'),
      ),
    ).toEqual([
      { role: 'user', content: [text('q')] },
      {
        role: 'assistant',
        content: [text('looking'), { kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: { path: 'a' } }],
      },
      { role: 'tool', results: [{ callId: 'c1', name: 'read_file', text: 'content', isError: false }] },
      { role: 'assistant', content: [text('a')] },
    ]);
  });

  it('sends attachments after the prompt, marked as separate from it', () => {
    const rows = new TranscriptBuilder();
    rows.user('Why does it fail?');
    const [asked] = rows.messages;
    const parts = [
      text('Why does it fail?'),
      { kind: 'attachment' as const, label: 'src/a.ts:1-2', source: 'file:src/a.ts', text: 'let a;\nlet b;' },
      { kind: 'image' as const, mediaType: 'image/png', dataBase64: 'AAAA', name: 'shot.png' },
    ];
    const sent =
      asked?.role === 'user'
        ? projectToWire([{ ...asked, parts }], 'test/model', new Map([[asked.uid, 'Recalled. Why does it fail?']]))
        : [];
    expect(sent).toEqual([
      {
        role: 'user',
        content: [
          text('Recalled. Why does it fail?'),
          text('<attachment label="src/a.ts:1-2">\nlet a;\nlet b;\n</attachment>'),
          { kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' },
        ],
      },
    ]);
  });

  it('adds a result to a call without one, and does not send a result without a call', () => {
    expect(project((rows) => rows.user('q').assistant(call('c1')).user('next').tool('c9', 'stray'))).toEqual([
      { role: 'user', content: [text('q')] },
      { role: 'assistant', content: [{ kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: {} }] },
      {
        role: 'tool',
        results: [
          {
            callId: 'c1',
            name: 'read_file',
            text: 'No result was recorded for this call. It may or may not have run.',
            isError: true,
          },
        ],
      },
      { role: 'assistant', content: [text('(This answer ended before any text.)')] },
      { role: 'user', content: [text('next')] },
    ]);
  });

  it('sends steering with the result before it, and a later prompt as a prompt', () => {
    const wire = project((rows) =>
      rows
        .turn('t1')
        .user('q')
        .assistant(call('a'), call('b'))
        .tool('a', 'A')
        .tool('b', 'B')
        .user('this')
        .user('and this')
        .turn('t2')
        .user('next'),
    );
    expect({ wire: wire.slice(2), problems: sequenceProblems(wire) }).toEqual({
      wire: [
        {
          role: 'tool',
          results: [
            { callId: 'a', name: 'read_file', text: 'A', isError: false },
            {
              callId: 'b',
              name: 'read_file',
              text: `B\n\n${steeringText('this')}\n\n${steeringText('and this')}`,
              isError: false,
            },
          ],
        },
        { role: 'assistant', content: [text('(This answer ended before any text.)')] },
        { role: 'user', content: [text('next')] },
      ],
      problems: [],
    });
  });

  it('keeps results with their own call if a server counts its call ids from zero in every answer', () => {
    const wire = projectKept((rows) =>
      rows.user('q').assistant(call('0')).tool('0', 'first').assistant(call('0')).tool('0', 'second').assistant('done'),
    );
    expect(
      wire.flatMap((message) =>
        message.role === 'tool' ? message.results.map(({ callId, text: result }) => `${callId}: ${result}`) : [],
      ),
    ).toEqual(['0: first', '0_d2: second']);
  });

  it('sends thinking and metadata only to the model they came from', () => {
    const build = (rows: TranscriptBuilder) =>
      rows.user('q').assistant({ kind: 'thinking', text: 'hm', metadata: { anthropic: { signature: 'x' } } }, 'a');
    expect(project(build)[1]).toEqual({
      role: 'assistant',
      content: [{ kind: 'thinking', text: 'hm', metadata: { anthropic: { signature: 'x' } } }, text('a')],
    });
    expect(project(build, 'other/model')[1]).toEqual({ role: 'assistant', content: [text('a')] });
  });

  it('S31 S32 sends one call and one result if an id is repeated, S33 and each of two that differ', () => {
    const wire = project((rows) =>
      rows
        .user('q')
        .assistant(call('Y', '{"n":1}'), call('Y', '{"n":1}'), call('Z'))
        .tool('Y', 'first')
        .tool('Z', 'z')
        .tool('Z', 'z again'),
    );
    expect(wire.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { kind: 'toolCall', callId: 'Y', name: 'read_file', arguments: { n: 1 } },
          { kind: 'toolCall', callId: 'Z', name: 'read_file', arguments: {} },
        ],
      },
      {
        role: 'tool',
        results: [
          { callId: 'Y', name: 'read_file', text: 'first', isError: false },
          { callId: 'Z', name: 'read_file', text: 'z', isError: false },
        ],
      },
    ]);
  });

  it('sends two calls stored under one id, each with its own result, under different ids', () => {
    const rows = (build: TranscriptBuilder): TranscriptBuilder =>
      build
        .user('q')
        .assistant(call('Y', '{"n":1}'), call('Y', '{"n":2}'), call('Y_d2'))
        .tool('Y', 'first')
        .tool('Y', 'second')
        .tool('Y_d2', 'third');
    const wire = projectKept(rows);
    expect([
      wire.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.flatMap((part) =>
              part.kind === 'toolCall' ? [`${part.callId} ${JSON.stringify(part.arguments)}`] : [],
            )
          : [],
      ),
      wire.flatMap((message) =>
        message.role === 'tool' ? message.results.map(({ callId, text: result }) => `${callId}: ${result}`) : [],
      ),
    ]).toEqual([
      ['Y {"n":1}', 'Y_d2 {"n":2}', 'Y_d2_d2 {}'],
      ['Y: first', 'Y_d2: second', 'Y_d2_d2: third'],
    ]);
  });

  it('sends a result with its call if the two are stored under different names of one id', () => {
    const wire = project((rows) => rows.user('q').assistant(call('call_ABC|fc_123')).tool('call_ABC', 'content'));
    expect(wire[2]).toEqual({
      role: 'tool',
      results: [{ callId: 'call_ABC|fc_123', name: 'read_file', text: 'content', isError: false }],
    });
  });

  it('begins with the user if the stored beginning is missing', () => {
    expect(project((rows) => rows.assistant('prior answer').user('next'))).toEqual([
      { role: 'user', content: [text('(The beginning of this conversation is not available.)')] },
      { role: 'assistant', content: [text('prior answer')] },
      { role: 'user', content: [text('next')] },
    ]);
  });

  it('S37 marks an answer without text as such, so that two prompts never touch', () => {
    expect(project((rows) => rows.user('q').assistant('   ').user('next'))[1]).toEqual({
      role: 'assistant',
      content: [text('(This answer ended before any text.)')],
    });
  });

  it('is valid for a strict provider whatever the rows are', () => {
    const row = fc.oneof(
      fc.record({ role: fc.constant('user' as const), text: fc.string() }),
      fc.record({
        role: fc.constant('assistant' as const),
        text: fc.string(),
        calls: fc.array(fc.constantFrom('a', 'b', 'c', 'x|a', ''), { maxLength: 3 }),
      }),
      fc.record({ role: fc.constant('tool' as const), callId: fc.constantFrom('a', 'b', 'c', 'd'), text: fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const builder = new TranscriptBuilder();
        for (const entry of rows) {
          if (entry.role === 'user') builder.user(entry.text);
          else if (entry.role === 'assistant') builder.assistant(entry.text, ...entry.calls.map((id) => call(id)));
          else builder.tool(entry.callId, entry.text);
        }
        expect(sequenceProblems(kept(projectToWire(builder.messages, 'test/model')))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
