import * as v from 'valibot';
import type { ToolCallPart } from '../transcript/part';

/** What a chat view shows of sync. Becomes part of `chatCommands` and `ChatNotifications`. */

export const syncCommands = {
  /** Asks the machine that runs the shown turn to stop it. */
  stopElsewhere: v.object({}),
  /** Continues the session here whose machine cannot be reached. */
  takeOver: v.object({}),
  showSync: v.object({}),
} as const;

export interface SyncNotifications {
  /** Null: this history is not synchronized. */
  readonly sync: ChatSync | null;
}

export interface ChatSync {
  /** "Saved here · On the server up to 14:02 · To send: 3". */
  readonly line: string;
  /** even: the server has everything. waiting: something is to be sent. failed: the server cannot be used now. overdue:
   *  something has waited for more than a day. */
  readonly state: 'even' | 'waiting' | 'failed' | 'overdue';
  /** Conversations that wait by themselves, and why: one that a newer Hermes continued can only be read. */
  readonly refused: readonly { readonly conversationId: string; readonly sentence: string }[];
  /** Turn that another machine runs in the session that the user sees. */
  readonly turn: TurnElsewhere | null;
}

/** A turn of another machine, as it showed it a moment ago. Nothing of it is stored here. */
export interface TurnElsewhere {
  readonly conversationId: string;
  /** Name of that machine. */
  readonly machine: string;
  readonly prompt: string;
  /** Markdown of its answer so far. */
  readonly text: string;
  /** Call that runs now. */
  readonly call: ToolCallPart | null;
  /** False when that machine cannot be reached any longer. */
  readonly isAlive: boolean;
  readonly isStopAsked: boolean;
}
