import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Ids } from '../../base/ids';
import { type Gateway, GatewayError } from '../../gateway/gateway';
import { demoInfo } from '../../models/demo/demoModel';
import type { StoreState } from '../../protocol/chatProtocol';
import type { SessionStore } from '../../store/sessionStore';
import type { DeliveryReports } from './deliveryReports';
import type { PlugRecord } from './plugRecord';

/** Characters that a person must have been shown before the plug is pulled: enough to see that they stay. */
const shownBefore = 400;
/** How long Demo may take to show as much. */
const patienceMs = 60_000;
/** Seconds behind the plug in which a panel that comes back takes the keys again: the restart took them, and nobody else has asked for them. */
const comesBackWithin = 60;
/** What Demo has a long answer to. */
const prompt = 'Give me a long answer about this folder';

type Translate = (message: string, args?: Record<string, string>) => string;

export interface PlugNeeds {
  readonly gateway: Pick<Gateway, 'runningTurns' | 'switchSession' | 'submit' | 'onDidTurnEvent' | 'stop'>;
  readonly sessions: Pick<SessionStore, 'createSession'>;
  readonly storeState: () => StoreState['kind'];
  readonly witness: Pick<DeliveryReports, 'entriesOf' | 'onDidWitness'>;
  readonly record: PlugRecord;
  /** The panel's. */
  readonly surfaceId: string;
  readonly showChat: () => Promise<void>;
  /** Gives the panel's composer the keys. */
  readonly focusChat: () => void;
  readonly folder: () => string | null;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly t: Translate;
  /** Whether the person, told what happens, wants it. */
  readonly confirm: (question: string, detail: string, yes: string) => Promise<boolean>;
  /** Ends this process at once, as a crash would. */
  readonly kill: () => void;
}

/** Pull the Plug…: ends the extension host in the middle of an answer of the Demo model, in a private session of its own, so that a person can see that
 *  the words stay. Asks first, and never while an answer of theirs is being written. */
export class PullThePlug implements Disposable {
  private readonly lifetime = new DisposableStore();

  constructor(private readonly needs: PlugNeeds) {
    // Whoever goes on in that session has seen how it came back.
    this.lifetime.register(
      needs.gateway.onDidTurnEvent(({ event }) => {
        const { current } = needs.record;
        if (current !== null && event.kind === 'turnOpened' && event.turn.uid !== current.turnUid) needs.record.seen();
      }),
    );
    const returning = this.lifetime.register(
      needs.witness.onDidWitness((conversationId) => {
        const { current } = needs.record;
        if (current?.conversationId !== conversationId) return;
        returning.dispose();
        if (needs.clock.now() - current.at <= comesBackWithin) needs.focusChat();
      }),
    );
  }

  /** Rejects with a sentence where it cannot be done now. */
  async run(): Promise<void> {
    const { t, confirm } = this.needs;
    this.refuse();
    const detail = t(
      'Hermes starts a scripted answer, then crashes the extension host on purpose. All extensions in this window restart; your files and unsaved edits are safe. Afterwards, check that every word you saw is still there.',
    );
    if (!(await confirm(t('Pull the plug?'), detail, t('Pull the Plug')))) return;
    this.refuse();
    const { conversationId, turnUid } = await this.begin();
    const acknowledged = await this.untilShown(conversationId, turnUid);
    this.needs.record.write({ conversationId, turnUid, at: this.needs.clock.now(), acknowledged });
    this.needs.kill();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private refuse(): void {
    const { gateway, storeState, t } = this.needs;
    if (gateway.runningTurns().some(({ isWaiting }) => !isWaiting))
      throw new GatewayError('busy', t('Hermes is answering in this window. Wait or stop it, then try again.'));
    if (storeState() === 'readOnly' || storeState() === 'elsewhere' || storeState() === 'failed') {
      throw new GatewayError(
        'invalid',
        t('Sessions can’t be saved in this window right now, so this demo won’t work. See the chat for details.'),
      );
    }
  }

  private async begin(): Promise<{ readonly conversationId: string; readonly turnUid: string }> {
    const { gateway, sessions, surfaceId, showChat, folder, ids, clock, t } = this.needs;
    await showChat();
    const startedAt = clock.now();
    const session = await sessions.createSession({
      id: ids.sessionId(startedAt),
      startedAt,
      model: demoInfo.ref,
      folder: folder(),
      private: true,
    });
    await gateway.switchSession(surfaceId, { reason: 'resume', sessionId: session.id });
    const receipt = await gateway.submit(surfaceId, { sessionId: session.id, uid: ids.uid(), text: prompt });
    if (receipt.kind !== 'started')
      throw new GatewayError('busy', t('The scripted answer couldn’t start. Nothing was crashed. Try again.'));
    return { conversationId: session.conversationId, turnUid: receipt.turnUid };
  }

  /** Resolves with how many characters the panel says it showed of the turn, once that is enough. */
  private untilShown(conversationId: string, turnUid: string): Promise<number> {
    const { witness, gateway, clock, t } = this.needs;
    const waiting = new DisposableStore();
    return new Promise<number>((resolve, reject) => {
      const fail = (): void =>
        reject(
          new GatewayError(
            'invalid',
            t(
              'The scripted answer wasn’t shown long enough. Nothing was crashed. Keep the chat visible and try again.',
            ),
          ),
        );
      waiting.register({ dispose: clock.after(patienceMs, fail) });
      waiting.register(
        gateway.onDidTurnEvent(({ event }) =>
          event.kind === 'turnSettled' && event.turn.uid === turnUid ? fail() : undefined,
        ),
      );
      waiting.register(
        witness.onDidWitness((told) => {
          const shown = told === conversationId ? this.shownOf(conversationId, turnUid) : 0;
          if (shown >= shownBefore) resolve(shown);
        }),
      );
    }).finally(() => waiting.dispose());
  }

  /** By the view that showed most of it. */
  private shownOf(conversationId: string, turnUid: string): number {
    const parts = new Map<string, number>();
    for (const { messageUid, part, length, turnUid: of } of this.needs.witness.entriesOf(conversationId)) {
      const key = `${messageUid} ${part}`;
      if (of === turnUid) parts.set(key, Math.max(parts.get(key) ?? 0, length));
    }
    return [...parts.values()].reduce((sum, length) => sum + length, 0);
  }
}
