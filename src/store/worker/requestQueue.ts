import type { NewMessage } from '../../transcript/message';
import type { MethodName, StoreRequest } from '../sessionMethods';

/** A request that runs in slices, and the open turn of its session if the end of that turn has to wait for it. */
export interface UnderWay {
  readonly request: StoreRequest;
  readonly openTurn: string | null;
}

const readsRows: ReadonlySet<MethodName> = new Set<MethodName>([
  'activeMessages',
  'apiContents',
  'promptContext',
  'branchSession',
]);

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
    const next = this.firstFreeChunk(underWay) ?? this.firstFree(underWay);
    if (next !== undefined) this.waiting = this.waiting.filter((request) => request !== next);
    return next;
  }

  /** Removes the waiting requests that match, and returns them. */
  remove(matches: (request: T) => boolean): readonly T[] {
    const removed = this.waiting.filter(matches);
    this.waiting = this.waiting.filter((request) => !matches(request));
    return removed;
  }

  private firstFreeChunk(underWay: readonly UnderWay[]): T | undefined {
    // Text added to the last row of a session does not affect requests that read its rows or copy earlier ones.
    const passed = new Set(underWay.filter(({ request }) => !readsRows.has(request.method)).flatMap(heldBy));
    for (const request of this.waiting) {
      const subjects = subjectsOf(request);
      if (subjects === 'everything') return undefined;
      if (request.method === 'appendChunks' && !subjects.some((subject) => passed.has(subject))) return request;
      for (const subject of subjects) passed.add(subject);
    }
    return undefined;
  }

  /** The first request that can run, in order of arrival. Skips requests that have to wait, and later ones with the
   *  same subjects. */
  private firstFree(underWay: readonly UnderWay[]): T | undefined {
    if (underWay.length === 0) return this.waiting[0];
    const passed = new Set(underWay.flatMap(heldBy));
    for (const request of this.waiting) {
      const subjects = subjectsOf(request);
      if (subjects === 'everything') return undefined;
      if (!subjects.some((subject) => passed.has(subject))) return request;
      for (const subject of subjects) passed.add(subject);
    }
    return undefined;
  }
}

const turn = (uid: string): string => `turn:${uid}`;

function heldBy({ request, openTurn }: UnderWay): readonly string[] {
  const subjects = subjectsOf(request);
  return [...(subjects === 'everything' ? [] : subjects), ...(openTurn === null ? [] : [turn(openTurn)])];
}

const session = (id: string): string => `session:${id}`;

const message = (uid: string): string => `message:${uid}`;

/** Turns, sessions and messages that a request reads or writes; requests with a common subject must run in order. */
function subjectsOf(request: StoreRequest): readonly string[] | 'everything' {
  switch (request.method) {
    case 'appendChunks': {
      const [batch] = request.args;
      return [turn(batch.turnUid), session(batch.sessionId), ...batch.chunks.map((chunk) => message(chunk.messageUid))];
    }
    case 'compressSession':
      return [session(request.args[0].parentId), session(request.args[0].childId)];
    case 'branchSession':
      return [session(request.args[0].sessionId), session(request.args[0].childId)];
    case 'rewindSession':
    case 'showVersion':
      return [session(request.args[0].sessionId)];
    case 'createSession':
      return [session(request.args[0].id)];
    case 'openTurn': {
      const [input] = request.args;
      return [
        turn(input.turnUid),
        session(input.sessionId),
        ...ofMessage(input.userMessage),
        ...(input.replaces === undefined ? [] : [turn(input.replaces.turnUid)]),
      ];
    }
    case 'putMessages':
      return request.args[0].flatMap(ofMessage);
    case 'settleTurn':
      return [turn(request.args[0].turnUid), ...request.args[0].messages.flatMap(ofMessage)];
    case 'steerTurn':
      return [turn(request.args[0].turnUid), session(request.args[0].sessionId), message(request.args[0].queuedUid)];
    case 'addUsage':
    case 'getTurn':
      return [turn(request.args[0])];
    case 'getMessage':
      return [message(request.args[0])];
    case 'activeMessages':
    case 'apiContents':
    case 'openTurnOf':
    case 'endSession':
    case 'trashSession':
    case 'forgetSession':
    case 'discardImport':
    case 'repairTranscript':
    case 'promptVersions':
      return [session(request.args[0])];
    case 'promptContext': {
      const [sessionId, promptUid] = request.args;
      return [...(sessionId === null ? [] : [session(sessionId)]), ...(promptUid === null ? [] : [message(promptUid)])];
    }
    case 'readTranscript':
    case 'transcriptOutline':
    case 'findInTranscript':
      return [session(request.args[0].sessionId)];
    case 'importWhole':
      return [session(request.args[0].batch.sessionId)];
    case 'beginImport':
    case 'addImported':
    case 'finishImport':
    case 'extendImport':
      return [session(request.args[0].sessionId)];
    case 'copyToThisFolder':
      return request.args[0].sessionIds.map(session);
    case 'previewRepair':
    case 'repairSession':
    case 'undoRepair':
    case 'recoverTurns':
      return 'everything';
    default:
      return [];
  }
}

function ofMessage(stored: NewMessage): readonly string[] {
  return [message(stored.uid), session(stored.sessionId), ...(stored.turnUid === null ? [] : [turn(stored.turnUid)])];
}
