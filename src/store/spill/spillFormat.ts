import * as v from 'valibot';
import type { PutMessage, SpilledRequest, SpilledTurn } from '../sessionStore';
import { usage } from '../session/tables/columns';
import { assistantParts, parseJson, toolParts, userParts } from '../session/tables/partsJson';
import { failure, recalled } from '../session/tables/turnRow';
import { hiddenReasons, type Message, type NewMessage } from '../../transcript/message';
import { stopReasons } from '../../transcript/stopReason';

/** The version of the lines below. A file of a later version is not read, and stays where it is (`laterSpill`). */
export const formatVersion = 1;
const format = 'hermes-spill';

/** Names of spill files: the session's id, with a number when there is already one. */
const spillName = /^(?!.*\.kept(?:-\d+)?\.jsonl$).+\.jsonl$/;

export function isSpillName(name: string): boolean {
  return spillName.test(name);
}

export function spillFileName(sessionId: string, attempt: number): string {
  return attempt === 0 ? `${sessionId}.jsonl` : `${sessionId}.${attempt + 1}.jsonl`;
}

/** All data of a spilled turn except the writes since. */
export type SpillHeader = Omit<SpilledTurn, 'requests'>;

/** Content of a spill file. `torn`: true when lines after the last whole one were half written (by a power cut) or
 *  cannot be read. */
interface ReadSpill {
  readonly spill: SpilledTurn;
  readonly torn: boolean;
}

export function encodeHeader(header: SpillHeader): string {
  return `${JSON.stringify({ format, v: formatVersion, ...header })}\n`;
}

/** Numbered from 1, so that a missing line is detected. */
export function encodeRequest(n: number, request: SpilledRequest): string {
  return `${JSON.stringify({ n, request })}\n`;
}

const text = v.nullable(v.string());
const number = v.nullable(v.number());

const session = v.object({
  id: v.string(),
  title: text,
  titleSource: v.nullable(v.picklist(['derived', 'model', 'person'])),
  parentSessionId: text,
  parentKind: v.nullable(v.picklist(['compression', 'branch', 'delegate'])),
  conversationId: v.string(),
  model: text,
  folder: text,
  startedAt: v.number(),
  lastActiveAt: v.number(),
  endedAt: number,
  endReason: text,
  pinned: v.boolean(),
  archived: v.boolean(),
  private: v.boolean(),
  trashedAt: number,
});

const turn = v.object({
  uid: v.string(),
  sessionId: v.string(),
  userMessageUid: v.string(),
  model: v.string(),
  startedAt: v.number(),
  usage: v.nullable(usage),
  supersedes: text,
  state: v.literal('running'),
  recalled: v.exactOptional(recalled),
});

const visibility = v.variant('kind', [
  v.object({ kind: v.picklist(['shown', 'closing', 'handoff']) }),
  v.object({ kind: v.literal('hidden'), reason: v.picklist(hiddenReasons), absorbedInto: text }),
]);

const place = { position: v.number() };
const base = {
  uid: v.string(),
  sessionId: v.string(),
  turnUid: text,
  createdAt: v.number(),
  visibility,
  carriedFrom: text,
};
const userRow = { ...base, role: v.literal('user'), parts: userParts };
const toolRow = { ...base, role: v.literal('tool'), parts: toolParts };
const assistantRow = {
  ...base,
  role: v.literal('assistant'),
  parts: assistantParts,
  state: v.picklist(['streaming', 'final']),
  lastSeq: v.number(),
  model: text,
  finishReason: text,
  usage: v.nullable(usage),
};
const message = v.variant('role', [
  v.object({ ...userRow, ...place }),
  v.object({ ...toolRow, ...place }),
  v.object({ ...assistantRow, ...place }),
]) satisfies v.GenericSchema<unknown, Message>;
const newMessage = v.variant('role', [
  v.object(userRow),
  v.object(toolRow),
  v.object(assistantRow),
]) satisfies v.GenericSchema<unknown, NewMessage>;
const behind = { behind: v.exactOptional(v.string()) };
const putMessage = v.variant('role', [
  v.object({ ...userRow, ...behind }),
  v.object({ ...toolRow, ...behind }),
  v.object({ ...assistantRow, ...behind }),
]) satisfies v.GenericSchema<unknown, PutMessage>;

const chunk = v.object({
  messageUid: v.string(),
  seq: v.number(),
  part: v.number(),
  kind: v.picklist(['text', 'thinking']),
  start: v.number(),
  text: v.string(),
});
const chunkBatch = v.object({
  sessionId: v.string(),
  turnUid: v.string(),
  model: v.string(),
  createdAt: v.number(),
  chunks: v.array(chunk),
});
const settleTurn = v.object({
  turnUid: v.string(),
  settledAt: v.number(),
  messages: v.array(newMessage),
  settlement: v.object({
    outcome: v.picklist(['complete', 'interrupted', 'failed']),
    stopReason: v.picklist(stopReasons),
    failure: v.nullable(failure),
  }),
});

const spilledRequest = v.variant('method', [
  v.object({ method: v.literal('appendChunks'), args: v.tuple([chunkBatch]) }),
  v.object({ method: v.literal('putMessages'), args: v.tuple([v.array(putMessage)]) }),
  v.object({ method: v.literal('repairTranscript'), args: v.tuple([v.string()]) }),
  v.object({ method: v.literal('addUsage'), args: v.tuple([v.string(), usage]) }),
  v.object({ method: v.literal('settleTurn'), args: v.tuple([settleTurn]) }),
]);
const requestLine = v.object({ n: v.number(), request: spilledRequest });

const headerLine = v.object({
  format: v.literal(format),
  v: v.literal(formatVersion),
  spillUid: v.string(),
  storeUid: text,
  sessions: v.array(session),
  turn,
  rows: v.array(message),
});

const laterHeaderLine = v.object({
  format: v.literal(format),
  v: v.pipe(v.number(), v.gtValue(formatVersion)),
  storeUid: v.fallback(text, null),
});

/** The format version and the store of a spill file that a later version of the program wrote; null for every other
 *  file. `storeUid`: null also when it cannot be read. */
export function laterSpill(text: string): { readonly version: number; readonly storeUid: string | null } | null {
  const head = v.safeParse(laterHeaderLine, parseJson(text.split('\n', 1)[0] ?? ''));
  return head.success ? { version: head.output.v, storeUid: head.output.storeUid } : null;
}

/** Null when the file does not even name its turn, or is not a spill of ours. */
export function readSpill(text: string): ReadSpill | null {
  const lines = text.split('\n');
  // Text after the last line break was not written completely.
  const tail = lines.pop() ?? '';
  const head = v.safeParse(headerLine, parseJson(lines[0] ?? ''));
  if (!head.success) return null;
  const { spillUid, storeUid, sessions, turn, rows } = head.output;
  const requests: SpilledRequest[] = [];
  for (const line of lines.slice(1)) {
    const read = v.safeParse(requestLine, parseJson(line));
    if (!read.success || read.output.n !== requests.length + 1) break;
    requests.push(read.output.request);
  }
  return {
    spill: { spillUid, storeUid, sessions, turn, rows, requests },
    torn: tail !== '' || requests.length < lines.length - 1,
  };
}
