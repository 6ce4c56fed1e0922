import { t } from '../base/translate';
import { isUnknownOutcome, StoreError } from '../store/storeError';
import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';
import { isPlainEdit } from '../transcript/approvalChecks';
import { isContinuation } from '../transcript/continuation';
import type { Turn } from '../transcript/turn';
import { decidingSession, withSubAgents } from './delegations';
import { GatewayError } from './gateway';
import { earlierPrompt } from './earlierPrompt';
import type { GatewayParts } from './conversationGateway';

/** Milliseconds before each check for a stored decision, after storing it seemed to fail. The last value repeats. */
const checkAgainMs = [1000, 2000, 5000, 10_000, 30_000];

/** Handles the user's decisions about running turns, and how freely agents may act. A decision is on disk before
 *  anything runs because of it. */
export class Approvals {
  constructor(private readonly parts: GatewayParts) {}

  /** Stores the decision, and only then runs the call (or refuses it). Also resumes a turn that waits only in the
   *  store, after a reload, a crash or a handover to another window. The first decision counts: a second one, from
   *  another surface, changes nothing. Rejects with `notFound` when the approval does not exist, and with `invalid`
   *  when a rule is empty. */
  async decide(approvalId: string, decision: ApprovalDecision): Promise<void> {
    const { store, sessions, slots } = this.parts;
    refuseBlankRules(decision);
    const asked = await store.approval(approvalId);
    if (asked === null) throw new GatewayError('notFound', t('This request no longer exists. Nothing was allowed.'));
    const made = withMode(decision, asked);
    const { conversationId } = await sessions.get(asked.sessionId);
    const holder = decidingSession(this.parts.runner, asked.sessionId);
    await slots.inSequence(conversationId, () => this.decideInSequence(conversationId, asked, made));
    if (modeIn(made) === 'auto') await this.allowWaitingEdits(holder, asked.id);
  }

  private async decideInSequence(conversationId: string, asked: Approval, decision: ApprovalDecision): Promise<void> {
    const { store, clock, slots, runner } = this.parts;
    const { id } = asked;
    slots.refuseWhenClosing();
    try {
      const holder = decidingSession(runner, asked.sessionId);
      const { approval, turn } = await store.decideApproval(id, decision, clock.now(), holder);
      await this.resumeWith(conversationId, approval, turn, decision);
    } catch (error) {
      if (error instanceof StoreError && isUnknownOutcome(error)) this.checkLater(conversationId, id, 0);
      throw error;
    }
  }

  /** Checks later if the decision is on disk although the store reported a failure. Without this check the turn
   *  would wait forever, because no question is shown any longer. */
  private checkLater(conversationId: string, id: string, attempt: number): void {
    const { store, clock, slots, log } = this.parts;
    clock.after(checkAgainMs[attempt] ?? 30_000, () => {
      const check = slots.inSequence(conversationId, async () => {
        if (slots.isClosing) return;
        const approval = await store.approval(id);
        const turn = approval === null ? null : await store.getTurn(approval.turnUid);
        if (approval?.state.kind === 'decided' && turn !== null)
          await this.resumeWith(conversationId, approval, turn, approval.state.decision);
      });
      check.catch((error: unknown) => {
        if (error instanceof StoreError && !slots.isClosing) this.checkLater(conversationId, id, attempt + 1);
        else log.error('A turn could not go on with what was decided', error);
      });
    });
  }

  private async resumeWith(
    conversationId: string,
    approval: Approval,
    turn: Turn,
    decision: ApprovalDecision,
  ): Promise<void> {
    const { sessions, runner, turns, store } = this.parts;
    if (approval.state.kind !== 'decided') return;
    const chosen = modeIn(approval.state.decision);
    // An earlier Allow may have been stored although storing it seemed to fail. A later Deny wins if nothing has begun
    // yet.
    const isTakenBack = decision.kind === 'deny' && approval.state.decision.kind === 'allow';
    if (chosen !== null) {
      const holder = decidingSession(runner, approval.sessionId);
      if (isTakenBack) await store.setSessionMode(holder, approval.request.access.kind === 'plan' ? 'plan' : 'ask');
      this.notifyMode(holder, (await store.sessionMode(holder)) ?? chosen);
    }
    const run = runner.runningIn(conversationId);
    if (run !== null)
      return run.decisions.hand(isTakenBack ? { ...approval, state: { ...approval.state, decision } } : approval);
    if (turn.state !== 'running') return;
    // A sub-agent continues with the run it works for, or not at all.
    if (isTakenBack || (await sessions.isSubAgent(await sessions.get(turn.sessionId))))
      return turns.settleWaiting(turn, 'user');
    await this.resume(turn, approval);
  }

