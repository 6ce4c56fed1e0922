import type { AssistantPart, Part, ToolResultPart, UserPart } from './part';
import type { Usage } from './usage';

export type Role = 'user' | 'assistant' | 'tool';

/** shown: a surface shows it and the model is sent it · closing: sent, never shown (the fixed row that ends a turn in which nothing was
 *  said) · handoff: sent; a surface shows a line in its place (the summary that begins a segment made by compression) · hidden: neither sent
 *  nor shown, kept for the transcript viewer with the reason. */
export type Visibility =
  | { readonly kind: 'shown' }
  | { readonly kind: 'closing' }
  | { readonly kind: 'handoff' }
  | { readonly kind: 'hidden'; readonly reason: HiddenReason; readonly absorbedInto: string | null };
export const hiddenReasons = ['retried', 'rewound', 'edited', 'merged', 'dropped', 'compressed'] as const;
export type HiddenReason = (typeof hiddenReasons)[number];

interface MessageBase {
  /** Given at birth, never changed; storing is an upsert by it. */
  readonly uid: string;
  readonly sessionId: string;
  readonly turnUid: string | null;
  /** Orders the messages of a session; unique, with gaps. */
  readonly position: number;
  /** Seconds since the epoch. Never orders anything. */
  readonly createdAt: number;
  readonly visibility: Visibility;
  /** The row of a parent segment that this one repeats after a compression. */
  readonly carriedFrom: string | null;
}

export interface UserMessage extends MessageBase {
  readonly role: 'user';
  readonly parts: readonly UserPart[];
}

export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant';
  readonly parts: readonly AssistantPart[];
  /** streaming: further chunks may come · final: its request ended, however it ended. */
  readonly state: 'streaming' | 'final';
  /** Number of the last chunk contained in `parts`; 0 before the first. */
  readonly lastSeq: number;
  readonly model: string | null;
  /** The provider's own word for why the request ended, as received. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

export interface ToolMessage extends MessageBase {
  readonly role: 'tool';
  readonly parts: readonly [ToolResultPart];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A message before the store has given it a place. */
export type NewMessage =
  Omit<UserMessage, 'position'> | Omit<AssistantMessage, 'position'> | Omit<ToolMessage, 'position'>;

/** One committed piece of delivered text: text of part number `part` of message `messageUid`, beginning at UTF-16 offset `start` of that part.
 *  `seq` counts 1, 2, 3 … per message without gaps. */
export interface Chunk {
  readonly messageUid: string;
  readonly seq: number;
  readonly part: number;
  readonly kind: 'text' | 'thinking';
  readonly start: number;
  readonly text: string;
}

/** Concatenated answer text of a message: what a person reads, without thinking and calls. */
export function answerText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}
