import * as v from 'valibot';
import type { Part } from '../../../transcript/part';
import {
  beginsAs,
  emptyHash,
  hashFrom,
  hashOn,
  hashWord,
  type HashState,
  type DeliveryEntry,
} from '../../../transcript/deliveryEntry';
import type { LiveMessage } from '../state/liveMessage';

/** Maximum messages remembered for the shown session, and for each earlier one. */
const mostMessages = { shown: 300, before: 60 } as const;
const mostConversations = 5;
/** Approximate maximum size in characters; older entries beyond it are dropped. */
const mostCharacters = 90_000;

/** A part as saved: its number, `t`ext or thin`k`ing, its length, its hash. */
const partPattern = /^(\d+) ([tk]) (\d+) ([0-9a-f]{16})$/;
// Built only from schemas that the first paint needs anyway: all of valibot used anywhere loads with it.
const savedMessage = v.object({
  m: v.string(),
  t: v.nullable(v.string()),
  p: v.array(v.string()),
  /** First survival: shown, on disk, stored. Default: the one that `p` gives. */
  s: v.optional(v.array(v.number())),
});
const savedReport = v.array(v.object({ id: v.string(), messages: v.array(savedMessage) }));

/** Delivery report that the view keeps across a reload, the last shown session first. */
export type SavedReport = v.InferOutput<typeof savedReport>;

interface ReportedPart {
  readonly kind: 'text' | 'thinking';
  readonly length: number;
  readonly hash: HashState;
}

interface ReportedMessage {
  readonly turnUid: string | null;
  readonly parts: Map<number, ReportedPart>;
  /** Survival found by an earlier page. Since then `parts` may have grown by stored text that was shown only later. */
  readonly first: Survival | null;
}

/** Text of a turn shown before its host died, compared with the rows read from disk when it was back. In characters. */
interface Survival {
  readonly shown: number;
  /** Characters of these in parts stored exactly as shown. */
  readonly onDisk: number;
  /** Characters on disk in the shown parts, whatever their content. */
  readonly stored: number;
}

/** Records, part by part, the length and hash of the text this view received and rendered. Knows nothing about the
 *  host's or the disk's content. Following a text costs only its new part; a stored row that replaces streamed text
 *  is read once. */
export class DeliveryReport {
  /** By conversation, the last shown one at the end. */
  private readonly conversations = new Map<string, Map<string, ReportedMessage>>();
  /** Messages of the shown conversation as of the last check. */
  private seen = new Map<string, LiveMessage>();
  private seenOf: string | null = null;
  private readonly survivals = new Map<string, Survival>();

  constructor(kept: unknown = []) {
    const parsed = v.safeParse(savedReport, kept);
    for (const { id, messages } of parsed.success ? parsed.output.toReversed() : []) {
      this.conversations.set(
        id,
        new Map(
          messages.map(({ m, t, p, s }) => [
            m,
            { turnUid: t, parts: new Map(p.flatMap(partFrom)), first: survivalFrom(s) },
          ]),
        ),
      );
    }
  }

  /** Checks the rendered messages. Returns what is new. */
  observe(conversationId: string, messages: readonly LiveMessage[]): readonly DeliveryEntry[] {
    if (this.seenOf !== conversationId) this.seen = new Map();
    this.seenOf = conversationId;
    const known = this.conversations.get(conversationId) ?? new Map<string, ReportedMessage>();
    this.conversations.delete(conversationId);
    this.conversations.set(conversationId, known);
    const next = new Map<string, LiveMessage>();
    const changed: DeliveryEntry[] = [];
    for (const live of messages) {
      if (!isShownAnswer(live)) continue;
      const before = this.seen.get(live.uid);
      next.set(live.uid, live);
      if (before === live) continue;
      changed.push(...this.follow(known, live, before));
    }
    this.seen = next;
    return changed;
  }

  entriesOf(conversationId: string): readonly DeliveryEntry[] {
    return [...(this.conversations.get(conversationId) ?? [])].flatMap(([uid, message]) => entriesOf(uid, message));
  }

  get conversationIds(): readonly string[] {
    return [...this.conversations.keys()];
  }

  /** Survival of a turn that was cut off. `isWhole`: all rows of the session are loaded, so a message missing there
   *  is not stored. */
  survivalOf(conversationId: string, turnUid: string, isWhole: boolean): Survival {
    const all = [...(this.conversations.get(conversationId) ?? [])].filter(
      ([uid, message]) => message.turnUid === turnUid && (isWhole || this.seen.has(uid) || this.survivals.has(uid)),
    );
    const each = all.map(
      ([uid, message]) => this.survivals.get(uid) ?? { shown: lengthOf(message), onDisk: 0, stored: 0 },
    );
    const sum = (of: keyof Survival): number => each.reduce((total, one) => total + one[of], 0);
    return { shown: sum('shown'), onDisk: sum('onDisk'), stored: sum('stored') };
  }

  /** Returns the shown text of a message, if the view still has it as first shown. */
  shownText(messageUid: string): string | null {
    const live = this.seen.get(messageUid);
    const message = this.seenOf === null ? undefined : this.conversations.get(this.seenOf)?.get(messageUid);
    if (live === undefined || message === undefined) return null;
    const parts = entriesOf(messageUid, message).filter(({ kind }) => kind === 'text');
    const texts = parts.map((entry) => [entry, textAt(live.parts, entry.part, entry.kind)] as const);
    return texts.length > 0 && texts.every(([entry, text]) => text !== null && beginsAs(text, entry))
      ? texts.map(([, text]) => text).join('')
      : null;
  }

  forget(conversationIds: readonly string[]): void {
    for (const id of conversationIds) this.conversations.delete(id);
  }

