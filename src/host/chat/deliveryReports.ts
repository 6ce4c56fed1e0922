import type { Clock } from '../../base/clock';
import { DisposableStore, Emitter, toDisposable, Owner } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { StoreStatus } from '../storage/storeStatus';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { CrashDemoRun, ReportRequest, DeliveryResults } from '../../protocol/deliveryProtocol';
import { onErased } from '../common/onErased';
import type { Slot } from '../common/slot';
import type { DeliveryEntry } from '../../transcript/deliveryEntry';

/** Milliseconds that views have to send the text they showed. */
const answerTimeoutMs = 1000;

interface ReportsWindow {
  readonly gateway: GatewayPart<'surfaces', 'onDidChangeSessions'>;
  readonly history: {
    readonly store: Pick<SessionStore, 'getSession'>;
    readonly status: Pick<StoreStatus, 'settled' | 'isReadable'>;
  };
  readonly crashDemo: Pick<Slot<{ readonly current: CrashDemoRun | null; seen(): void }>, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delivery reports of this window's chat views, by conversation. Kept in memory only: each view keeps its own
 *  reports across a reload and across the end of this process, and sends them again. */
export class DeliveryReports extends Owner {
  private readonly asks = this.lifetime.register(new Emitter<ReportRequest>());
  private readonly found = this.lifetime.register(
    new Emitter<{ readonly messageUid: string; readonly text: string }>(),
  );
  private readonly reported = this.lifetime.register(new Emitter<string>());
  /** By conversation, then by surface, message, part. */
  private readonly kept = new Map<string, Map<string, DeliveryEntry>>();
  readonly onDidAsk = this.asks.event;
  /** Emitted when a view has sent delivery reports for this conversation. */
  readonly onDidReport = this.reported.event;

  constructor(private readonly window: ReportsWindow) {
    super();
    this.lifetime.register(onErased(window, (sessionIds) => this.erased(sessionIds)));
  }

  /** Rejects while the store cannot be read: the view reports again later. */
  async reportDelivery(
    surfaceId: string,
    conversations: readonly ReportedConversation[],
  ): Promise<DeliveryResults['reportDelivery']> {
    const { history, crashDemo, log } = this.window;
    await history.status.settled();
    if (!history.status.isReadable) throw new GatewayError('invalid', t('The history can’t be read right now.'));
    const forgotten: string[] = [];
    for (const { conversationId, entries } of conversations) {
      if (await this.isStored(conversationId)) this.keep(surfaceId, conversationId, entries);
      else forgotten.push(conversationId);
    }
    if (forgotten.length > 0)
      log.info(
        `A view had a witness of ${forgotten.length} sessions that are not stored (any more): ${forgotten.join(', ')}.`,
      );
    return { forgotten, crashDemo: crashDemo.current?.current ?? null };
  }

  /** Delivery reports of a conversation. Several views may have reported the same part. */
  entriesOf(conversationId: string): readonly DeliveryEntry[] {
    return [...(this.kept.get(conversationId)?.values() ?? [])];
  }

  crashDemoSeen(): void {
    this.window.crashDemo.current?.seen();
  }

  /** Text of a message as the view showed it, if the view still has it. */
  shownText(messageUid: string, text: string | null): void {
    if (text !== null) this.found.fire({ messageUid, text });
  }

  /** Text of a message as shown, from the first view that still has it. Null: no view has. */
  async askForShown(messageUid: string): Promise<string | null> {
    const waiting = new DisposableStore();
    return new Promise<string | null>((resolve) => {
      waiting.register(
        this.found.event((found) => (found.messageUid === messageUid ? resolve(found.text) : undefined)),
      );
      waiting.register(toDisposable(this.window.clock.after(answerTimeoutMs, () => resolve(null))));
      this.asks.fire({ kind: 'shownText', messageUid });
    }).finally(() => waiting.dispose());
  }

  private keep(surfaceId: string, conversationId: string, entries: readonly DeliveryEntry[]): void {
    const kept = this.kept.get(conversationId) ?? new Map<string, DeliveryEntry>();
    for (const entry of entries) kept.set(`${surfaceId} ${entry.messageUid} ${entry.part}`, entry);
    this.kept.set(conversationId, kept);
    if (entries.length > 0) this.reported.fire(conversationId);
  }

  private async isStored(conversationId: string): Promise<boolean> {
    return (await this.window.history.store.getSession(conversationId)) !== null;
  }

  /** A view may remember a conversation that it has not reported, so this emits every one. */
  private erased(conversationIds: readonly string[]): void {
    if (!this.window.history.status.isReadable) return;
    for (const id of conversationIds) this.kept.delete(id);
    this.asks.fire({ kind: 'erased', conversationIds });
  }
}

interface ReportedConversation {
  readonly conversationId: string;
  readonly entries: readonly DeliveryEntry[];
}

/** Delivery reports: a chat view reports the text it showed, and answers requests for it. */
export type ViewReports = Pick<DeliveryReports, 'reportDelivery' | 'crashDemoSeen' | 'shownText' | 'onDidAsk'>;
