interface Identified {
  readonly callId: string;
}

/** True when two ids name one call. A provider may give a call two ids; stores then contain either of them, or both
 *  as `call|item` (hermes-agent#58168: such a pair was treated as unknown and destroyed). */
export function sameCall(left: string, right: string): boolean {
  if (left === right) return true;
  const names = namesOf(left);
  return namesOf(right).some((name) => names.includes(name));
}

function namesOf(callId: string): readonly string[] {
  return callId.split('|').filter((name) => name !== '');
}

/** Gives each call of a response a unique id: different from every other call of the response and from every id in
 *  `taken`. Some servers send one id twice in a response, count from zero in every response, or send none. From here
 *  on approvals, results, and surfaces use this id. */
export function withOwnIds<C extends Identified>(calls: readonly C[], taken: readonly string[]): readonly C[] {
  const free = new FreeIds(taken);
  return calls.map((call) => {
    const callId = free.take(call.callId);
    return callId === call.callId ? call : { ...call, callId };
  });
}

/** Assigns call ids, each once. The same calls in the same order always get the same ids. */
export class FreeIds {
  private readonly used: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.used = new Set(taken.flatMap(namesOf));
  }

  /** Returns the id itself if it is free, else adds the first free suffix `_d2`, `_d3`, … to each of its names. */
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

/** Calls of one stored row with their results. Two calls of a row may share an id, because older versions stored
 *  them that way. Then each call with a result is a separate call; one without a result is a repetition of the first
 *  and is left out. */
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

/** Matches results to calls. Each result answers the first call with its id that has no answer yet. `left`: results
 *  that answer none. */
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
