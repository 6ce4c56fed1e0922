import { traitsOf, type StoreRequest } from '../session/sessionStore';

/** A request that runs in slices, and the open turn of its session if the end of that turn has to wait for it. */
export interface UnderWay {
  readonly request: StoreRequest;
  readonly openTurn: string | null;
}

/** Requests in the order in which they will run. First come, first served, except that chunk writes (the user is
 *  waiting to read that text) pass all requests they are unrelated to. A chunk never passes a request about its own
 *  turn, session or message. So a chunk and a later settlement of the same turn are applied in that order. */
export class RequestQueue<T extends StoreRequest> {
  private waiting: readonly T[] = [];

  get size(): number {
    return this.waiting.length;
  }

  push(request: T): void {
    this.waiting = [...this.waiting, request];
  }

  /** The next request to run; undefined when none is waiting, or each has to wait for one in progress. */
  take(underWay: readonly UnderWay[] = []): T | undefined {
    // Text added to the last row of a session does not affect requests that read its rows or copy earlier ones.
    const changing = underWay.filter(({ request }) => traitsOf(request.method).rowsOf === undefined);
    const next =
      this.first(changing, ({ method }) => method === 'appendChunks') ??
      (underWay.length === 0 ? this.waiting[0] : this.first(underWay, () => true));
    if (next !== undefined) this.waiting = this.waiting.filter((request) => request !== next);
    return next;
  }

  /** Removes the waiting requests that match, and returns them. */
  remove(matches: (request: T) => boolean): readonly T[] {
    const removed = this.waiting.filter(matches);
    this.waiting = this.waiting.filter((request) => !matches(request));
    return removed;
  }

  /** The first wanted request that can run, in order of arrival. Skips requests that have to wait, and later ones with
   *  the same subjects. */
  private first(underWay: readonly UnderWay[], isWanted: (request: T) => boolean): T | undefined {
    const passed = new Set(underWay.flatMap(heldBy));
    for (const request of this.waiting) {
      const subjects = subjectsOf(request);
      if (subjects === 'everything') return undefined;
      if (isWanted(request) && !subjects.some((subject) => passed.has(subject))) return request;
      for (const subject of subjects) passed.add(subject);
    }
    return undefined;
  }
}

function heldBy({ request, openTurn }: UnderWay): readonly string[] {
  const subjects = subjectsOf(request);
  return [...(subjects === 'everything' ? [] : subjects), ...(openTurn === null ? [] : [`turn:${openTurn}`])];
}

/** Requests with a common subject must run in order. */
function subjectsOf({ method, args }: StoreRequest): readonly string[] | 'everything' {
  return traitsOf(method).about?.(...args) ?? [];
}
