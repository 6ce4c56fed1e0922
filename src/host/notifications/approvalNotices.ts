import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { Emitter, toDisposable, Owner } from '../../base/disposable';
import { t } from '../../base/translate';
import type { Approval, ApprovalRequest } from '../../transcript/approval';
import type { TurnEvent } from '../../transcript/turnEvent';
import { describeError, isWithdrawn } from '../common/describeError';
import { isInSight, type NoticesWindow, oneLine } from './answerNotices';

interface ApprovalNoticesWindow extends NoticesWindow {
  readonly gateway: NoticesWindow['gateway'] &
    GatewayPart<'approvals', 'decide' | 'pending'> &
    GatewayPart<'store', 'listSessions'>;
  readonly clock: Clock;
}

const longestSubject = 200;
/** Maximum number of sessions that are searched for waiting ones when the store opens. */
const lookedThrough = 1000;
/** Milliseconds for views to come back after a window opens: an approval that a view shows needs no notification. */
const viewsReturnMs = 8_000;

/** Notifies the user outside the chat of turns that wait for approval, once per approval, and counts them. */
export class ApprovalNotices extends Owner {
  private readonly announced = new Set<string>();
  /** Pending approval by session. */
  private readonly waiting = new Map<string, string>();
  private readonly changed = this.lifetime.register(new Emitter<void>());
  readonly onDidChange = this.changed.event;

  constructor(private readonly window: ApprovalNoticesWindow) {
    super();
    this.lifetime.register(
      window.gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => this.happened(sessionId, event)),
    );
  }

  /** Number of sessions known to wait for the user. */
  get count(): number {
    return this.waiting.size;
  }

  /** Called when the store has opened: it may hold waiting turns that no window runs. Never rejects. */
  async readWaiting(): Promise<void> {
    const { gateway, log } = this.window;
    try {
      this.waiting.clear();
      for (const { id, lastTurn } of await gateway.store.listSessions({ limit: lookedThrough })) {
        const approval = lastTurn?.state === 'waiting' ? await gateway.approvals.pending(id) : null;
        if (approval === null) continue;
        this.waiting.set(id, approval.id);
        this.later(() => {
          if (this.waiting.get(id) === approval.id) this.notifyUnlessVisible(id, approval);
        });
      }
      this.changed.fire();
    } catch (error) {
      log.warn(`Sessions that wait for the person could not be looked for: ${describeError(error).sentence}`);
    }
  }

  private happened(sessionId: string, event: TurnEvent): void {
    // A sub-agent's approval is requested in the session it works for.
    if (event.kind === 'approvalRequested' && event.approval.subAgent !== undefined) return;
    if (event.kind === 'approvalRequested') this.asked(sessionId, event.approval);
    else if (event.kind === 'subAgentAsks' && event.approval !== null) this.asked(sessionId, event.approval);
    else if (event.kind === 'subAgentAsks' && this.waiting.delete(sessionId)) this.changed.fire();
    else if ((event.kind === 'approvalDecided' || event.kind === 'turnSettled') && this.waiting.delete(sessionId))
      this.changed.fire();
  }

  private asked(sessionId: string, approval: Approval): void {
    this.waiting.set(sessionId, approval.id);
    this.changed.fire();
    this.notifyUnlessVisible(sessionId, approval);
  }

  private later(act: () => void): void {
    this.lifetime.register(toDisposable(this.window.clock.after(viewsReturnMs, act)));
  }

  private notifyUnlessVisible(sessionId: string, approval: Approval): void {
    if (this.announced.has(approval.id)) return;
    this.announced.add(approval.id);
    const when = this.window.settings.current.notifications;
    if (when === 'never' || (when === 'whenHidden' && isInSight(this.window, sessionId))) return;
    this.announce(sessionId, approval).catch((error: unknown) => {
      if (!this.lifetime.isDisposed && !isWithdrawn(error))
        this.window.log.warn(`What was answered to a notification could not be done: ${describeError(error).sentence}`);
    });
  }

  private async announce(sessionId: string, { id, request }: Approval): Promise<void> {
    const { gateway, opener } = this.window;
    const [allow, deny, show] = [t('Allow Once'), t('Deny'), t('Open')];
    const isPlan = request.access.kind === 'plan';
    const message = isPlan
      ? t('Hermes has a plan ready for you to review.')
      : t('Hermes needs your approval: {subject}', { subject: shortSubject(request.subject) });
    // The user must read a plan before approving it, and anything else that does not fit in here.
    const pressed = await vscode.window.showInformationMessage(
      message,
      ...(isPlan ? [show] : isShownWhole(request) ? [allow, deny, show] : [deny, show]),
    );
    if (pressed === show) return opener.open(sessionId, null, 'chat');
    try {
      if (pressed === allow) await gateway.approvals.decide(id, { kind: 'allow', scope: 'once' });
      if (pressed === deny) await gateway.approvals.decide(id, { kind: 'deny', reason: null });
    } catch (error) {
      await vscode.window.showInformationMessage(describeError(error).sentence);
    }
  }
}

/** True when the notification shows everything that would be allowed: no diff, no folder outside, nothing cut off. */
function isShownWhole({ access, subject, preview }: ApprovalRequest): boolean {
  if (preview !== null || access.kind === 'input' || (access.kind === 'run' && !access.folder.isInside)) return false;
  return oneLine(subject).length <= longestSubject;
}

function shortSubject(subject: string): string {
  const line = oneLine(subject);
  return line.length > longestSubject ? `${line.slice(0, longestSubject)}…` : line;
}
