interface Identified {
  readonly callId: string;
}

/** Whether two ids name one call. A provider may give a call two ids; stores then hold either of them or both as `call|item`
 *  (hermes-agent#58168: such a pair, taken for a stranger, was destroyed). */
export function sameCall(left: string, right: string): boolean {
  if (left === right) return true;
  const names = namesOf(left);
  return namesOf(right).some((name) => names.includes(name));
}

function namesOf(callId: string): readonly string[] {
  return callId.split('|').filter((name) => name !== '');
}

/** The calls without those that repeat the id of an earlier one. */
export function distinctCalls<C extends Identified>(calls: readonly C[]): readonly C[] {
  const distinct: C[] = [];
  for (const call of calls) {
    if (!distinct.some((other) => sameCall(other.callId, call.callId))) distinct.push(call);
  }
  return distinct;
}

/** Which result answers which call. Every result answers the first call of its id that has no answer yet; `left` answer none. */
export function matchResults<C extends Identified, R extends Identified>(
  calls: readonly C[],
  results: readonly R[],
): { readonly answers: ReadonlyMap<C, R>; readonly left: readonly R[] } {
  const answers = new Map<C, R>();
  const left: R[] = [];
  for (const result of results) {
    const call = calls.find((candidate) => !answers.has(candidate) && sameCall(candidate.callId, result.callId));
    if (call === undefined) left.push(result);
    else answers.set(call, result);
  }
  return { answers, left };
}