  /** Returns what to save: the newest messages of the last shown sessions. */
  kept(): SavedReport {
    const kept: SavedReport = [];
    let budget: number = mostCharacters;
    for (const [id, all] of [...this.conversations].toReversed().slice(0, mostConversations)) {
      const messages: SavedReport[number]['messages'] = [];
      for (const [m, message] of this.inOrder(id, all)
        .slice(-(kept.length === 0 ? mostMessages.shown : mostMessages.before))
        .toReversed()) {
        const first = this.survivals.get(m) ?? message.first;
        const entry = {
          m,
          t: message.turnUid,
          p: [...message.parts].map(keptPartOf),
          ...(first === null || first.shown === lengthOf(message)
            ? {}
            : { s: [first.shown, first.onDisk, first.stored] }),
        };
        budget -= JSON.stringify(entry).length + 1;
        if (budget < 0) break;
        messages.unshift(entry);
      }
      if (messages.length > 0) kept.push({ id, messages });
    }
    return kept;
  }

  private follow(
    known: Map<string, ReportedMessage>,
    live: LiveMessage,
    before: LiveMessage | undefined,
  ): readonly DeliveryEntry[] {
    const message = known.get(live.uid) ?? { turnUid: live.turnUid, parts: new Map(), first: null };
    // Chunks only append text; a row that was read may contain anything.
    const onlyGrew = before !== undefined && before.row === live.row;
    if (!onlyGrew) this.compare(live, message);
    const changed: DeliveryEntry[] = [];
    live.parts.forEach((part, index) => {
      const text = textAt(live.parts, index, part.kind);
      if (text === null || text === '' || (part.kind !== 'text' && part.kind !== 'thinking')) return;
      const next = grown(message.parts.get(index), part.kind, text, onlyGrew);
      if (next === null) return;
      message.parts.set(index, next);
      changed.push(entryOf(live.uid, message.turnUid, index, next));
    });
    if (message.parts.size > 0) known.set(live.uid, message);
    return changed;
  }

  /** A final row replaces streamed text: from then on it is known how much of that was on disk. The first comparison
   *  counts, unless text was lost since. */
  private compare(live: LiveMessage, message: ReportedMessage): void {
    if (live.row?.role !== 'assistant' || live.row.state !== 'final' || this.survivals.has(live.uid)) return;
    const { parts } = live.row;
    const compared = entriesOf(live.uid, message).map((entry) => ({
      entry,
      text: textAt(parts, entry.part, entry.kind) ?? '',
    }));
    const now: Survival = {
      shown: lengthOf(message),
      onDisk: compared.reduce((sum, { entry, text }) => sum + (beginsAs(text, entry) ? entry.length : 0), 0),
      stored: compared.reduce((sum, { text }) => sum + text.length, 0),
    };
    this.survivals.set(live.uid, message.first !== null && now.onDisk === now.shown ? message.first : now);
  }

  /** Returns messages in transcript order; those not loaded come first. */
  private inOrder(
    conversationId: string,
    messages: ReadonlyMap<string, ReportedMessage>,
  ): readonly (readonly [string, ReportedMessage])[] {
    if (conversationId !== this.seenOf) return [...messages];
    const order = new Map([...this.seen.keys()].map((uid, index) => [uid, index]));
    return [...messages].sort(([a], [b]) => (order.get(a) ?? -1) - (order.get(b) ?? -1));
  }
}

/** Returns the new record of a part rendered with this text; null when nothing is new. If another text replaces a
 *  shown one, the record of the first stays. */
function grown(
  known: ReportedPart | undefined,
  kind: ReportedPart['kind'],
  text: string,
  onlyGrew: boolean,
): ReportedPart | null {
  if (known === undefined) return { kind, length: text.length, hash: hashOn(emptyHash, text) };
  if (known.kind !== kind || text.length <= known.length) return null;
  if (!onlyGrew && !beginsAs(text, { length: known.length, hash: hashWord(known.hash) })) return null;
  return { kind, length: text.length, hash: hashOn(known.hash, text, known.length) };
}

function isShownAnswer(live: LiveMessage): boolean {
  return live.role === 'assistant' && (live.row === null || live.row.visibility.kind === 'shown');
}

function textAt(parts: readonly Part[], index: number, kind: Part['kind']): string | null {
  const part = parts[index];
  return part !== undefined && part.kind === kind && (part.kind === 'text' || part.kind === 'thinking')
    ? part.text
    : null;
}

function lengthOf({ parts }: ReportedMessage): number {
  return [...parts.values()].reduce((sum, { length }) => sum + length, 0);
}

function entriesOf(messageUid: string, { turnUid, parts }: ReportedMessage): readonly DeliveryEntry[] {
  return [...parts].map(([part, reported]) => entryOf(messageUid, turnUid, part, reported));
}

function entryOf(
  messageUid: string,
  turnUid: string | null,
  part: number,
  { kind, length, hash }: ReportedPart,
): DeliveryEntry {
  return { messageUid, turnUid, part, kind, length, hash: hashWord(hash) };
}

function keptPartOf([part, { kind, length, hash }]: readonly [number, ReportedPart]): string {
  return `${part} ${kind === 'text' ? 't' : 'k'} ${length} ${hashWord(hash)}`;
}

function survivalFrom(kept: readonly number[] | undefined): Survival | null {
  const [shown, onDisk, stored] = kept ?? [];
  return shown === undefined || onDisk === undefined || stored === undefined ? null : { shown, onDisk, stored };
}

function partFrom(kept: string): readonly (readonly [number, ReportedPart])[] {
  const [, part, kind, length, hash = ''] = partPattern.exec(kept) ?? [];
  return kind === undefined
    ? []
    : [[Number(part), { kind: kind === 't' ? 'text' : 'thinking', length: Number(length), hash: hashFrom(hash) }]];
}
