import { Emitter, type Disposable } from '../../base/disposable';
import type { WitnessAsk, WitnessResults } from '../../protocol/witnessProtocol';
import type { WitnessEntry } from '../../transcript/witness';

export interface WitnessedConversation {
  readonly conversationId: string;
  readonly entries: readonly WitnessEntry[];
}

/** What a chat view tells of the text it showed, and is asked about it. */
export interface ChatWitness {
  /** Rejects while the store cannot be read: the view tells it again later. */
  witnessed(surfaceId: string, conversations: readonly WitnessedConversation[]): Promise<WitnessResults['witnessed']>;
  plugSeen(): void;
  /** What a view still has of what it showed of a message. */
  shownText(messageUid: string, text: string | null): void;
  readonly onDidAsk: (listener: (ask: WitnessAsk) => void) => Disposable;
}

/** For views whose witness nobody hears. */
export const noWitness: ChatWitness = {
  witnessed: async () => ({ forgotten: [], plug: null }),
  plugSeen: () => undefined,
  shownText: () => undefined,
  onDidAsk: new Emitter<WitnessAsk>().event,
};
