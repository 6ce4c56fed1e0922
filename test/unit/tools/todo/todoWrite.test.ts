import { describe, expect, it } from 'vitest';
import { todoNote } from '../../../../src/agent/compression/summarizer';
import { handoffText, summaryIn } from '../../../../src/agent/compression/handoffText';
import { exitPlanModeTool } from '../../../../src/tools/plan/exitPlanMode';
import { todosOf, todoWriteTool } from '../../../../src/tools/todo/todoList';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import type { JsonValue } from '../../../../src/transcript/json';
import type { Message } from '../../../../src/transcript/message';
import { aToolCall } from '../../../support/toolCalls';

const run = (name: string, input: unknown) =>
  new ToolRegistry([todoWriteTool(), exitPlanModeTool()]).run(
    { callId: 'c', name, arguments: JSON.stringify(input) },
    new AbortController().signal,
    aToolCall(),
  );
const row = (uid: string, details: JsonValue, outcome: 'done' | 'failed' = 'done'): Message => ({
  uid,
  sessionId: 's',
  turnUid: 't',
  position: 1,
  createdAt: 1,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'tool',
  parts: [{ kind: 'toolResult', callId: uid, name: 'todo_write', outcome, text: '', details }],
});
const list = (
  ...items: readonly { readonly text: string; readonly state: 'pending' | 'active' | 'done' }[]
): JsonValue => ({ kind: 'todos', items });

describe('todo_write', () => {
  it('answers with the list, which its row keeps', async () => {
    const items = [
      { text: 'look', state: 'done' },
      { text: ' mend ', state: 'active' },
      { text: 'check', state: 'pending' },
    ];
    expect(await run('todo_write', { items })).toEqual({
      outcome: 'done',
      text: 'The todo list, 1 of 3 done:\n[x] look\n[>] mend\n[ ] check',
      details: {
        kind: 'todos',
        items: [
          { text: 'look', state: 'done' },
          { text: 'mend', state: 'active' },
          { text: 'check', state: 'pending' },
        ],
      },
    });
    expect(await run('todo_write', { items: [] })).toMatchObject({ text: 'The todo list is empty now.' });
  });

  it.each([
    [
      'two at once',
      [
        { text: 'a', state: 'active' },
        { text: 'b', state: 'active' },
      ],
      'more than one active item',
    ],
    ['too many', Array.from({ length: 51 }, () => ({ text: 'a', state: 'done' })), 'more than 50 items'],
    ['an empty step', [{ text: '  ', state: 'done' }], 'is empty'],
    ['another state', [{ text: 'a', state: 'blocked' }], 'pending, active or done'],
  ])('refuses %s', async (_case, items, sentence) =>
    expect(await run('todo_write', { items })).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining(sentence),
    }),
  );

  it('counts only where it was done and is complete', () => {
    const found = [row('a', list({ text: 'x', state: 'done' }), 'failed'), row('b', { kind: 'todos', items: 'x' })].map(
      ({ parts: [part] }) => part?.kind === 'toolResult' && todosOf(part),
    );
    expect(found).toEqual([null, null]);
  });
});

describe('the todo list in a handoff', () => {
  const rows = [
    row('a', list({ text: 'old', state: 'active' })),
    row('b', list({ text: 'look', state: 'done' }, { text: 'mend', state: 'active' })),
    row('c', list(), 'failed'),
  ];

  it('is the newest that was written, and no part of the summary', () => {
    const text = handoffText('What happened.', [], 'betweenTurns', todoNote(rows, null));
    expect(text).toContain('\n\n## Todo list, as it was last written\n[x] look\n[>] mend\n\n# Summary\n');
    expect(summaryIn(text)).toBe('What happened.');
  });

  it('is carried on where none was written since', () => {
    const first = handoffText('One.', [], 'betweenTurns', todoNote(rows, null));
    const second = handoffText('Two.', [], 'betweenTurns', todoNote([], first));
    expect(todoNote([], second)).toBe('## Todo list, as it was last written\n[x] look\n[>] mend');
  });

  it('is left out once all of it is done, or it was cleared', () => {
    const first = handoffText('One.', [], 'betweenTurns', todoNote(rows, null));
    expect([
      todoNote([row('d', list({ text: 'look', state: 'done' }))], first),
      todoNote([row('d', list())], first),
      todoNote([], null),
    ]).toEqual(['', '', '']);
  });
});

describe('exit_plan_mode', () => {
  it('asks with the plan, and explains what its approval means', async () => {
    const bound = exitPlanModeTool().bind({ plan: '# Plan\n1. mend' });
    expect(bound.kind === 'ready' && (await bound.asks?.(new AbortController().signal))).toEqual({
      access: { kind: 'plan' },
      preview: '# Plan\n1. mend',
    });
    expect(await run('exit_plan_mode', { plan: '# Plan' })).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('approved'),
      details: { kind: 'plan', plan: '# Plan' },
    });
  });

  it('refuses an empty plan', async () =>
    expect(await run('exit_plan_mode', { plan: ' ' })).toMatchObject({ outcome: 'failed' }));
});
