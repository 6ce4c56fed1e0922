import { describe, expect, it } from 'vitest';
import { newCounts, oddSchemas, picture, tryOn, type OddHistory } from '../properties/services';
import { services } from '../support/services';

type Step = OddHistory['turns'][number]['steps'][number];
type Call = Step['calls'][number];

const plainCall: Call = {
  name: 'read_file',
  id: 'call_1',
  json: '{"path":"a"}',
  text: 'Read.',
  metadata: undefined,
  picture: null,
};

/** A turn with one call that has been answered, then one in which its results wait for an answer. */
function history(
  call: Partial<Call>,
  more: Partial<OddHistory['turns'][number]> = {},
  tools: readonly number[] = [0],
): OddHistory {
  const step: Step = {
    text: 'I look.',
    thinking: more.steps?.[0]?.thinking ?? false,
    calls: [{ ...plainCall, ...call }],
  };
  const turn: OddHistory['turns'][number] = {
    prompt: 'Look.',
    pictures: [],
    model: 'test/model',
    steps: [step],
    ...more,
  };
  return {
    turns: [
      { ...turn, steps: [step] },
      { ...turn, pictures: [], steps: [{ ...step, calls: step.calls.map((one) => ({ ...one, id: `${one.id}2` })) }] },
    ],
    open: true,
    tools: [...tools],
  };
}

const shapes: readonly (readonly [string, OddHistory])[] = [
  ['a tool name with a dot, as GPT models invent', history({ name: 'multi_tool_use.parallel' })],
  ['a tool name with a blank', history({ name: 'list directory' })],
  ['a tool name with a colon and a number', history({ name: 'read_file:0' })],
  ['a tool name with marks of a chat template', history({ name: 'read_file<|channel|>commentary' })],
  ['a tool name with an argument in it', history({ name: 'view_file" path="a.txt' })],
  ['a tool name of 204 letters', history({ name: `run_${'x'.repeat(200)}` })],
  ['a tool without a name', history({ name: '' })],
  ['a tool name that is no word', history({ name: '🙂' })],
  ['a tool name with half a character', history({ name: 'half\ud800' })],
  ['a call without an id', history({ id: '' })],
  ['a call id with a colon, as Kimi makes', history({ id: 'functions.read_file:0' })],
  ['a call id with a bar, as the Responses API makes', history({ id: 'call_1|fc_2' })],
  ['a call id of 80 characters', history({ id: 'x'.repeat(80) })],
  ['a call id with half a character', history({ id: 'id\udc00' })],
  ['arguments that are cut', history({ json: '{"a":' })],
  ['arguments that are a list', history({ json: '[1]' })],
  ['arguments that are a word', history({ json: '"text"' })],
  ['arguments that are null', history({ json: 'null' })],
  ['no arguments', history({ json: '' })],
  ['a result without text', history({ text: '' })],
  ['a result with half a character', history({ text: 'half \ud83d' })],
  ['an answer of blanks', history({}, { prompt: ' ' })],
  ['a picture whose type is not what its bytes say', history({ picture: picture('jpeg', 'image/png') })],
  ['a picture of a type that no service takes', history({ picture: picture('png', 'image/svg+xml') })],
  ['a picture that is none', history({ picture: picture('nonsense', 'image/png') })],
  ['a picture that is broken behind its first bytes', history({ picture: picture('broken', 'image/png') })],
  ['a picture of 9,000 pixels', history({ picture: picture('wide', 'image/png') })],
  ['a picture of 6 MB in base64', history({ picture: picture('png', 'image/png', 4_500_000) })],
  ['a picture without bytes', history({ picture: { kind: 'image', mediaType: 'image/png', dataBase64: '' } })],
  ['a broken picture in the prompt', history({}, { pictures: [picture('broken', 'image/png')] })],
  ['calls of another model', history({}, { model: 'other/model' })],
  [
    'thinking with a signature of another service',
    history({ metadata: { anthropic: { signature: 'forged' } } }, { steps: [{ text: '', thinking: true, calls: [] }] }),
  ],
  ['a call with a signature of another service', history({ metadata: { endpoint: { thoughtSignature: 'sig' } } })],
  ...oddSchemas.map(
    (_, index) => [`the tool schema ${index + 1} of ${oddSchemas.length}`, history({}, {}, [index])] as const,
  ),
];

/** Nobody can know these before the service says so: it refuses once, and takes the plainer request. */
const refusedOnce = [
  'a picture that is none',
  'a picture that is broken behind its first bytes',
  'a broken picture in the prompt',
  'thinking with a signature of another service',
];

describe('a session goes on at every service after', () => {
  it.each(shapes)('%s', async (name, shape) => {
    const counts = newCounts();
    await Promise.all(services.map((service) => tryOn(service, shape, counts)));
    expect({ stuck: counts.stuck, unchanged: counts.unchanged, isRefused: counts.refused > 0 }).toEqual({
      stuck: [],
      unchanged: 0,
      isRefused: refusedOnce.includes(name),
    });
  });
});
