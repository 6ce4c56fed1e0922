import { toDisposable, type Disposable } from '../../../src/base/disposable';
import type {
  Gateway,
  PromptSubmission,
  SessionContextUse,
  SessionSnapshot,
  SubmitReceipt,
  Surface,
  SwitchOutcome,
  SwitchTarget,
} from '../../../src/gateway/gateway';
import type { TranscriptPage, TranscriptQuery } from '../../../src/store/sessionStore';
import type { ApprovalDecision, Mode } from '../../../src/transcript/approval';
import type { Spending } from '../../../src/transcript/cost';
import type { DraftPart, DraftSurroundings } from '../../../src/transcript/draftPart';
import type { Message } from '../../../src/transcript/message';
import type { ReasoningEffort } from '../../../src/transcript/reasoningEffort';
import type { Session, SessionSummary } from '../../../src/transcript/session';
import { prompt, session as stored } from '../../support/builders/viewMessages';
import type { TurnActivity, TurnEvent } from '../../../src/transcript/turnEvent';

export function session(id: string, changes: Partial<Session> = {}): Session {
  const own = {
    id,
    conversationId: id,
    title: `Title of ${id}`,
    titleSource: 'derived',
    model: null,
    folder: null,
  } as const;
  return stored({ ...own, startedAt: 1, lastActiveAt: 2, ...changes });
}

/** A session as lists show it; `from` names the one it was branched from. */
export function summary(
  id: string,
  { from, ...changes }: Partial<SessionSummary> & { readonly from?: string } = {},
): SessionSummary {
  return {
    ...session(id),
    preview: null,
    turnCount: 1,
    messageCount: 2,
    lastTurn: { state: 'complete' },
    queuedCount: 0,
    unread: false,
    problem: null,
    branchOf: from === undefined ? null : { conversationId: from, sessionId: from, title: `Title of ${from}` },
    ...changes,
  };
}

export function userMessage(uid: string, text: string): Message {
  return { ...prompt({ uid, position: 1, turnUid: 't1' }, text), sessionId: 's1', createdAt: 1 };
}

export function delivered(seq: number, text: string, start: number): TurnEvent {
  return { kind: 'delivered', turnUid: 't1', chunks: [{ messageUid: 'a1', seq, part: 0, kind: 'text', start, text }] };
}

/** Rejects every call of a gateway that is not scripted. */
class UnscriptedGateway {
  constructor() {
    return new Proxy(this, {
      get: (scripted, name) =>
        typeof name === 'symbol' || name === 'then' || name in scripted
          ? (Reflect.get(scripted, name) as unknown)
          : () => Promise.reject(new Error(`${name} is not scripted.`)),
    });
  }
}

/** A gateway that does what the test says: its sessions are given, a snapshot can be held back, and events are
 *  sent by hand. */
export class ScriptedGateway extends (UnscriptedGateway as unknown as new () => Gateway) {
  readonly sessions = new Map<string, Session>();
  readonly calls: string[] = [];
  readonly rows: Message[] = [];
  /** What lists say of a session beside what it is. */
  readonly listed = new Map<string, Partial<SessionSummary>>();
  running: {
    readonly sessionId: string;
    readonly turnUid: string;
    readonly activity: TurnActivity | null;
    readonly isWaiting: boolean;
  }[] = [];
  /** Awaited by every snapshot after it was read, so that events can happen in between. */
  beforeSnapshotArrives: Promise<void> = Promise.resolve();
  private readonly modes = new Map<string, Mode>();
  private readonly efforts = new Map<string, ReasoningEffort>();
  private surfaces: readonly Surface[] = [];
  private readonly shown = new Map<string, string | null>();
  private runningListeners: readonly (() => void)[] = [];

  constructor(...sessions: readonly Session[]) {
    super();
    for (const each of sessions) this.sessions.set(each.id, each);
  }

  override attach(surface: Surface): Disposable {
    this.surfaces = [...this.surfaces, surface];
    this.shown.delete(surface.id);
    return toDisposable(() => (this.surfaces = this.surfaces.filter((other) => other !== surface)));
  }

  get attached(): number {
    return this.surfaces.length;
  }

  override startsPrivate(): boolean {
    return false;
  }

  override shownSession(surfaceId: string): string | null {
    return this.shown.get(surfaceId) ?? null;
  }

