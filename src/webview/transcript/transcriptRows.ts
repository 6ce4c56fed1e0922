import type { TranscriptRows } from '../../protocol/transcriptProtocol';
import { isContinuation, type Message, type Turn } from '../../protocol/transcriptWords';
import { t } from '../localization';
import { stopReasonWord } from '../turnWords';
import { compactCount } from '../times';

/** What of the stored rows is shown. */
export interface TranscriptFilter {
  readonly role: Message['role'] | null;
  readonly showHidden: boolean;
}

export interface TranscriptRow {
  readonly message: Message;
  /** Place among all stored rows of the session, from 1. */
  readonly number: number;
  readonly state: string;
  readonly tokens: string;
  /** Why the row is not part of the conversation; null for one that is. */
  readonly aside: string | null;
  /** Which hidden rows were joined into this one; null for none. */
  readonly joined: string | null;
}

/** Rows in stored order, with what the table says about each. Pure. */
export function transcriptRows(rows: TranscriptRows, filter: TranscriptFilter): readonly TranscriptRow[] {
  const turns = new Map(rows.turns.map((turn) => [turn.uid, turn]));
  const endings = new Set(lastAnswers(rows.messages).values());
  const first = rows.total - rows.later - rows.messages.length + 1;
  const numbers = new Map(rows.messages.map((message, index) => [message.uid, first + index]));
  const joined = joinedRows(rows.messages, numbers);
  return rows.messages
    .map((message, index) => {
      const turn = message.turnUid === null ? null : (turns.get(message.turnUid) ?? null);
      return {
        message,
        number: first + index,
        state: rowState(message, turn, endings.has(message.uid)),
        tokens: tokenWords(message),
        aside: asideWords(message, numbers),
        joined: joinedWords(joined.get(message.uid) ?? []),
      };
    })
    .filter((row) => (filter.role === null || row.message.role === filter.role) && (filter.showHidden || row.aside === null));
}

/** The answer that ends each turn, by the turn's uid: on it stands why the turn ended. */
function lastAnswers(messages: readonly Message[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { role, turnUid, uid, visibility } of messages) {
    if (role === 'assistant' && turnUid !== null && visibility.kind !== 'hidden') last.set(turnUid, uid);
  }
  return last;
}

/** How many of the loaded rows are not part of the conversation. */
export function hiddenCount(rows: TranscriptRows): number {
  return rows.messages.filter((message) => message.visibility.kind !== 'shown').length;
}

/** Earlier rows in front of those that are loaded; each row once, the newer reading of it. */
export function withEarlier(loaded: TranscriptRows, earlier: TranscriptRows): TranscriptRows {
  const known = new Set(loaded.messages.map((message) => message.uid));
  const turns = new Map([...earlier.turns, ...loaded.turns].map((turn) => [turn.uid, turn]));
  return {
    messages: [...earlier.messages.filter((message) => !known.has(message.uid)), ...loaded.messages],
    turns: [...turns.values()],
    hasEarlier: earlier.hasEarlier,
    later: loaded.later,
    total: Math.max(loaded.total, earlier.total),
  };
}

/** Later rows behind those that are loaded; each row once, the newer reading of it. */
export function withLater(loaded: TranscriptRows, later: TranscriptRows): TranscriptRows {
  const read = new Set(later.messages.map((message) => message.uid));
  const turns = new Map([...loaded.turns, ...later.turns].map((turn) => [turn.uid, turn]));
  return {
    messages: [...loaded.messages.filter((message) => !read.has(message.uid)), ...later.messages],
    turns: [...turns.values()],
    hasEarlier: loaded.hasEarlier,
    later: later.later,
    total: later.total,
  };
}

/** Everything of a message that a person may look for. */
export function searchableText(message: Message): string {
  return message.parts
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'thinking':
          return part.text;
        case 'toolCall':
          return `${part.name} ${part.arguments}`;
        case 'toolResult':
          return `${part.name} ${part.text}`;
        case 'attachment':
          return `${part.label} ${part.text}`;
        case 'image':
          return part.name ?? '';
      }
    })
    .join('\n');
}

export function roleWord(role: Message['role']): string {
  switch (role) {
    case 'user':
      return t('You');
    case 'assistant':
      return t('Hermes');
    case 'tool':
      return t('Tool');
  }
}

function rowState(message: Message, turn: Turn | null, endsTurn: boolean): string {
  if (message.role === 'tool') return message.parts[0].outcome === 'done' ? '' : message.parts[0].outcome;
  if (message.role === 'user') return '';
  if (endsTurn && turn?.state === 'settled') return stopReasonWord(turn);
  if (message.state === 'streaming') return t('streaming');
  return endsTurn && turn?.state === 'waiting' ? t('waiting for approval') : '';
}

function tokenWords(message: Message): string {
  if (message.role !== 'assistant' || message.usage === null) return '';
  const { inputTokens, outputTokens } = message.usage;
  const shown = (count: number | null): string => (count === null ? '?' : compactCount(count));
  return inputTokens === null && outputTokens === null ? '' : t('{input} in, {output} out', { input: shown(inputTokens), output: shown(outputTokens) });
}

function asideWords(message: Message, numbers: ReadonlyMap<string, number>): string | null {
  const { visibility } = message;
  if (visibility.kind === 'shown') return isContinuation(message) ? t('Sent when Continue was chosen. Nobody typed this; the chat shows a line here.') : null;
  if (visibility.kind === 'handoff') return t('Summary: sent to the model in place of everything above it. The chat shows a line here.');
  if (visibility.kind === 'closing') return t('Closing row: sent to the model, not shown in the chat, because nothing was said in this turn.');
  switch (visibility.reason) {
    case 'retried':
      return t('Hidden: this answer was asked for again.');
    case 'rewound':
      return t('Hidden: the conversation was rewound to before it.');
    case 'edited':
      return t('Hidden: the prompt was edited and sent again.');
    case 'merged':
      return mergedWords(visibility.absorbedInto === null ? undefined : numbers.get(visibility.absorbedInto));
    case 'dropped':
      return t('Hidden: left out, because the model would not accept the history with it.');
    case 'compressed':
      return t('Hidden: part of what was summarised.');
  }
}

/** `into` is not known while the row merged into is not loaded. */
function mergedWords(into: number | undefined): string {
  if (into === undefined) return t('Hidden: merged into another row, so that the model accepts the history.');
  return t('Hidden: merged into row {number}, so that the model accepts the history.', { number: into });
}

/** The numbers of the rows merged into each row, by its uid. */
function joinedRows(messages: readonly Message[], numbers: ReadonlyMap<string, number>): ReadonlyMap<string, readonly number[]> {
  const joined = new Map<string, number[]>();
  for (const { uid, visibility } of messages) {
    const number = numbers.get(uid);
    if (number === undefined || visibility.kind !== 'hidden' || visibility.reason !== 'merged' || visibility.absorbedInto === null) continue;
    joined.set(visibility.absorbedInto, [...(joined.get(visibility.absorbedInto) ?? []), number]);
  }
  return joined;
}

function joinedWords(numbers: readonly number[]): string | null {
  return numbers.length === 0 ? null : t('Hidden rows merged into this one: {rows}', { rows: numbers.join(', ') });
}
