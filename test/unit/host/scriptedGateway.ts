import { toDisposable, type Disposable } from '../../../src/base/disposable';
import type {
  ForgetReport,
  Gateway,
  PromptSubmission,
  SessionContextUse,
  SessionSnapshot,
  SubmitReceipt,
  Surface,
  SwitchOutcome,
  SwitchTarget,
} from '../../../src/gateway/gateway';
import type { BringOver, BroughtOver } from '../../../src/store/bringingOver';
import type { TranscriptPage, TranscriptQuery } from '../../../src/store/sessionStore';
import type { ApprovalDecision, Mode } from '../../../src/transcript/approval';
import type { Spending } from '../../../src/transcript/cost';
import type { DraftPart, DraftSurroundings } from '../../../src/transcript/draftPart';
import type { Message } from '../../../src/transcript/message';
import type { ReasoningEffort } from '../../../src/transcript/reasoningEffort';
import type { Session, SessionSummary } from '../../../src/transcript/session';
import type { TurnActivity, TurnEvent } from '../../../src/transcript/turnEvent';

export function session(id: string, changes: Partial<Session> = {}): Session {
  return {
    id,
    title: `Title of ${id}`,
    titleSource: 'derived',
    parentSessionId: null,
    parentKind: null,
    conversationId: id,
    model: null,
    folder: null,
    startedAt: 1,
    lastActiveAt: 2,
    endedAt: null,
    endReason: null,
    pinned: false,
    archived: false,
    trashedAt: null,
    private: false,
    ...changes,
  };
}

export function userMessage(uid: string, text: string, sessionId = 's1'): Message {
  return {
    uid,
    sessionId,
    turnUid: 't1',
    position: 1,
    createdAt: 1,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'user',
    parts: [{ kind: 'text', text }],
  };
}

export function delivered(seq: number, text: string, start: number): TurnEvent {
  return { kind: 'delivered', turnUid: 't1', chunks: [{ messageUid: 'a1', seq, part: 0, kind: 'text', start, text }] };
}

