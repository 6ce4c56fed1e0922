import type { Log } from '../base/log';
import type { NewApproval } from '../store/requests';
import type { ApprovalPolicy } from '../tools/approval/approvalPolicy';
import type { Approval, ApprovalDecision } from '../transcript/approval';
import type { LiveRun } from './liveRun';
import type { RecordingDeps } from './recordedTurn';
import type { TurnRecorder } from './turnRecorder';

interface AskingDeps extends RecordingDeps {
  readonly run: LiveRun;
  readonly recorder: TurnRecorder;
}

/** Asks the user about a stored call. Resolves with the decision, which is on disk. Rejects as `Decisions.wait` does.
 *  `withdrawn`: aborted when the one who asks no longer wants to know; the approval expires. Default: never. */
export async function askPerson(
  deps: AskingDeps,
  question: Pick<NewApproval, 'messageUid' | 'callId' | 'request'>,
  withdrawn: AbortSignal | null = null,
): Promise<Approval> {
  const { run, recorder, clock, ids, log } = deps;
  const { turn, conversationId } = run;
  const approval = await recorder.requestApproval({
    id: ids.uid(),
    turnUid: turn.uid,
    sessionId: recorder.sessionId,
    ...question,
    requestedAt: clock.now(),
  });
  const decided = await decisionOn(approval, deps, withdrawn);
  run.show({
    kind: 'approvalDecided',
    turn: { ...turn, sessionId: recorder.sessionId, state: 'running' },
    approval: decided,
  });
  log.info(
    `Approval ${approval.id} in conversation ${conversationId} was ` +
      `${decided.state.kind === 'decided' ? `decided: ${decided.state.decision.kind}` : decided.state.kind}.`,
  );
  return decided;
}

async function decisionOn(
  approval: Approval,
  { run: { decisions, controller }, store, clock }: AskingDeps,
  withdrawn: AbortSignal | null,
): Promise<Approval> {
  const { signal } = controller;
  if (withdrawn === null) return decisions.wait(approval, signal);
  try {
    return await decisions.wait(approval, AbortSignal.any([signal, withdrawn]));
  } catch (error) {
    if (signal.aborted || !withdrawn.aborted) throw error;
    return (await store.decideApproval(approval.id, null, clock.now())).approval;
  }
}

/** Saves an allowed rule. If that fails, the call still runs, and the user is asked again next time. */
export async function rememberRules(
  decision: ApprovalDecision,
  { policy, log }: { readonly policy: ApprovalPolicy; readonly log: Log },
): Promise<void> {
  if (decision.kind !== 'allow' || (decision.scope !== 'workspace' && decision.scope !== 'user')) return;
  try {
    await policy.remember(decision);
  } catch (error) {
    log.error('A rule that the person allowed could not be kept.', error);
  }
}
