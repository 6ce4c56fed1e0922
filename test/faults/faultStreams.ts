import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { JsonObject } from '../../src/transcript/json';
import { anthropicFrames, signatureOf } from '../support/modelServer/anthropicFrames';
import type { ServerProtocol } from '../support/modelServer';
import { openaiFrames } from '../support/modelServer/openaiFrames';
import { type Reply, reply } from '../support/modelServer/reply';

/** An answer as a service streams it: the payloads of its events, in order. */
export interface FaultStream {
  readonly name: string;
  readonly protocol: ServerProtocol;
  readonly payloads: readonly JsonObject[];
}

const protocols = ['openai', 'anthropic'] as const;
const jsonObject = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const family = '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}';

/** Answers of every shape, each played in both protocols. */
const shapes: Readonly<Record<string, () => Reply>> = {
  'one word': () => reply().says('Yes.'),
  'a sentence': () => reply().says('The retry waits twice as long each time.'),
  paragraphs: () => reply().says('First.\n\nSecond, with `code`.\n\n```ts\nconst a = 1;\n```\n'),
  'thinking, then text': () => reply().thinks('Let me look at it.').says('It is fine.'),
  'thinking between texts': () => reply().says('Well. ').thinks('Or not?').says('It is.'),
  'thinking alone': () => reply().thinks('Hm, I wonder.'),
  'nothing at all': () => reply(),
  'a call': () => reply().calls('list_directory', {}, { id: 'call_list' }),
  'text, then a call': () =>
    reply().says('I look.').calls('read_file', { path: 'note.txt' }, { id: 'call_read', in: 5 }),
  'thinking, text and two calls': () =>
    reply()
      .thinks('Two at once.')
      .says('Both.')
      .calls('list_directory', {}, { id: 'call_a' })
      .calls('search_files', { query: 'milk' }, { id: 'call_b' }),
  'a call of a tool that is not there': () => reply().calls('launch', { at: 'dawn' }, { id: 'call_none' }),
  'a call whose arguments are no JSON': () => reply().calls('read_file', '{"path": note}', { id: 'call_bad' }),
  'characters of four bytes': () => reply().says(`naïve 漢字 ${family} \u{1F30D} end`, { in: 1 }),
  'spaces and line ends alone': () => reply().says(' \n ').says('after'),
  'cut off at its length': () => reply().says('It goes on and').finishes('length'),
  'refused in the middle': () => reply().says('Here is how').finishes('contentFilter'),
};

/** Our own streams: the shapes above, and recordings of the specialities of single services in `streams/`. */
export function ownStreams(): readonly FaultStream[] {
  const built = Object.entries(shapes).flatMap(([name, make]) =>
    protocols.map((protocol) => ({ name, protocol, payloads: payloadsOf(make(), protocol) })),
  );
  return [...built, ...streamsIn('test/faults/streams')];
}

/** Recorded streams: `openai/*.jsonl` and `anthropic/*.jsonl`, one `data:` payload per line. */
export function streamsIn(directory: string): readonly FaultStream[] {
  return protocols.flatMap((protocol) =>
    readdirSync(join(directory, protocol))
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .map((file) => {
        const lines = readFileSync(join(directory, protocol, file), 'utf8')
          .split('\n')
          .filter((line) => line.trim() !== '');
        return { name: file, protocol, payloads: resigned(lines.map((line) => v.parse(jsonObject, JSON.parse(line)))) };
      }),
  );
}

function payloadsOf(answer: Reply, protocol: ServerProtocol): readonly JsonObject[] {
  const scenario = answer.scenario();
  if (scenario.kind !== 'stream') return [];
  const options = {
    model: 'test-model',
    requestNumber: 1,
    includeUsage: true,
    issuesSignatures: true,
    prefixUsage: { input: 10, output: 5 },
  };
  const frames = protocol === 'openai' ? openaiFrames(options) : anthropicFrames(options);
  const events = [
    ...frames.begin(),
    ...scenario.steps.flatMap((step) => (step.kind === 'pause' || step.kind === 'wait' ? [] : frames.step(step))),
  ];
  return events.flatMap(({ bytes }) => {
    const data = /^data: (.*)$/m.exec(bytes)?.[1];
    return data === undefined || data === '[DONE]' ? [] : [v.parse(jsonObject, JSON.parse(data))];
  });
}

const blockStart = v.object({ type: v.literal('content_block_start'), index: v.number() });
const thinkingDelta = v.object({
  index: v.number(),
  delta: v.object({ type: v.literal('thinking_delta'), thinking: v.string() }),
});
const signatureDelta = v.object({ index: v.number(), delta: v.object({ type: v.literal('signature_delta') }) });

/** A recorded signature is one that our strict server never issued; it gets the one that it will recognise. */
function resigned(payloads: readonly JsonObject[]): readonly JsonObject[] {
  const thinking = new Map<number, string>();
  return payloads.map((payload) => {
    const begun = v.safeParse(blockStart, payload);
    // Of an answer of two spliced messages, the second counts its blocks from zero again.
    if (begun.success) thinking.delete(begun.output.index);
    const thought = v.safeParse(thinkingDelta, payload);
    if (thought.success)
      thinking.set(thought.output.index, (thinking.get(thought.output.index) ?? '') + thought.output.delta.thinking);
    const signed = v.safeParse(signatureDelta, payload);
    if (!signed.success) return payload;
    return {
      ...payload,
      delta: { type: 'signature_delta', signature: signatureOf(thinking.get(signed.output.index) ?? '') },
    };
  });
}
