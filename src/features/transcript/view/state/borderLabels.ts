import type { StoredApproval, StoredTurn, TranscriptSegment, TurnFile } from '../../protocol/transcriptProtocol';
import type { Usage } from '../../../../transcript/usage';
import { t, shownList } from '../../../../webview/localization';
import { compactCount, duration, fullTime } from '../../../../webview/times';
import { stopReasonWord } from '../../../../webview/turnLabels';

/** Labels above the rows of a turn: its number, outcome, model, duration and cost. */
export function turnLabels({ turn, number }: StoredTurn): readonly string[] {
  return [
    t('Turn {number}', { number }),
    turn.state === 'settled'
      ? outcome(turn.outcome, stopReasonWord(turn))
      : turn.state === 'waiting'
        ? t('waiting for approval')
        : t('running'),
    turn.model,
    ...(turn.state === 'settled' ? [duration((turn.settledAt - turn.startedAt) * 1000)] : []),
    tokensText(turn.usage),
  ].filter((word) => word !== '');
}

function outcome(how: 'complete' | 'interrupted' | 'failed', reason: string): string {
  return {
    complete: t('complete: {reason}', { reason }),
    interrupted: t('interrupted: {reason}', { reason }),
    failed: t('failed: {reason}', { reason }),
  }[how];
}

/** Empty when nothing is known. */
export function tokensText(usage: Pick<Usage, 'inputTokens' | 'outputTokens'> | null): string {
  const { inputTokens: input, outputTokens: output } = usage ?? { inputTokens: null, outputTokens: null };
  if (input === null && output === null) return '';
  const shown = (count: number | null): string => (count === null ? '?' : compactCount(count));
  return t('{input} in, {output} out', { input: shown(input), output: shown(output) });
}

export function fileText({ path, kind, reviewed }: TurnFile): string {
  const done = { created: t('created'), deleted: t('deleted'), unknown: t('cut off'), edited: null }[kind];
  const decided = { kept: t('kept'), reverted: t('reverted'), partly: t('partly kept or reverted') };
  const facts = [done, reviewed === null ? null : decided[reviewed]].filter((fact) => fact !== null);
  return facts.length === 0 ? path : `${path} (${shownList(facts)})`;
}

/** "62k → 4k": tokens a summary saved; null when it does not say. */
export function savedTokens({ tokens: saved }: TranscriptSegment): string | null {
  return saved === null
    ? null
    : t('{before} → {after}', { before: compactCount(saved.before), after: compactCount(saved.after) });
}

/** Time of a request to the user, and the user's decision. */
export function approvalLabels({ requestedAt, state, subject }: StoredApproval): string {
  const asked = t('Asked at {time}: {subject}', { time: fullTime(requestedAt), subject });
  return `${asked} · ${decisionText(state)}`;
}

function decisionText(state: StoredApproval['state']): string {
  if (state.kind === 'pending') return t('not decided yet');
  if (state.kind === 'expired') return t('never decided: it was no longer needed');
  const time = fullTime(state.decidedAt);
  const { decision } = state;
  if (decision.kind === 'deny') {
    return decision.reason === null
      ? t('denied by you at {time}', { time })
      : t('denied by you at {time}: {reason}', { time, reason: decision.reason });
  }
  const args = { time, rules: shownList(decision.scope === 'once' ? [] : decision.rules) };
  return {
    once: t('allowed once by you at {time}', { time }),
    session: t('allowed for the session by you at {time} with the rule {rules}', args),
    workspace: t('always allowed in this workspace by you at {time} with the rule {rules}', args),
    user: t('always allowed everywhere by you at {time} with the rule {rules}', args),
  }[decision.scope];
}