  /** Runs a turn that waited only in the store. */
  private async resume(turn: Turn & { readonly state: 'running' }, approval: Approval): Promise<void> {
    const { store, sessions, surfaces, runner, switching } = this.parts;
    const session = await sessions.get(turn.sessionId);
    const row = await store.getMessage(turn.userMessageUid);
    const prompt = row !== null && isContinuation(row) ? ((await earlierPrompt(store, session.id, 1)) ?? row) : row;
    if (prompt === null)
      throw new GatewayError('notFound', t('The prompt for this answer no longer exists, so it can’t continue.'));
    const surfaceId = surfaces.surfaceOf(session.id);
    const agent = switching.agentForTurn(surfaceId, session, 'resume', null);
    surfaces.notifyTurn(session.id, { kind: 'approvalDecided', turn, approval });
    runner.start({ surfaceId, session, turn, prompt, surfaceAgent: agent, goesOn: true });
  }

  /** The approval that the session waits for. Null when there is none. */
  async pending(sessionId: string): Promise<Approval | null> {
    return (await this.parts.store.pendingApproval(sessionId)) ?? this.parts.delegations.pendingIn(sessionId);
  }

  /** How freely the session's agent may act: the session's own choice, or else the setting. Null means the empty state
   *  of the surface. */
  async mode(surfaceId: string, sessionId: string | null): Promise<Mode> {
    const chosen =
      sessionId === null
        ? this.parts.surfaces.beginningAt(surfaceId).mode
        : await this.parts.store.sessionMode(decidingSession(this.parts.runner, sessionId));
    return chosen ?? this.parts.defaultMode?.() ?? 'ask';
  }

  /** Takes effect with the next call, also within a running turn. */
  async setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    const { store, sessions, surfaces } = this.parts;
    if (sessionId === null) return surfaces.chooseForBeginning(surfaceId, { mode });
    const holder = decidingSession(this.parts.runner, sessionId);
    await sessions.get(holder);
    await store.setSessionMode(holder, mode);
    this.notifyMode(holder, mode);
  }

  private notifyMode(holder: string, mode: Mode): void {
    const { runner, surfaces } = this.parts;
    for (const sessionId of withSubAgents(runner, holder)) surfaces.notifyAll({ kind: 'modeChanged', sessionId, mode });
  }

  /** Allows the other plain edits that wait in this session and its sub-agents: the mode it now has would not have
   *  asked for them. Edits of other kinds keep waiting. */
  private async allowWaitingEdits(holder: string, decidedId: string): Promise<void> {
    const { runner, log } = this.parts;
    const waiting = runner
      .all()
      .filter(({ session, subAgent }) => session.id === holder || subAgent?.caller.session.id === holder)
      .map(({ decisions }) => decisions.pending)
      .filter((approval) => approval !== null && approval.id !== decidedId && isPlainEdit(approval.request));
    for (const approval of waiting) {
      if (approval === null) continue;
      await this.decide(approval.id, { kind: 'allow', scope: 'once' }).catch((error: unknown) =>
        log.error('An edit that waited could not be allowed with the others.', error),
      );
    }
  }
}

function refuseBlankRules(decision: ApprovalDecision): void {
  if (decision.kind === 'deny' || decision.scope === 'once') return;
  if (decision.rules.length === 0 || decision.rules.some((rule) => rule.trim() === ''))
    throw new GatewayError('invalid', t('A rule can’t be empty. Enter what to allow, or choose Allow Once.'));
}

/** Completes the decision about a plan: without a mode of its own it starts in Ask Before Edits. Other decisions
 *  change the mode only for a plain edit. */
function withMode(decision: ApprovalDecision, { request }: Approval): ApprovalDecision {
  if (decision.kind === 'deny') return decision;
  const mode = modeIn(decision);
  if (request.access.kind === 'plan' && decision.scope === 'once') {
    if (mode === 'plan') throw new GatewayError('invalid', t('A plan can’t start in Plan mode.'));
    return { ...decision, mode: mode ?? 'ask' };
  }
  if (mode !== null && !(mode === 'auto' && isPlainEdit(request)))
    throw new GatewayError('invalid', t('This request can’t change the mode. Nothing was decided.'));
  return decision;
}

/** The mode that the decision chooses. Null for none. */
function modeIn(decision: ApprovalDecision): Mode | null {
  return decision.kind === 'allow' && decision.scope === 'once' ? (decision.mode ?? null) : null;
}