/** A gateway that does what the test says: its sessions are given, a snapshot can be held back, and events are sent by hand. */
export class ScriptedGateway implements Gateway {
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
    for (const each of sessions) this.sessions.set(each.id, each);
  }

  attach(surface: Surface): Disposable {
    this.surfaces = [...this.surfaces, surface];
    this.shown.delete(surface.id);
    return toDisposable(() => (this.surfaces = this.surfaces.filter((other) => other !== surface)));
  }

  get attached(): number {
    return this.surfaces.length;
  }

  shownSession(surfaceId: string): string | null {
    return this.shown.get(surfaceId) ?? null;
  }

  async switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    const sessionId = target.reason === 'resume' ? target.sessionId : null;
    this.calls.push(`switch ${surfaceId} ${sessionId ?? 'new'}`);
    this.shown.set(surfaceId, sessionId);
    for (const surface of this.surfaces)
      if (surface.id === surfaceId) surface.onSessionSwitched(sessionId, target.reason);
    return { sessionId, draft: null, notice: null, ...(target.reason === 'rewind' ? { takenBack: 't1' } : {}) };
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot> {
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

  async readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    this.calls.push(
      `read ${query.sessionId} ${query.after === undefined ? `before ${query.before ?? 'end'}` : `after ${query.after}`} hidden ${query.includeHidden ?? false}`,
    );
    return this.page(query.sessionId);
  }

  async listSessions(): Promise<readonly SessionSummary[]> {
    return [...this.sessions.values()].map((each) => ({
      ...each,
      preview: null,
      turnCount: 1,
      messageCount: 2,
      lastTurn: null,
      queuedCount: 0,
      branchOf: null,
      unread: false,
      problem: null,
      ...this.listed.get(each.id),
    }));
  }

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    this.calls.push(
      `submit ${surfaceId} ${prompt.sessionId ?? 'new'} ${prompt.text}${prompt.busy === undefined ? '' : ` (${prompt.busy})`}`,
    );
    return { kind: 'started', sessionId: prompt.sessionId ?? 's1', turnUid: 't1' };
  }

  compress(): Promise<never> {
    return Promise.reject(new Error('not scripted'));
  }

  compressionPreview(): Promise<null> {
    return Promise.resolve(null);
  }

  contextUse(): Promise<SessionContextUse> {
    return Promise.resolve({ tokens: 0, counted: false, window: null, parts: null });
  }

  spending(): Promise<Spending> {
    return Promise.resolve({ session: { usd: 0, unpriced: 0 }, today: { usd: 0, unpriced: 0 } });
  }

  async retry(_surfaceId: string, turnUid: string, before?: () => Promise<void>): Promise<SubmitReceipt> {
    await before?.();
    this.calls.push(`retry ${turnUid}`);
    return { kind: 'started', sessionId: 's1', turnUid };
  }

  async continueTurn(_surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    this.calls.push(`continue ${turnUid}`);
    return { kind: 'started', sessionId: 's1', turnUid: 't2' };
  }

  async editAndResend(
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

  async showVersion(_surfaceId: string, turnUid: string): Promise<void> {
    this.calls.push(`version ${turnUid}`);
  }

  startsPrivate(): boolean {
    return false;
  }

  async findSession(text: string): Promise<string> {
    return text;
  }

  async setPinned(sessionId: string, on: boolean): Promise<void> {
    this.calls.push(`pin ${sessionId} ${on}`);
  }

  async setArchived(sessionId: string, on: boolean): Promise<void> {
    this.calls.push(`archive ${sessionId} ${on}`);
  }

  async trashSession(sessionId: string): Promise<void> {
    this.calls.push(`trash ${sessionId}`);
  }

  async restoreSession(sessionId: string): Promise<void> {
    this.calls.push(`restore ${sessionId}`);
  }

  async forgetSession(sessionId: string): Promise<ForgetReport> {
    this.calls.push(`forget ${sessionId}`);
    return { sessionIds: [sessionId], branches: [], sentences: [] };
  }

  async bringOver({ folder, sessionIds }: BringOver): Promise<BroughtOver> {
    this.calls.push(`bringOver ${folder} ${sessionIds.join(' ')}`);
    return { sessions: sessionIds.length, messages: 0, skipped: 0 };
  }

  async setSeen(sessionId: string): Promise<void> {
    this.calls.push(`seen ${sessionId}`);
  }

  async stop(sessionId: string): Promise<void> {
    this.calls.push(`stop ${sessionId}`);
  }

  async skipRecall(sessionId: string, turnUid: string): Promise<void> {
    this.calls.push(`skip recall ${sessionId} ${turnUid}`);
  }

  async decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void> {
    this.calls.push(`decide ${approvalId} ${decision.kind}`);
  }

  async pendingApproval(): Promise<null> {
    return null;
  }

  async mode(surfaceId: string, sessionId: string | null): Promise<Mode> {
    return this.modes.get(sessionId ?? surfaceId) ?? 'ask';
  }

  async setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    this.calls.push(`mode ${sessionId ?? 'new'} ${mode}`);
    this.modes.set(sessionId ?? surfaceId, mode);
    if (sessionId !== null)
      for (const surface of this.surfaces) surface.onSessionEvent({ kind: 'modeChanged', sessionId, mode });
  }

  async effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    return this.efforts.get(sessionId ?? surfaceId) ?? 'default';
  }

  async setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    this.calls.push(`effort ${sessionId ?? 'new'} ${effort}`);
    this.efforts.set(sessionId ?? surfaceId, effort);
    if (sessionId !== null)
      for (const surface of this.surfaces) surface.onSessionEvent({ kind: 'effortChanged', sessionId, effort });
  }

  async stopCall(sessionId: string, callId: string): Promise<void> {
    this.calls.push(`stop call ${sessionId} ${callId}`);
  }

  async proceedCall(sessionId: string, callId: string): Promise<void> {
    this.calls.push(`proceed call ${sessionId} ${callId}`);
  }

  async editQueued(): Promise<void> {}
  async removeQueued(): Promise<void> {}
  async promoteQueued(): Promise<void> {}
  async saveDraft(
    key: string,
    text: string,
    _parts?: readonly DraftPart[],
    _around?: DraftSurroundings,
  ): Promise<void> {
    this.calls.push(`draft ${key} ${text}`);
  }

  async draftParts(): Promise<readonly DraftPart[]> {
    return [];
  }

  async draft(): Promise<string> {
    return 'draft of the empty state';
  }

  async renameSession(sessionId: string, title: string): Promise<void> {
    this.sessions.set(sessionId, session(sessionId, { title }));
    this.changed(sessionId);
  }

  async selectModel(sessionId: string | null, ref: string): Promise<void> {
    this.calls.push(`model ${sessionId ?? 'default'} ${ref}`);
    if (sessionId !== null) this.sessions.set(sessionId, session(sessionId, { model: ref }));
  }

  runningTurns() {
    return this.running;
  }

  readonly onDidChangeRunning = (listener: () => void): Disposable => {
    this.runningListeners = [...this.runningListeners, listener];
    return toDisposable(() => (this.runningListeners = this.runningListeners.filter((other) => other !== listener)));
  };

  readonly onDidChangeSessions = (): Disposable => toDisposable(() => undefined);
  readonly onDidTurnEvent = (): Disposable => toDisposable(() => undefined);
  readonly onDidSwitchSession = (): Disposable => toDisposable(() => undefined);

  async leaveWaiting(): Promise<void> {
    this.calls.push('leave waiting');
  }

  async resumeQueues(): Promise<void> {}
  async shutdown(): Promise<void> {}

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
