import type { Log } from '../base/log';
import type { ChatModel, Terminal } from '../models/chatModel';
import type { SessionStore } from '../store/session/sessionStore';
import type { Message } from '../transcript/message';
import { isSound, repairSequence } from '../transcript/sequenceRepair';
import type { TurnEvent } from '../transcript/turnEvent';
import type { AgentDeps } from './agent';
import type { LiveRun } from './liveRun';
import type { TurnRecorder } from './turnRecorder';

/** Compressions that one turn may make because its context is nearly full (hermes-agent). */
const mostPerTurn = 3;

/** Provides the stored rows for the requests of one turn. Reads and repairs them again for each request. If they
 *  fill the context, shortens them first; the turn then continues in another session. */
export class TurnHistory {
  private madeShorter = 0;
  private wasRefused = false;

  constructor(
    private readonly run: LiveRun,
    private readonly recorder: TurnRecorder,
    private readonly model: ChatModel,
    private readonly deps: AgentDeps,
  ) {}

  /** Returns the rows for the turn's first request. Their length was checked before the turn was opened. */
  first(): Promise<readonly Message[]> {
    return this.repaired();
  }

  /** Returns the rows for a request after tool results. */
  async next(): Promise<readonly Message[]> {
    const rows = await this.repaired();
    if (this.madeShorter >= mostPerTurn || !(await this.shorten('nearlyFull', rows))) return rows;
    this.madeShorter++;
    return this.repaired();
  }

  /** Returns rows for one more attempt after the model refused the request as too long, at most once per turn. Null
   *  when no attempt is possible. */
  async afterRefusal(refusal: Terminal): Promise<readonly Message[] | null> {
    if (refusal.outcome !== 'failed' || refusal.failure.cause !== 'context') return null;
    // Delivered text of an answer is in this session: the turn cannot move to another session in the middle of it.
    if (this.wasRefused || this.recorder.isAnswering) return null;
    this.wasRefused = true;
    return (await this.shorten('refused', await this.repaired())) ? this.repaired() : null;
  }

  /** Rejects with the reason of a stop. */
  private async shorten(cause: 'nearlyFull' | 'refused', rows: readonly Message[]): Promise<boolean> {
    const { run, model } = this;
    const { signal } = run.controller;
    const { clock, hooks } = this.deps;
    const begins = (): void => {
      run.report({ kind: 'compressing', startedAt: clock.now() });
      // Nobody waits for these hooks: they can only be told.
      const event = { name: 'PreCompact', about: 'auto', sessionId: this.recorder.sessionId } as const;
      void run.mode.get().then((mode) => hooks?.run({ ...event, mode }, signal));
    };
    const sessionId = await run.history.shorten({ cause, model, rows, begins, signal });
    if (sessionId !== null) this.recorder.moveTo(sessionId);
    signal.throwIfAborted();
    run.report({ kind: 'requesting', elapsedMs: 0 });
    return sessionId !== null;
  }

  private async repaired(): Promise<readonly Message[]> {
    const { turn, show } = this.run;
    const { deps } = this;
    const rows = await repairedHistory({ turnUid: turn.uid, sessionId: this.recorder.sessionId, show }, deps);
    return deps.hooks === undefined ? rows : withoutBlocked(rows, turn.uid, deps.store);
  }
}

/** Leaves out prompts that a hook blocked, with the closing row after them: they stay in the transcript, and no model
 *  gets them. */
async function withoutBlocked(
  rows: readonly Message[],
  current: string | null,
  store: SessionStore,
): Promise<readonly Message[]> {
  const isEnd = ({ role, visibility }: Message): boolean => role === 'user' || visibility.kind === 'closing';
  const answeredUntil = new Map<string | null, number>();
  for (const [at, row] of rows.entries()) if (!isEnd(row)) answeredUntil.set(row.turnUid, at);
  const unanswered = rows.filter(({ role, turnUid }, at) => role === 'user' && at > (answeredUntil.get(turnUid) ?? -1));
  const blocked = new Set<string | null>();
  for (const turnUid of new Set(unanswered.map((row) => row.turnUid))) {
    const turn = turnUid === null || turnUid === current ? null : await store.getTurn(turnUid);
    if (turn?.state === 'settled' && turn.failure?.cause === 'hook') blocked.add(turnUid);
  }
  return rows.filter(({ turnUid }, at) => !blocked.has(turnUid) || at <= (answeredUntil.get(turnUid) ?? -1));
}

interface RepairedTurn {
  readonly turnUid: string;
  /** The session that holds its rows now. */
  readonly sessionId: string;
  readonly show: (event: TurnEvent) => void;
}

/** Returns the stored rows for the next request of a turn. If no provider would accept them, repairs them first, on
 *  disk, and notifies surfaces of every changed row. Throws `StoreError`: a repair that cannot be stored is not sent
 *  either. */
async function repairedHistory(
  { turnUid, sessionId, show }: RepairedTurn,
  { store, log }: { readonly store: SessionStore; readonly log: Log },
): Promise<readonly Message[]> {
  const stored = await store.activeMessages(sessionId);
  if (isSound(repairSequence(stored, { openTurnUid: turnUid, at: 0 }))) return stored;
  const repair = await store.repairTranscript(sessionId);
  log.info(`The stored history of session ${sessionId} was repaired before it was sent: ${repair.reasons.join(', ')}.`);
  for (const message of repair.messages) show({ kind: 'messageStored', message });
  return store.activeMessages(sessionId);
}
