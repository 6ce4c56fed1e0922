import type { ApprovalRequest, AskReason } from './approval';

// No schema is here: the page loads this file at once.

/** Freedom of the agent to change things in a session. ask: every change needs approval. auto: edits inside the open
 *  folders run without approval and can be reverted. plan: nothing changes until the user approves a plan. */
export const modes = ['ask', 'auto', 'plan'] as const;

/** True for an edit that Edit Automatically would allow: inside the open folders, and of no file that is always asked
 *  for. */
export function isPlainEdit({ access, reasons }: Pick<ApprovalRequest, 'access' | 'reasons'>): boolean {
  return access.kind === 'edit' && reasons.length > 0 && reasons.every((reason) => reason === 'change');
}

/** Reasons after which denying is the default. */
const riskyReasons: readonly AskReason[] = [
  'sensitive',
  'dotConfig',
  'repositoryInternals',
  'unparsed',
  'unconfined',
  'discards',
  'leftovers',
  'hook',
  'always',
];

/** True when the request names a risk, or may hide one; the sandbox confines what a command may hide. Such a request is
 *  never allowed by a key from elsewhere. */
export function isRisky({ access, risks = [], reasons }: ApprovalRequest): boolean {
  const isInside = access.kind === 'run' && access.confined?.kind === 'inside';
  return (
    risks.length > 0 || reasons.some((reason) => riskyReasons.includes(reason) && !(isInside && reason === 'unparsed'))
  );
}