  override async switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    const sessionId = target.reason === 'resume' ? target.sessionId : null;
    this.calls.push(`switch ${surfaceId} ${sessionId ?? 'new'}`);
    this.shown.set(surfaceId, sessionId);
    for (const surface of this.surfaces)
      if (surface.id === surfaceId) surface.onSessionSwitched(sessionId, target.reason);
    return { sessionId, draft: null, notice: null, ...(target.reason === 'rewind' ? { rewoundTurn: 't1' } : {}) };
  }

  override async snapshot(sessionId: string): Promise<SessionSnapshot> {
    const found = this.sessions.get(sessionId);
    if (found === undefined) throw new Error(`no session ${sessionId}`);
    const snapshot = {
      session: found,
      page: this.page(sessionId),
      queue: [],
      draft: `draft of ${sessionId}`,
      draftParts: [],
      openTurn: null,
      activity: null,
      approval: null,
      mode: 'ask' as const,
    };
    await this.beforeSnapshotArrives;
    return snapshot;
  }

  override async readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    this.calls.push(
      `read ${query.sessionId} ` +
        `${query.after === undefined ? `before ${query.before ?? 'end'}` : `after ${query.after}`} ` +
        `hidden ${query.includeHidden ?? false}`,
    );
    return this.page(query.sessionId);
  }

  override async listSessions(): Promise<readonly SessionSummary[]> {
    return [...this.sessions.values()].map((each) =>
      summary(each.id, { ...each, lastTurn: null, ...this.listed.get(each.id) }),
    );
  }

  override async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    this.calls.push(
      `submit ${surfaceId} ${prompt.sessionId ?? 'new'} ` +
        `${prompt.text}${prompt.busy === undefined ? '' : ` (${prompt.busy})`}`,
    );
    return { kind: 'started', sessionId: prompt.sessionId ?? 's1', turnUid: 't1' };
  }

  override contextUse(): Promise<SessionContextUse> {
    return Promise.resolve({ tokens: 0, counted: false, window: null, parts: null });
  }

  override spending(): Promise<Spending> {
    return Promise.resolve({ session: { usd: 0, unpriced: 0 }, today: { usd: 0, unpriced: 0 } });
  }

  override async retry(_surfaceId: string, turnUid: string, before?: () => Promise<void>): Promise<SubmitReceipt> {
    await before?.();
    this.calls.push(`retry ${turnUid}`);
    return { kind: 'started', sessionId: 's1', turnUid };
  }

  override async editAndResend(
    _surfaceId: string,
    turnUid: string,
    text: string,
    _uid: string,
    before?: () => Promise<void>,
  ): Promise<SubmitReceipt> {
    await before?.();
    this.calls.push(`edit ${turnUid} ${text}`);
    return { kind: 'started', sessionId: 's1', turnUid };
  }

  override async setSeen(sessionId: string): Promise<void> {
    this.calls.push(`seen ${sessionId}`);
  }

  override async stop(sessionId: string): Promise<void> {
    this.calls.push(`stop ${sessionId}`);
  }

  override async decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void> {
    this.calls.push(`decide ${approvalId} ${decision.kind}`);
  }

  override async pendingApproval(): Promise<null> {
    return null;
  }

  override async mode(surfaceId: string, sessionId: string | null): Promise<Mode> {
    return this.modes.get(sessionId ?? surfaceId) ?? 'ask';
  }

  override async setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    this.calls.push(`mode ${sessionId ?? 'new'} ${mode}`);
    this.modes.set(sessionId ?? surfaceId, mode);
    if (sessionId !== null)
      for (const surface of this.surfaces) surface.onSessionEvent({ kind: 'modeChanged', sessionId, mode });
  }

  override async effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    return this.efforts.get(sessionId ?? surfaceId) ?? 'default';
  }

  override async setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    this.calls.push(`effort ${sessionId ?? 'new'} ${effort}`);
    this.efforts.set(sessionId ?? surfaceId, effort);
    if (sessionId !== null)
      for (const surface of this.surfaces) surface.onSessionEvent({ kind: 'effortChanged', sessionId, effort });
  }

  override async saveDraft(
    key: string,
    text: string,
    _parts?: readonly DraftPart[],
    _around?: DraftSurroundings,
  ): Promise<void> {
    this.calls.push(`draft ${key} ${text}`);
  }

  override async draftParts(): Promise<readonly DraftPart[]> {
    return [];
  }

  override async draft(): Promise<string> {
    return 'draft of the empty state';
  }

  override async renameSession(sessionId: string, title: string): Promise<void> {
    this.sessions.set(sessionId, session(sessionId, { title }));
    this.changed(sessionId);
  }

  override async selectModel(sessionId: string | null, ref: string): Promise<void> {
    this.calls.push(`model ${sessionId ?? 'default'} ${ref}`);
    if (sessionId !== null) this.sessions.set(sessionId, session(sessionId, { model: ref }));
  }

  override runningTurns() {
    return this.running;
  }

  override readonly onDidChangeRunning = (listener: () => void): Disposable => {
    this.runningListeners = [...this.runningListeners, listener];
    return toDisposable(() => (this.runningListeners = this.runningListeners.filter((other) => other !== listener)));
  };

  override readonly onDidChangeSessions = (): Disposable => toDisposable(() => undefined);
  override readonly onDidTurnEvent = (): Disposable => toDisposable(() => undefined);
  override readonly onDidSwitchSession = (): Disposable => toDisposable(() => undefined);

  happen(sessionId: string, event: TurnEvent): void {
    for (const surface of this.surfaces)
      if (this.shown.get(surface.id) === sessionId) surface.onTurnEvent(sessionId, event);
  }

  changed(...sessionIds: readonly string[]): void {
    for (const surface of this.surfaces) surface.onSessionEvent({ kind: 'sessionsChanged', sessionIds });
  }

  run(sessionId: string): void {
    this.running = [{ sessionId, turnUid: 't1', activity: null, isWaiting: false }];
    for (const listener of this.runningListeners) listener();
  }

  private page(sessionId: string): TranscriptPage {
    const messages = this.rows.filter((row) => row.sessionId === sessionId);
    return { messages, turns: [], versions: [], hasEarlier: false, later: 0, total: messages.length };
  }
}
