import fc from 'fast-check';
import type { Message } from '../../src/transcript/message';
import type { AssistantPart, ImagePart, ToolCallPart } from '../../src/transcript/part';
import { projectToWire } from '../../src/transcript/wireProjection';
import type { JsonObject } from '../../src/transcript/json';
import { TranscriptBuilder } from '../support/builders/messages';
import { type Service, type ServiceLog, services, serviceOf } from '../support/services';
import { ask, modelAt, request } from '../unit/models/asking';
import { smallestFailure } from './smallestFailure';

const oddNames = [
  'read_file',
  'multi_tool_use.parallel',
  'list directory',
  'read_file:0',
  '',
  'browser.tabs.open',
  'x',
  '0day',
  'read_file<|channel|>commentary',
  'view_file" path="a.txt',
  'läs',
  '🙂',
  `run_${'x'.repeat(200)}`,
  'half\ud800',
];
const oddIds = [
  'call_1',
  'functions.read_file:0',
  '',
  'call_1|fc_2',
  'x'.repeat(80),
  'a b',
  'id\udc00',
  '123456789',
  'ü',
];
const oddArguments = [
  '{}',
  '{"path":"a"}',
  '[1]',
  'null',
  '"text"',
  '{"a":',
  '',
  '{"\ud83d":"\udc00"}',
  '{"a":"\\u0000"}',
];
const oddTexts = ['I look.', ' ', '', '\n\t', 'half \ud83d', 'nul \0 here', 'ü 🙂', '\u200b'];
const oddMetadata = [
  undefined,
  { anthropic: { signature: 'forged' } },
  { endpoint: { field: 'reasoning_content' } },
  { endpoint: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'abc' }] } },
  { endpoint: { thoughtSignature: 'sig' } },
] satisfies readonly (JsonObject | undefined)[];

/** A picture of this type by its bytes, so many bytes long. */
export function picture(
  bytes: 'png' | 'jpeg' | 'nonsense' | 'broken' | 'wide',
  mediaType: string,
  length = 64,
): ImagePart {
  const data = Buffer.alloc(length);
  if (bytes === 'jpeg') Buffer.from([0xff, 0xd8, 0xff, 0xe0]).copy(data);
  else if (bytes === 'nonsense') data.write('not a picture at all');
  else {
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]).copy(data);
    data.writeUInt32BE(bytes === 'wide' ? 9000 : 10, 16);
    data.writeUInt32BE(10, 20);
    data[24] = bytes === 'broken' ? 0xbd : 8;
  }
  return { kind: 'image', mediaType, dataBase64: data.toString('base64') };
}

const oddPictures: readonly ImagePart[] = [
  picture('png', 'image/png'),
  picture('jpeg', 'image/png'),
  picture('png', 'image/svg+xml'),
  picture('nonsense', 'image/png'),
  picture('broken', 'image/png'),
  picture('wide', 'image/png'),
  picture('png', 'image/png', 4_500_000),
  { kind: 'image', mediaType: 'image/png', dataBase64: '' },
];

export const oddSchemas: readonly JsonObject[] = [
  { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  { type: 'object', properties: { 'filter[name]': { type: 'string' } }, required: ['filter[name]'] },
  { type: 'object', properties: { tags: { type: 'array' } } },
  {
    anyOf: [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: {} },
    ],
    type: 'object',
  },
  {
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'x',
    type: 'object',
    properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  },
  { type: 'object', properties: { a: { type: 'string', required: true }, b: { type: 'any' } } },
  { type: 'object', properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } } },
  { type: 'object', properties: { e: { enum: [] }, f: { enum: [1, 'a', null, ''] }, g: { const: 'x' } } },
  { type: 'object', properties: { t: { type: ['string', 'null'] }, p: { type: 'string', pattern: '[a-z' } } },
  {
    type: 'object',
    properties: { node: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  },
  { type: 'object', properties: { r: { $ref: '#/definitions/gone' }, o: { anyOf: [] }, d: { description: 5 } } },
  {
    type: 'object',
    properties: { x: { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'a' }] } },
    required: ['gone'],
  },
  { type: 'object', properties: { any: true, free: {} }, additionalProperties: false, not: { required: ['a'] } },
  { type: 'object', properties: { [`k${'x'.repeat(90)}`]: { type: 'string' } }, patternProperties: { '^x': {} } },
];

