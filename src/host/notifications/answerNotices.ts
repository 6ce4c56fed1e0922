import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { Owner } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { Session } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import { describeError, isWithdrawn } from '../common/describeError';
import type { HermesSettings } from '../settings/settings';

/** The services of a window that notifications use. */
export interface NoticesWindow {
  readonly gateway: GatewayPart<'surfaces', 'onDidTurnEvent'>;
  readonly settings: {
    readonly current: Pick<HermesSettings, 'notifications'>;
    saveNotifications(mode: 'never'): Promise<void>;
  };
  readonly activeChat: { readonly all: readonly { readonly shownSession: string | null; isVisible(): boolean }[] };
  readonly opener: { open(sessionId: string, messageUid: null, place: 'chat'): Promise<void> };
  readonly log: Log;
}

interface AnswerNoticesWindow extends NoticesWindow {
  readonly history: {
    readonly store: { getSession(id: string): Promise<Pick<Session, 'title' | 'parentKind'> | null> };
  };
}

/** True when the user can see this session now. */
export function isInSight({ activeChat }: NoticesWindow, sessionId: string): boolean {
  return activeChat.all.some((each) => each.isVisible() && each.shownSession === sessionId);
}

type Settled = Turn & { readonly state: 'settled' };

/** Seconds. A shorter answer ends before the user turns to something else. */
const longAnswerSeconds = 10;
const longestTitle = 80;

/** Notifies the user outside the chat that an answer finished or failed while they did not see it. Once per turn;
 *  not for sub-agents, nor for turns that the user stopped. */
export class AnswerNotices extends Owner {
  private readonly announced = new Set<string>();

  constructor(private readonly window: AnswerNoticesWindow) {
    super();
    this.lifetime.register(
      window.gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => {
        if (
          event.kind !== 'turnSettled' ||
          this.announced.has(event.turn.uid) ||
          !this.isWorthIt(sessionId, event.turn)
        )
          return;
        this.announced.add(event.turn.uid);
        this.announce(sessionId, event.turn).catch((error: unknown) => {
          if (!this.lifetime.isDisposed && !isWithdrawn(error))
            window.log.warn(`The end of an answer could not be announced: ${describeError(error).sentence}`);
        });
      }),
    );
  }

  private isWorthIt(sessionId: string, turn: Settled): boolean {
    const { notifications } = this.window.settings.current;
    if (!endedByItself(turn)) return false;
    if (notifications !== 'whenHidden') return notifications === 'always';
    if (!vscode.window.state.focused) return true;
    if (isInSight(this.window, sessionId)) return false;
    return turn.outcome !== 'complete' || turn.settledAt - turn.startedAt >= longAnswerSeconds;
  }

  private async announce(sessionId: string, turn: Settled): Promise<void> {
    const { history, settings, opener } = this.window;
    const session = await history.store.getSession(sessionId);
    if (session === null || session.parentKind === 'delegate') return;
    const title = plain(session.title ?? t('Untitled Session'));
    const [show, never] = [t('Open'), t('Don’t Show Again')];
    const reason = plain(turn.failure?.sentence ?? t('Everything shown is saved.'));
    const pressed = await (turn.outcome === 'complete'
      ? vscode.window.showInformationMessage(t('Hermes answered in “{title}”.', { title }), show, never)
      : vscode.window.showWarningMessage(
          t('Hermes couldn’t finish its answer in “{title}”. {reason}', { title, reason }),
          show,
          never,
        ));
    if (pressed === show) await opener.open(sessionId, null, 'chat');
    if (pressed === never) await settings.saveNotifications('never');
  }
}

/** False when the user stopped the answer or closed the window: then they already know. */
function endedByItself({ outcome, stopReason }: Settled): boolean {
  return outcome === 'complete' || outcome === 'failed' || stopReason === 'connectionLost';
}

function plain(text: string): string {
  const line = oneLine(text);
  return line.length > longestTitle * 4 ? `${line.slice(0, longestTitle * 4)}…` : line;
}

/** Collapses the text to one line and breaks Markdown links: the editor renders them in notifications, and a model
 *  may have written it. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('](', '] (');
}
