import { Emitter, type Disposable } from '../../base/disposable';
import type { ReportRequest, DeliveryResults } from '../../protocol/deliveryProtocol';
import type { DeliveryEntry } from '../../transcript/deliveryEntry';

export interface ReportedConversation {
  readonly conversationId: string;
  readonly entries: readonly DeliveryEntry[];
}

/** Delivery reports: a chat view reports the text it showed, and answers requests for it. */
export interface ViewReports {
  /** Rejects while the store cannot be read: the view reports again later. */
  reportDelivery(
    surfaceId: string,
    conversations: readonly ReportedConversation[],
  ): Promise<DeliveryResults['reportDelivery']>;
  crashDemoSeen(): void;
  /** Text of a message as the view showed it, if the view still has it. */
  shownText(messageUid: string, text: string | null): void;
  readonly onDidAsk: (listener: (ask: ReportRequest) => void) => Disposable;
}

/** Used for views whose delivery reports are not needed. */
export const noViewReports: ViewReports = {
  reportDelivery: async () => ({ forgotten: [], crashDemo: null }),
  crashDemoSeen: () => undefined,
  shownText: () => undefined,
  onDidAsk: new Emitter<ReportRequest>().event,
};
