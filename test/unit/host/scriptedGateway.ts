import { toDisposable, type Disposable } from '../../../src/base/disposable';
import type { SessionContextUse } from '../../../src/transcript/contextUse';
import type { Gateway } from '../../../src/gateway/conversationGateway';
import type {
  PromptSubmission,
  SessionSnapshot,
  SubmitReceipt,
  Surface,
  SwitchOutcome,
  SwitchTarget,
} from '../../../src/gateway/gateway';
import type { TranscriptPage, TranscriptQuery } from '../../../src/store/requests';
import type { ApprovalDecision, Mode } from '../../../src/transcript/approval';
import type { Spending } from '../../../src/transcript/usage';
import type { DraftPart, DraftSurroundings } from '../../../src/transcript/draftPart';
import type { Message } from '../../../src/transcript/message';
import type { ReasoningEffort, Session, SessionSummary } from '../../../src/transcript/session';
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

/** A part of a gateway over the methods of a scripted one. Rejects every call that is not scripted. A test may
 *  replace a method of the part. */
function part<T extends object>(scripted: object, methods: { readonly [M in keyof T]?: string }): T {
  const names: Readonly<Record<string, string | undefined>> = methods;
  return new Proxy({} as T, {
    get: (replaced, name) => {
      if (name in replaced) return Reflect.get(replaced, name) as unknown;
      const method = Reflect.get(scripted, names[String(name)] ?? '') as unknown;
      if (typeof method === 'function') return method.bind(scripted) as unknown;
      return () => Promise.reject(new Error(`${String(name)} is not scripted.`));
    },
  });
}

class NoGateway {}

/** A gateway that does what the test says: its sessions are given, a snapshot can be held back, and events are
 *  sent by hand. */
export class ScriptedGateway extends (NoGateway as unknown as new () => Gateway) {
  readonly stored = new Map<string, Session>();
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
  private readonly chosenEfforts = new Map<string, ReasoningEffort>();
  private readonly chosenAgents = new Map<string, string | null>();
  private attachedSurfaces: readonly Surface[] = [];
  private readonly shown = new Map<string, string | null>();
  private readonly sessionListeners = new Set<(sessionIds: readonly string[]) => void>();
  private runningListeners: readonly (() => void)[] = [];

  override readonly surfaces = part<Gateway['surfaces']>(this, {
    attach: 'attach',
    shownSession: 'shownSession',
    startsPrivate: 'startsPrivate',
    onDidChangeSessions: 'onDidChangeSessions',
    onDidTurnEvent: 'onDidTurnEvent',
    onDidSwitchSession: 'onDidSwitchSession',
  });
  override readonly switching = part<Gateway['switching']>(this, { switchSession: 'switchSession' });
  override readonly store = part<Gateway['store']>(this, {
    readTranscript: 'readTranscript',
    listSessions: 'listSessions',
    setDraft: 'saveDraft',
    draft: 'draft',
    draftParts: 'draftParts',
  });
  override readonly intake = part<Gateway['intake']>(this, { submit: 'submit', editAndResend: 'editAndResend' });
  override readonly versions = part<Gateway['versions']>(this, { retry: 'retry' });
  override readonly compression = part<Gateway['compression']>(this, { contextUse: 'contextUse' });
  override readonly spending = part<Gateway['spending']>(this, { costs: 'costs' });
  override readonly actions = part<Gateway['actions']>(this, {
    setSeen: 'setSeen',
    rename: 'renameSession',
    selectModel: 'selectModel',
  });
  override readonly turns = part<Gateway['turns']>(this, {
    stop: 'stop',
    running: 'runningTurns',
    onDidChangeRunning: 'onDidChangeRunning',
  });
  override readonly approvals = part<Gateway['approvals']>(this, {
    decide: 'decideApproval',
    pending: 'pendingApproval',
    mode: 'mode',
    setMode: 'setMode',
  });
  override readonly efforts = part<Gateway['efforts']>(this, { effort: 'effort', setEffort: 'setEffort' });
  override readonly customAgents = part<Gateway['customAgents']>(this, {
    chosen: 'chosenAgent',
    choose: 'chooseAgent',
    modelAt: 'agentModel',
  });

  constructor(...sessions: readonly Session[]) {
    super();
    for (const each of sessions) this.stored.set(each.id, each);
  }

  attach(surface: Surface): Disposable {
    this.attachedSurfaces = [...this.attachedSurfaces, surface];
    this.shown.delete(surface.id);
    return toDisposable(() => (this.attachedSurfaces = this.attachedSurfaces.filter((other) => other !== surface)));
  }

  get listening(): boolean {
    return this.sessionListeners.size + this.runningListeners.length > 0;
  }

  get attached(): number {
    return this.attachedSurfaces.length;
  }

  startsPrivate(): boolean {
    return false;
  }

  shownSession(surfaceId: string): string | null {
    return this.shown.get(surfaceId) ?? null;
  }