const call = fc.record({
  name: fc.constantFrom(...oddNames),
  id: fc.constantFrom(...oddIds),
  json: fc.constantFrom(...oddArguments),
  text: fc.constantFrom(...oddTexts),
  metadata: fc.constantFrom(...oddMetadata),
  picture: fc.option(fc.constantFrom(...oddPictures)),
});
const turn = fc.record({
  prompt: fc.constantFrom(...oddTexts),
  pictures: fc.array(fc.constantFrom(...oddPictures), { maxLength: 2 }),
  steps: fc.array(
    fc.record({ text: fc.constantFrom(...oddTexts), thinking: fc.boolean(), calls: fc.array(call, { maxLength: 3 }) }),
    { maxLength: 3 },
  ),
  model: fc.constantFrom('test/model', 'other/model'),
});

/** A session as weak models, tools and switches of model leave it. `open`: the newest turn waits for an answer to results. */
export const oddHistory = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  open: fc.boolean(),
  tools: fc.subarray(
    oddSchemas.map((_, index) => index),
    { maxLength: 4 },
  ),
});
export type OddHistory = typeof oddHistory extends fc.Arbitrary<infer T> ? T : never;

function rowsOf({ turns, open }: OddHistory): readonly Message[] {
  const builder = new TranscriptBuilder();
  let count = 0;
  for (const [index, { prompt, pictures, steps }] of turns.entries()) {
    builder.turn(`t${index}`).user(prompt === '' ? 'Go on.' : prompt, ...pictures);
    for (const { text, thinking, calls } of steps) {
      const parts: AssistantPart[] = [
        ...(thinking
          ? [{ kind: 'thinking', text: 'Hm.', ...meta(oddMetadata[++count % oddMetadata.length]) } as const]
          : []),
        { kind: 'text', text },
        ...calls.map(({ name, id, json, metadata }): ToolCallPart => ({
          kind: 'toolCall',
          callId: id,
          name,
          arguments: json,
          ...meta(metadata),
        })),
      ];
      builder.assistant(...parts);
      for (const { id, text: result } of calls) builder.tool(id, result, 'failed');
    }
    if (!open || index < turns.length - 1) builder.assistant('So far.');
  }
  const pictures = turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.map(({ picture: shown }) => shown)));
  const models = turns.flatMap(({ model, steps }, index) =>
    Array<string>(steps.length + (!open || index < turns.length - 1 ? 1 : 0)).fill(model),
  );
  return builder.messages.map((row): Message => {
    if (row.role === 'assistant') return { ...row, model: models.shift() ?? null };
    if (row.role !== 'tool') return row;
    const shown = pictures.shift();
    return shown === null || shown === undefined ? row : { ...row, parts: [{ ...row.parts[0], images: [shown] }] };
  });
}

const meta = (metadata: JsonObject | undefined): { readonly metadata?: JsonObject } =>
  metadata === undefined ? {} : { metadata };

/** What became of all trials: `stuck` names sessions without a way on. */
export interface ServiceCounts {
  histories: number;
  refused: number;
  unchanged: number;
  readonly stuck: string[];
}

/** Asks the service with this history, and if it refuses, once more with another prompt behind it. */
export async function tryOn(service: Service, history: OddHistory, counts: ServiceCounts): Promise<readonly string[]> {
  const log = serviceOf(service);
  const model = modelAt({ url: service.baseUrl, protocol: service.protocol, model: service.model, fetch: log.fetch });
  const tools = history.tools.map((index) => ({
    name: `tool_${index}`,
    description: 'A tool.',
    parameters: oddSchemas[index] ?? {},
  }));
  const rows = rowsOf(history);
  const about = { tools, cacheKey: 'c' };
  counts.histories += 1;
  for (const messages of [rows, [...rows, ...new TranscriptBuilder().turn('next').user('And now?').messages]]) {
    const { terminal } = await ask(model, request({ messages: projectToWire(messages, 'test/model'), ...about }));
    if (terminal.outcome === 'complete') return counted(log, counts);
  }
  const sent = log.refusals.at(-1) ?? 'without a refusal';
  counts.stuck.push(`${service.name}: ${sent}`);
  counted(log, counts);
  return [`${service.name}: ${sent}`];
}

function counted({ refused }: ServiceLog, counts: ServiceCounts): readonly string[] {
  counts.refused += refused.length;
  counts.unchanged += refused.length - new Set(refused).size;
  return [];
}

export const newCounts = (): ServiceCounts => ({ histories: 0, refused: 0, unchanged: 0, stuck: [] });

/** `runs` histories at every service; returns the smallest that gets stuck. */
export const stuckSession = (how: { readonly runs: number; readonly seed: number }, counts = newCounts()) =>
  smallestFailure(
    {
      what: oddHistory,
      violationsOf: async (history) =>
        (await Promise.all(services.map((service) => tryOn(service, history, counts)))).flat(),
    },
    how,
  );
