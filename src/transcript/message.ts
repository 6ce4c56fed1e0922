import type { AssistantPart, Part, ToolResultPart, UserPart } from './part';
import type { Usage } from './usage';

export type Role = 'user' | 'assistant' | 'tool';

/** shown: a surface shows it and the model gets it. closing: sent, never shown (the fixed row that ends a turn
 *  without an answer). handoff: sent; a surface shows a line in its place (the summary that begins a segment made by
 *  compression). hidden: neither sent nor shown, kept for the transcript viewer with the reason. */
export type Visibility =
  | { readonly kind: 'shown' }
  | { readonly kind: 'closing' }
  | { readonly kind: 'handoff' }
  | { readonly kind: 'hidden'; readonly reason: HiddenReason; readonly absorbedInto: string | null };
export const hiddenReasons = ['retried', 'rewound', 'edited', 'merged', 'dropped', 'compressed'] as const;
export type HiddenReason = (typeof hiddenReasons)[number];

interface MessageBase {
  /** Assigned at creation, never changed; storing is an upsert by it. */
  readonly uid: string;
  readonly sessionId: string;
  readonly turnUid: string | null;
  /** Orders the messages of a session; unique, with gaps. */
  readonly position: number;
  /** Seconds since the epoch. Never used for ordering. */
  readonly createdAt: number;
  readonly visibility: Visibility;
  /** Row of a parent segment that this one repeats after a compression. */
  readonly carriedFrom: string | null;
}

export interface UserMessage extends MessageBase {
  readonly role: 'user';
  readonly parts: readonly UserPart[];
}

export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant';
  readonly parts: readonly AssistantPart[];
  /** streaming: more chunks may follow. final: its request ended, with any outcome. */
  readonly state: 'streaming' | 'final';
  /** Number of the last chunk contained in `parts`; 0 before the first. */
  readonly lastSeq: number;
  readonly model: string | null;
  /** The provider's own value for why the request ended, as received. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

export interface ToolMessage extends MessageBase {
  readonly role: 'tool';
  readonly parts: readonly [ToolResultPart];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Message before the store has assigned its position. */
export type NewMessage =
  Omit<UserMessage, 'position'> | Omit<AssistantMessage, 'position'> | Omit<ToolMessage, 'position'>;

/** One committed piece of delivered text: text of part number `part` of message `messageUid`, from UTF-16 offset
 *  `start` of that part. `seq` counts 1, 2, 3 … per message without gaps. */
export interface Chunk {
  readonly messageUid: string;
  readonly seq: number;
  readonly part: number;
  readonly kind: 'text' | 'thinking';
  readonly start: number;
  readonly text: string;
}

/** Concatenated answer text of a message, as the user reads it: without thinking and calls. */
export function answerText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}
