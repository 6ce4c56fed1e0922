import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { PutMessage, SettleTurn } from '../../requests';
import { isUnknownOutcome, StoreError } from '../../storeError';
import { hiddenReasons, type NewMessage } from '../../../transcript/message';
import { stopReasons } from '../../../transcript/stopReason';
import { usage } from '../tables/columns';
import { assistantParts, toolParts, userParts } from '../tables/partsJson';
import { isOfOtherStore } from '../tables/storeUid';
import { failure } from '../tables/turnRow';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from '../operations/storeOperations';

const text = v.nullable(v.string());
const visibility = v.variant('kind', [
  v.object({ kind: v.picklist(['shown', 'closing', 'handoff']) }),
  v.object({ kind: v.literal('hidden'), reason: v.picklist(hiddenReasons), absorbedInto: text }),
]);
const base = {
  uid: v.string(),
  sessionId: v.string(),
  turnUid: text,
  createdAt: v.number(),
  visibility,
  carriedFrom: text,
  behind: v.exactOptional(v.string()),
};
const message = v.variant('role', [
  v.object({ ...base, role: v.literal('user'), parts: userParts }),
  v.object({ ...base, role: v.literal('tool'), parts: toolParts }),
  v.object({
    ...base,
    role: v.literal('assistant'),
    parts: assistantParts,
    state: v.picklist(['streaming', 'final']),
    lastSeq: v.number(),
    model: text,
    finishReason: text,
    usage: v.nullable(usage),
  }),
]) satisfies v.GenericSchema<unknown, PutMessage & NewMessage>;
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
const settlement = v.object({
  turnUid: v.string(),
  settledAt: v.number(),
  messages: v.array(message),
  settlement: v.object({
    outcome: v.picklist(['complete', 'interrupted', 'failed']),
    stopReason: v.picklist(stopReasons),
    failure: v.nullable(failure),
  }),
}) satisfies v.GenericSchema<unknown, SettleTurn>;
const requestLine = v.object({
  n: v.number(),
  request: v.variant('method', [
    v.object({ method: v.literal('appendChunks'), args: v.tuple([chunkBatch]) }),
    v.object({ method: v.literal('putMessages'), args: v.tuple([v.array(message)]) }),
    v.object({ method: v.literal('repairTranscript'), args: v.tuple([v.string()]) }),
    v.object({ method: v.literal('addUsage'), args: v.tuple([v.string(), usage]) }),
    v.object({ method: v.literal('settleTurn'), args: v.tuple([settlement]) }),
  ]),
});
type Request = v.InferOutput<typeof requestLine>['request'];

const headerLine = v.object({
  format: v.literal('hermes-spill'),
  v: v.literal(1),
  spillUid: v.string(),
  storeUid: text,
  turn: v.object({ uid: v.string(), sessionId: v.string() }),
});

/** What an earlier build wrote beside the store while the store could not be written: the writes of one turn, in
 *  order. `torn`: true when the end of the file was written in part. */
export interface EarlierSpill extends Omit<v.InferOutput<typeof headerLine>, 'format' | 'v'> {
  readonly requests: readonly Request[];
  readonly torn: boolean;
}

/** Reads such a file: a header, then one numbered request per line. Null when it is none of ours. */
export function readEarlierSpill(content: string): EarlierSpill | null {
  const lines = content.split('\n');
  // Text after the last line break was not written completely.
  const tail = lines.pop() ?? '';
  const head = parsedAs(headerLine, lines[0] ?? null);
  if (head === null) return null;
  const requests: Request[] = [];
  for (const line of lines.slice(1)) {
    const read = parsedAs(requestLine, line);
    if (read?.n !== requests.length + 1) break;
    requests.push(read.request);
  }
  const { spillUid, storeUid, turn } = head;
  return { spillUid, storeUid, turn, requests, torn: tail !== '' || requests.length < lines.length - 1 };
}

/** notHere: the turn is not in this store, and nothing was changed. `refused`: the reason of each request that the
 *  store did not accept. */
export type TakenInSpill =
  { readonly kind: 'notHere' } | { readonly kind: 'stored'; readonly refused: readonly string[] };

/** Stores the requests of such a file, inside its caller's transaction. The number of stored requests is part of the
 *  transaction, so a file that could not be removed, or exists twice, changes nothing the second time. */
export class EarlierSpills extends StorePart<StoreOperations> {
  takeIn({ spillUid, storeUid, turn: { uid }, requests }: EarlierSpill): TakenInSpill {
    const mark = `spill/${spillUid}`;
    const done = Number(this.store.meta.get(mark) ?? '-1');
    if (done >= requests.length) return { kind: 'stored', refused: [] };
    const turn = this.turns.find(uid);
    if (turn === null || isOfOtherStore(storeUid, (key) => this.store.meta.get(key))) return { kind: 'notHere' };
    if (turn.state === 'settled' && turn.stopReason === 'crash') this.reopen(uid);
    const refused = requests.slice(Math.max(done, 0)).flatMap((request) => this.attempt(request));
    this.store.meta.set(mark, String(requests.length));
    return { kind: 'stored', refused };
  }

  /** Undoes that another window settled the turn as a crash: removes the closing row and the results of calls that
   *  were still open. */
  private reopen(turnUid: string): void {
    this.database.run(
      `UPDATE turns SET state = 'running', outcome = NULL, stop_reason = NULL, failure = NULL, settled_at = NULL
       WHERE uid = ?`,
      [turnUid],
    );
    for (const row of this.messages.ofTurn(turnUid)) {
      const isSynthetic =
        row.visibility.kind === 'closing' ||
        (row.role === 'tool' && row.uid.endsWith(`/result/${row.parts[0].callId}`));
      if (isSynthetic) this.messages.remove(row.uid);
    }
  }

  /** Returns the reason when a request is refused, else nothing. A refused request leaves no trace; a disk failure
   *  rolls back all of them. */
  private attempt(request: Request): readonly string[] {
    this.database.run('SAVEPOINT spilled');
    try {
      this.perform(request);
      this.database.run('RELEASE spilled');
      return [];
    } catch (error) {
      if (!(error instanceof StoreError) || isUnknownOutcome(error)) throw error;
      this.database.run('ROLLBACK TO spilled');
      this.database.run('RELEASE spilled');
      return [`${request.method}: ${error.technical}`];
    }
  }

  private perform(request: Request): void {
    switch (request.method) {
      case 'appendChunks':
        // Continues an answer that was settled as a crash.
        for (const { messageUid, seq } of request.args[0].chunks) {
          this.database.run(
            "UPDATE messages SET state = 'streaming' WHERE uid = ? AND state = 'final' AND last_seq < ?",
            [messageUid, seq],
          );
        }
        return this.store.turnLifecycle.append(request.args[0]);
      case 'putMessages':
        return void this.store.turnLifecycle.put(request.args[0]);
      case 'repairTranscript':
        return void this.store.rewriting.repair(request.args[0], this.now());
      case 'addUsage':
        return this.store.turnLifecycle.addUsage(...request.args);
      case 'settleTurn':
        return void this.store.turnLifecycle.settle(request.args[0]);
      default:
        return request satisfies never;
    }
  }
}
