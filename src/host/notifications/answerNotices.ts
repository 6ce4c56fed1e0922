import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { Session } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import { describeError, isWithdrawn } from '../common/describeError';
import type { NotificationMode } from '../settings/settings';

export interface AnswerNoticeDeps {
  readonly gateway: GatewayPart<'surfaces', 'onDidTurnEvent'>;
  readonly sessions: { getSession(id: string): Promise<Pick<Session, 'title' | 'parentKind'> | null> };
  readonly when: () => NotificationMode;
  /** True when the user can see this session now. */
  readonly isInSight: (sessionId: string) => boolean;
  /** True when the window has the focus. */
  readonly isWindowFocused: () => boolean;
  readonly open: (sessionId: string) => Promise<void>;
  /** Turns off all notifications. */
  readonly turnOff: () => Promise<void>;
  /** Resolves with the pressed button; undefined when the notification was closed. */
  readonly notify: (
    kind: 'info' | 'warning',
    message: string,
    ...buttons: readonly string[]
  ) => PromiseLike<string | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

type Settled = Turn & { readonly state: 'settled' };

/** Seconds. A shorter answer ends before the user turns to something else. */
const longAnswerSeconds = 10;
const longestTitle = 80;

/** Notifies the user outside the chat that an answer finished or failed while they did not see it. Once per turn;
 *  not for sub-agents, nor for turns that the user stopped. */
export class AnswerNotices implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly announced = new Set<string>();

  constructor(private readonly deps: AnswerNoticeDeps) {
    this.lifetime.register(
      deps.gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => {
        if (
          event.kind !== 'turnSettled' ||
          this.announced.has(event.turn.uid) ||
          !this.isWorthIt(sessionId, event.turn)
        )
          return;
        this.announced.add(event.turn.uid);
        this.announce(sessionId, event.turn).catch((error: unknown) => this.unannounced(error));
      }),
    );
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private isWorthIt(sessionId: string, turn: Settled): boolean {
    const { when, isInSight, isWindowFocused } = this.deps;
    if (!endedByItself(turn)) return false;
    if (when() !== 'whenHidden') return when() === 'always';
    if (!isWindowFocused()) return true;
    if (isInSight(sessionId)) return false;
    return turn.outcome !== 'complete' || turn.settledAt - turn.startedAt >= longAnswerSeconds;
  }

  private unannounced(error: unknown): void {
    if (!this.lifetime.isDisposed && !isWithdrawn(error))
      this.deps.log.warn(`The end of an answer could not be announced: ${describeError(error).sentence}`);
  }

  private async announce(sessionId: string, turn: Settled): Promise<void> {
    const { sessions, notify, open, turnOff } = this.deps;
    const session = await sessions.getSession(sessionId);
    if (session === null || session.parentKind === 'delegate') return;
    const title = plain(session.title ?? t('Untitled Session'));
    const [show, never] = [t('Open'), t('Don’t Show Again')];
    const pressed =
      turn.outcome === 'complete'
        ? await notify('info', t('Hermes answered in “{title}”.', { title }), show, never)
        : await notify(
            'warning',
            t('Hermes couldn’t finish its answer in “{title}”. {reason}', {
              title,
              reason: plain(turn.failure?.sentence ?? t('Everything shown is saved.')),
            }),
            show,
            never,
          );
    if (pressed === show) await open(sessionId);
    if (pressed === never) await turnOff();
  }
}

/** False when the user stopped the answer or closed the window: then they already know. */
function endedByItself({ outcome, stopReason }: Settled): boolean {
  return outcome === 'complete' || outcome === 'failed' || stopReason === 'connectionLost';
}

/** Collapses the text to one line and breaks Markdown links: the editor renders them in notifications, and a model
 *  may have written the title. */
function plain(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('](', '] (');
  return line.length > longestTitle * 4 ? `${line.slice(0, longestTitle * 4)}…` : line;
}
