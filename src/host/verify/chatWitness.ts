import { Emitter, type Disposable } from '../../base/disposable';
import type { WitnessAsk, WitnessResults } from '../../protocol/witnessProtocol';
import type { WitnessEntry } from '../../transcript/witness';

export interface WitnessedConversation {
  readonly conversationId: string;
  readonly entries: readonly WitnessEntry[];
}

/** Delivery reports: a chat view reports the text it showed, and answers requests for it. */
export interface ChatWitness {
  /** Rejects while the store cannot be read: the view reports again later. */
  witnessed(surfaceId: string, conversations: readonly WitnessedConversation[]): Promise<WitnessResults['witnessed']>;
  plugSeen(): void;
  /** Text of a message as the view showed it, if the view still has it. */
  shownText(messageUid: string, text: string | null): void;
  readonly onDidAsk: (listener: (ask: WitnessAsk) => void) => Disposable;
}

/** Used for views whose delivery reports are not needed. */
export const noWitness: ChatWitness = {
  witnessed: async () => ({ forgotten: [], plug: null }),
  plugSeen: () => undefined,
  shownText: () => undefined,
  onDidAsk: new Emitter<WitnessAsk>().event,
};
