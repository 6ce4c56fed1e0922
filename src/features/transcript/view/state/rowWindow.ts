import type { TranscriptRows } from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';

/** Maximum number of rows kept loaded: far rows on the other side are evicted when more are loaded. */
export const mostLoaded = 600;

type Side = 'start' | 'end';

/** Prepends `page` to the loaded rows; keeps each row once, in its newer reading. Evicts rows far after it. Pure. */
export function withEarlier(loaded: TranscriptRows, page: TranscriptRows): TranscriptRows {
  return evict(joined(page, loaded, page), 'start');
}

/** Appends `page` to the loaded rows. Evicts rows far before it. Pure. */
export function withLater(loaded: TranscriptRows, page: TranscriptRows): TranscriptRows {
  return evict(joined(loaded, page, page), 'end');
}

/** Takes the same rows read again: unchanged ones keep their identity, so they do not re-render. */
export function readAgain(loaded: TranscriptRows, page: TranscriptRows): TranscriptRows {
  const known = new Map(loaded.messages.map((message) => [message.uid, message]));
  return { ...page, messages: page.messages.map((message) => sameOr(known.get(message.uid), message)) };
}

/** `newest`: the later reading, which has the current number of rows. */
function joined(first: TranscriptRows, second: TranscriptRows, newest: TranscriptRows): TranscriptRows {
  const repeated = new Set((newest === first ? first : second).messages.map(({ uid }) => uid));
  const rowsOf = (rows: TranscriptRows): readonly { readonly message: Message; readonly number: number }[] =>
    rows.messages
      .map((message, index) => ({ message, number: rows.numbers[index] ?? 0 }))
      .filter(({ message }) => rows === newest || !repeated.has(message.uid));
  const rows = [...rowsOf(first), ...rowsOf(second)];
  const older = newest === first ? second : first;
  return {
    ...newest,
    messages: rows.map(({ message }) => message),
    numbers: rows.map(({ number }) => number),
    turns: byKey([...older.turns, ...newest.turns], ({ turn }) => turn.uid),
    approvals: byKey([...older.approvals, ...newest.approvals], ({ id }) => id),
    absorbed: byKey([...older.absorbed, ...newest.absorbed], ({ uid }) => uid),
    absorbers: byKey([...older.absorbers, ...newest.absorbers], ({ uid }) => uid),
    revised: [...new Set([...older.revised, ...newest.revised])],
    earlier: newest === first ? newest.earlier : newest.matching - newest.later - rows.length,
    later: newest === first ? newest.matching - newest.earlier - rows.length : newest.later,
  };
}

/** Limits the number of rows to the maximum: keeps those on one side. Pure. */
export function evict(rows: TranscriptRows, keep: Side): TranscriptRows {
  const dropped = rows.messages.length - mostLoaded;
  if (dropped <= 0) return rows;
  const [from, to] = keep === 'start' ? [0, mostLoaded] : [dropped, rows.messages.length];
  const messages = rows.messages.slice(from, to);
  const uids = new Set(messages.map(({ uid }) => uid));
  const turns = new Set(messages.map(({ turnUid }) => turnUid));
  return {
    ...rows,
    messages,
    numbers: rows.numbers.slice(from, to),
    turns: rows.turns.filter(({ turn }) => turns.has(turn.uid)),
    approvals: rows.approvals.filter(({ messageUid }) => uids.has(messageUid)),
    absorbed: rows.absorbed.filter(({ into }) => uids.has(into)),
    revised: rows.revised.filter((uid) => uids.has(uid)),
    earlier: keep === 'start' ? rows.earlier : rows.earlier + dropped,
    later: keep === 'start' ? rows.later + dropped : rows.later,
  };
}

function byKey<T>(all: readonly T[], key: (one: T) => string): readonly T[] {
  return [...new Map(all.map((one) => [key(one), one])).values()];
}

function sameOr(known: Message | undefined, read: Message): Message {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(read) ? known : read;
}
