import type { Approval, ApprovalRequest, WaitingEdit } from '../transcript/approval';
import { isPlainEdit } from '../transcript/approvalChecks';
import type { ToolCallPart } from '../transcript/part';

/** Limits of what one request shows beside its own change. Edits beyond them have requests of their own. */
const mostEdits = 20;
const mostCharacters = 200_000;

/** Later call of an answer, as the policy judges it now. Null: it could not be judged. */
export interface LaterCall {
  readonly part: ToolCallPart;
  request(): Promise<ApprovalRequest | 'needsNone' | null>;
}

/** Returns the plain edits that wait after this one. Ends at a call that does something else, whose effect the diffs
 *  could not show. Leaves out edits of a file that another one changes first, for the same reason. */
export async function editsAfter(asked: ApprovalRequest, later: readonly LaterCall[]): Promise<readonly WaitingEdit[]> {
  if (!isPlainEdit(asked)) return [];
  const found: WaitingEdit[] = [];
  const changed = new Set(pathsOf(asked));
  let characters = asked.preview?.length ?? 0;
  for (const { part, request } of later) {
    const judged = await request();
    if (judged === null || judged === 'needsNone') continue;
    const { tool, access, subject, preview } = judged;
    if (access.kind !== 'edit') break;
    const isFirst = !pathsOf(judged).some((path) => changed.has(path));
    for (const path of pathsOf(judged)) changed.add(path);
    if (!isFirst || !isPlainEdit(judged) || preview === null) continue;
    characters += preview.length;
    if (found.length >= mostEdits || characters > mostCharacters) break;
    found.push({ callId: part.callId, tool, access, subject, preview });
  }
  return found;
}

function pathsOf({ access }: ApprovalRequest): readonly string[] {
  return access.kind === 'edit' ? access.paths.map(({ path }) => path) : [];
}

/** Returns the decision about a call as if it had been asked for on its own, if the user allowed it together with the
 *  edit of this approval. Null otherwise. */
export function decidedTogether(approval: Approval, callId: string): Approval | null {
  const { state, request } = approval;
  if (state.kind !== 'decided' || state.decision.kind !== 'allow') return null;
  if (state.decision.scope !== 'once' || state.decision.together !== true) return null;
  const edit = request.together?.find((each) => each.callId === callId);
  if (edit === undefined) return null;
  const { tool, access, subject, preview } = edit;
  return {
    ...approval,
    callId,
    request: { tool, access, subject, reasons: ['change'], rules: [], preview },
    state: { ...state, decision: { kind: 'allow', scope: 'once' } },
  };
}
