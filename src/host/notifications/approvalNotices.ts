import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { DisposableStore, type Disposable, Emitter, toDisposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { Approval, ApprovalRequest } from '../../transcript/approval';
import type { TurnEvent } from '../../transcript/turnEvent';
import { describeError, isWithdrawn } from '../common/describeError';
import type { NotificationMode } from '../settings/settings';

export interface ApprovalNoticeDeps {
  readonly gateway: GatewayPart<'surfaces', 'onDidTurnEvent'> &
    GatewayPart<'approvals', 'decide' | 'pending'> &
    GatewayPart<'store', 'listSessions'>;
  readonly when: () => NotificationMode;
  /** True when the user can see this session now. */
  readonly isInSight: (sessionId: string) => boolean;
  readonly open: (sessionId: string) => Promise<void>;
  /** Resolves with the pressed button; undefined when the notification was closed. */
  readonly notify: (message: string, ...buttons: readonly string[]) => PromiseLike<string | undefined>;
  readonly log: Log;
  readonly clock: Clock;
}

const longestSubject = 200;
/** Maximum number of sessions that are searched for waiting ones when the store opens. */
const lookedThrough = 1000;
/** Milliseconds for views to come back after a window opens: an approval that a view shows needs no notification. */
const viewsReturnMs = 8_000;

/** Notifies the user outside the chat of turns that wait for approval, once per approval, and counts them. */
export class ApprovalNotices implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly announced = new Set<string>();
  /** Pending approval by session. */
  private readonly waiting = new Map<string, string>();
  private readonly changed = this.lifetime.register(new Emitter<void>());
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: ApprovalNoticeDeps) {
    this.lifetime.register(
      deps.gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => this.happened(sessionId, event)),
    );
  }

  /** Number of sessions known to wait for the user. */
  get count(): number {
    return this.waiting.size;
  }

  /** Called when the store has opened: it may hold waiting turns that no window runs. Never rejects. */
  async readWaiting(): Promise<void> {
    const { gateway, log } = this.deps;
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

  dispose(): void {
    this.lifetime.dispose();
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
    this.lifetime.register(toDisposable(this.deps.clock.after(viewsReturnMs, act)));
  }

  private notifyUnlessVisible(sessionId: string, approval: Approval): void {
    if (this.announced.has(approval.id)) return;
    this.announced.add(approval.id);
    const when = this.deps.when();
    if (when === 'never' || (when === 'whenHidden' && this.deps.isInSight(sessionId))) return;
    this.announce(sessionId, approval).catch((error: unknown) => this.unannounced(error));
  }

  private unannounced(error: unknown): void {
    if (!this.lifetime.isDisposed && !isWithdrawn(error))
      this.deps.log.warn(`What was answered to a notification could not be done: ${describeError(error).sentence}`);
  }

  private async announce(sessionId: string, { id, request }: Approval): Promise<void> {
    const { notify, gateway, open } = this.deps;
    const [allow, deny, show] = [t('Allow Once'), t('Deny'), t('Open')];
    const isPlan = request.access.kind === 'plan';
    const message = isPlan
      ? t('Hermes has a plan ready for you to review.')
      : t('Hermes needs your approval: {subject}', { subject: shortSubject(request.subject) });
    // The user must read a plan before approving it, and anything else that does not fit in here.
    const pressed = await notify(
      message,
      ...(isPlan ? [show] : isShownWhole(request) ? [allow, deny, show] : [deny, show]),
    );
    if (pressed === show) return open(sessionId);
    try {
      if (pressed === allow) await gateway.approvals.decide(id, { kind: 'allow', scope: 'once' });
      if (pressed === deny) await gateway.approvals.decide(id, { kind: 'deny', reason: null });
    } catch (error) {
      await notify(describeError(error).sentence);
    }
  }
}

/** True when the notification shows everything that would be allowed: no diff, no folder outside, nothing cut off. */
function isShownWhole({ access, subject, preview }: ApprovalRequest): boolean {
  if (preview !== null || access.kind === 'input' || (access.kind === 'run' && !access.folder.isInside)) return false;
  return oneLine(subject).length <= longestSubject;
}

/** Collapses the text to one line and breaks Markdown links: the editor renders them in notifications, and a model
 *  may have written the request. */
function shortSubject(subject: string): string {
  const line = oneLine(subject);
  return line.length > longestSubject ? `${line.slice(0, longestSubject)}…` : line;
}

function oneLine(subject: string): string {
  return subject.replace(/\s+/g, ' ').replaceAll('](', '] (');
}
