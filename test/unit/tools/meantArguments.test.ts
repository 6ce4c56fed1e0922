import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/tools/tool';

let ran: unknown;
const tool = defineTool({
  name: 'f',
  description: 'F',
  schema: v.object({
    path: v.string(),
    line: v.optional(v.pipe(v.number(), v.integer())),
    all: v.optional(v.boolean()),
    edits: v.optional(v.array(v.object({ at: v.number(), all: v.optional(v.boolean()) }))),
    names: v.optional(v.array(v.string())),
  }),
  readOnly: true,
  run: (input) => {
    ran = input;
    return Promise.resolve({ outcome: 'done', text: '' });
  },
});

async function got(input: unknown): Promise<unknown> {
  const bound = tool.bind(input);
  if (bound.kind === 'invalid') return bound.problems;
  await bound.run(new AbortController().signal, {
    callId: '',
    sessionId: '',
    conversationId: '',
    turnUid: '',
    report: () => undefined,
    proceed: new AbortController().signal,
    ask: () => Promise.reject(new Error('Nobody is there.')),
  });
  return ran;
}

it('tells models what its schema says', () => {
  const number = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9), v.description('N'));
  const schema = v.object({
    n: number,
    list: v.optional(v.pipe(v.array(v.pipe(v.string(), v.trim(), v.maxLength(5))), v.maxLength(3))),
    kind: v.optional(v.picklist(['a', 'b']), 'a'),
    none: v.optional(v.picklist([])),
  });
  const run = () => Promise.resolve({ outcome: 'done', text: '' } as const);
  expect(defineTool({ name: 'f', description: 'F', schema, readOnly: true, run }).parameters).toEqual({
    type: 'object',
    properties: {
      n: { type: 'integer', minimum: 1, maximum: 9, description: 'N' },
      list: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      kind: { type: 'string', enum: ['a', 'b'] },
    },
    required: ['n'],
  });
});

describe('arguments as models write them', () => {
  it.each<[string, unknown, unknown]>([
    ['a number as text', { path: 'a', line: '10' }, { path: 'a', line: 10 }],
    ['a negative number with blanks', { path: 'a', line: ' -3 ' }, { path: 'a', line: -3 }],
    ['null for an optional one', { path: 'a', line: null, all: null, edits: null }, { path: 'a' }],
    ['a boolean as text', { path: 'a', all: 'True' }, { path: 'a', all: true }],
    ['a list as text', { path: 'a', names: '["x","y"]' }, { path: 'a', names: ['x', 'y'] }],
    ['numbers within a list', { path: 'a', edits: [{ at: '1', all: null }] }, { path: 'a', edits: [{ at: 1 }] }],
    [
      'a list of objects as text',
      { path: 'a', edits: '[{"at":"2","all":"false"}]' },
      { path: 'a', edits: [{ at: 2, all: false }] },
    ],
    ['text that is a number where text belongs', { path: '10' }, { path: '10' }],
  ])('runs with %s', async (_what, input, expected) => {
    expect(await got(input)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['no number', { path: 'a', line: 'ten' }],
    ['half a line', { path: 'a', line: '1.5' }],
    ['null for a required one', { path: null }],
    ['a list that is none', { path: 'a', names: 'x, y' }],
    ['no object', 'x'],
  ])('refuses %s', async (_what, input) => {
    expect(await got(input)).toEqual([expect.any(String)]);
  });
});
