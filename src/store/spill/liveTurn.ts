import { storeUidKey } from '../session/tables/storeUid';
import type { SessionStore, SpilledRequest } from '../sessionStore';
import type { StoreError } from '../storeError';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';
import { TurnCache } from './turnCache';
import { TurnSpill, type SpillHome } from './turnSpill';

/** A turn that this process runs, or has ended and not yet written to the store: its known rows, and its spill while
 *  there is one. */
export class LiveTurn {
  readonly memory: TurnCache;
  spill: TurnSpill | null = null;
  /** The reason why the store could not be written; null while it can. */
  cause: StoreError | null = null;
  settled = false;
  /** Read while the store still works: a spill without it could be folded into another store. */
  private readonly storeUid: Promise<string | null>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly turn: Turn & { readonly state: 'running' },
    private readonly store: SessionStore,
    private readonly home: SpillHome,
    private readonly uid: () => string,
  ) {
    this.memory = new TurnCache(turn);
    this.storeUid = store.getMeta(storeUidKey).catch(() => null);
    this.memory.addSession(turn.sessionId, store.getSession(turn.sessionId));
  }

  /** Runs the turn's writes in sequence. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch(() => undefined);
    return next;
  }

  /** True when reads of the session must use the spill. */
  isSpilled(sessionId: string): boolean {
    return this.spill?.isOpen === true && this.memory.has(sessionId);
  }

  /** Creates a spill with the rows that the turn depends on; nothing is on disk yet. Null when those rows are not
   *  known. */
  async newSpill(request: SpilledRequest): Promise<TurnSpill | null> {
    const history = await this.history(sessionOf(request) ?? this.turn.sessionId);
    const sessions = await this.memory.sessions();
    if (history === null || !sessions.some(({ id }) => id === this.turn.sessionId)) return null;
    const rows = history.filter((row) => row.turnUid === this.turn.uid && row.carriedFrom === null);
    return new TurnSpill(
      this.home,
      { spillUid: this.uid(), storeUid: await this.storeUid, sessions, turn: this.memory.runningTurn, rows },
      history,
    );
  }

  /** The active rows of the turn's segment, and the turn's own rows of earlier segments. */
  private async history(sessionId: string): Promise<readonly Message[] | null> {
    const current = this.memory.rowsOf(sessionId) ?? (await this.store.activeMessages(sessionId).catch(() => null));
    if (current === null) return null;
    const earlier = this.memory.sessionIds
      .filter((id) => id !== sessionId)
      .flatMap((id) => this.memory.rowsOf(id) ?? [])
      .filter((row) => row.turnUid === this.turn.uid);
    return [...earlier, ...current];
  }
}

function sessionOf(request: SpilledRequest): string | null {
  switch (request.method) {
    case 'appendChunks':
      return request.args[0].sessionId;
    case 'putMessages':
      return request.args[0][0]?.sessionId ?? null;
    case 'repairTranscript':
      return request.args[0];
    case 'addUsage':
      return null;
    case 'settleTurn':
      return request.args[0].messages[0]?.sessionId ?? null;
    default:
      return request satisfies never;
  }
}
