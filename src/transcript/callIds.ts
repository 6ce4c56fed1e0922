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

/** The calls of an answer as it arrives, each with an id of its own: unlike every other call of the answer and every id in `taken`. Servers
 *  send one id twice in an answer, count from zero in every answer, or send none. From here on approvals, results and surfaces go by the id. */
export function withOwnIds<C extends Identified>(calls: readonly C[], taken: readonly string[]): readonly C[] {
  const free = new FreeIds(taken);
  return calls.map((call) => {
    const callId = free.take(call.callId);
    return callId === call.callId ? call : { ...call, callId };
  });
}

/** Hands out call ids, each once. The same calls in the same order always get the same ids. */
export class FreeIds {
  private readonly used: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.used = new Set(taken.flatMap(namesOf));
  }

  /** The id itself where it is free, else with the first free suffix `_d2`, `_d3`, … behind each of its names. */
  take(callId: string): string {
    const found = namesOf(callId);
    const names = found.length === 0 ? ['call'] : found;
    for (let count = 1; ; count++) {
      const tried = count === 1 ? names : names.map((name) => `${name}_d${count}`);
      if (tried.some((name) => this.used.has(name))) continue;
      for (const name of tried) this.used.add(name);
      return count === 1 && found.length > 0 ? callId : tried.join('|');
    }
  }
}

/** The calls of one stored row with their results. Where two calls of a row share an id, as older versions stored them, each that has a result
 *  is a call of its own; one without is taken for a repetition of the first and left out. */
export function answeredCalls<C extends Identified, R extends Identified>(
  calls: readonly C[],
  results: readonly R[],
): { readonly calls: readonly C[]; readonly answers: ReadonlyMap<C, R> } {
  const { answers } = matchResults(calls, results);
  return {
    calls: calls.filter(
      (call, index) => answers.has(call) || !calls.slice(0, index).some((other) => sameCall(other.callId, call.callId)),
    ),
    answers,
  };
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