  async switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    const sessionId = target.reason === 'resume' ? target.sessionId : null;
    this.calls.push(`switch ${surfaceId} ${sessionId ?? 'new'}`);
    this.shown.set(surfaceId, sessionId);
    for (const surface of this.attachedSurfaces)
      if (surface.id === surfaceId) surface.onSessionSwitched(sessionId, target.reason);
    return { sessionId, draft: null, notice: null, ...(target.reason === 'rewind' ? { rewoundTurn: 't1' } : {}) };
  }

  override async snapshot(sessionId: string): Promise<SessionSnapshot> {
    const found = this.stored.get(sessionId);
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
      `read ${query.sessionId} ` +
        `${query.after === undefined ? `before ${query.before ?? 'end'}` : `after ${query.after}`} ` +
        `hidden ${query.includeHidden ?? false}`,
    );
    return this.page(query.sessionId);
  }

  async listSessions(): Promise<readonly SessionSummary[]> {
    return [...this.stored.values()].map((each) =>
      summary(each.id, { ...each, lastTurn: null, ...this.listed.get(each.id) }),
    );
  }

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    this.calls.push(
      `submit ${surfaceId} ${prompt.sessionId ?? 'new'} ` +
        `${prompt.text}${prompt.busy === undefined ? '' : ` (${prompt.busy})`}`,
    );
    return { kind: 'started', sessionId: prompt.sessionId ?? 's1', turnUid: 't1' };
  }

  contextUse(): Promise<SessionContextUse> {
    return Promise.resolve({ tokens: 0, counted: false, window: null, parts: null });
  }

  costs(): Promise<Spending> {
    return Promise.resolve({ session: { usd: 0, unpriced: 0 }, today: { usd: 0, unpriced: 0 } });
  }

  async retry(_surfaceId: string, turnUid: string, before?: () => Promise<void>): Promise<SubmitReceipt> {
    await before?.();
    this.calls.push(`retry ${turnUid}`);
    return { kind: 'started', sessionId: 's1', turnUid };
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

  async setSeen(sessionId: string): Promise<void> {
    this.calls.push(`seen ${sessionId}`);
  }

  async stop(sessionId: string): Promise<void> {
    this.calls.push(`stop ${sessionId}`);
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
      for (const surface of this.attachedSurfaces) surface.onSessionEvent({ kind: 'modeChanged', sessionId, mode });
  }

  async effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    return this.chosenEfforts.get(sessionId ?? surfaceId) ?? 'default';
  }

  async setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    this.calls.push(`effort ${sessionId ?? 'new'} ${effort}`);
    this.chosenEfforts.set(sessionId ?? surfaceId, effort);
    if (sessionId !== null)
      for (const surface of this.attachedSurfaces) surface.onSessionEvent({ kind: 'effortChanged', sessionId, effort });
  }

  agentModel(): string | null {
    return null;
  }

  async chosenAgent(surfaceId: string, sessionId: string | null): Promise<string | null> {
    return this.chosenAgents.get(sessionId ?? surfaceId) ?? null;
  }

  async chooseAgent(surfaceId: string, sessionId: string | null, agent: string | null): Promise<void> {
    this.calls.push(`agent ${sessionId ?? 'new'} ${String(agent)}`);
    this.chosenAgents.set(sessionId ?? surfaceId, agent);
    if (sessionId !== null)
      for (const surface of this.attachedSurfaces) surface.onSessionEvent({ kind: 'agentChanged', sessionId, agent });
  }

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
    this.stored.set(sessionId, session(sessionId, { title }));
    this.changed(sessionId);
  }

  async selectModel(sessionId: string | null, ref: string): Promise<void> {
    this.calls.push(`model ${sessionId ?? 'default'} ${ref}`);
    if (sessionId !== null) this.stored.set(sessionId, session(sessionId, { model: ref }));
  }

  runningTurns() {
    return this.running;
  }

  readonly onDidChangeRunning = (listener: () => void): Disposable => {
    this.runningListeners = [...this.runningListeners, listener];
    return toDisposable(() => (this.runningListeners = this.runningListeners.filter((other) => other !== listener)));
  };

  readonly onDidChangeSessions = (listener: (sessionIds: readonly string[]) => void): Disposable => {
    this.sessionListeners.add(listener);
    return toDisposable(() => this.sessionListeners.delete(listener));
  };
  readonly onDidTurnEvent = (): Disposable => toDisposable(() => undefined);
  readonly onDidSwitchSession = (): Disposable => toDisposable(() => undefined);

  happen(sessionId: string, event: TurnEvent): void {
    for (const surface of this.attachedSurfaces)
      if (this.shown.get(surface.id) === sessionId) surface.onTurnEvent(sessionId, event);
  }

  changed(...sessionIds: readonly string[]): void {
    for (const surface of this.attachedSurfaces) surface.onSessionEvent({ kind: 'sessionsChanged', sessionIds });
    for (const listener of this.sessionListeners) listener(sessionIds);
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
