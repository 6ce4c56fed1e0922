import type { JsonValue } from '../../../src/transcript/json';
import type { ChatState, ModelRow, ShownSession } from '../../../src/protocol/chatProtocol';
import type { AssistantMessage, Chunk, Message, ToolMessage, UserMessage } from '../../../src/transcript/message';
import type { AssistantPart, ToolCallPart, ToolOutcome } from '../../../src/transcript/part';
import type { Approval, ApprovalRequest } from '../../../src/transcript/approval';
import type { Session, SessionSummary } from '../../../src/transcript/session';
import type { Turn, Settlement } from '../../../src/transcript/turn';
import type { TurnEvent } from '../../../src/transcript/turnEvent';

/** 12 November 2026, 14:02 in UTC. */
export const afternoon = 1_794_492_120;

export function session(change: Partial<Session> = {}): Session {
  return {
    id: '20261112_140200_a1b2c3',
    title: 'Fix flaky upload test',
    titleSource: 'model',
    parentSessionId: null,
    parentKind: null,
    conversationId: '20261112_140200_a1b2c3',
    model: 'Local/qwen3:8b',
    folder: '/home/me/upload',
    startedAt: afternoon,
    lastActiveAt: afternoon,
    endedAt: null,
    endReason: null,
    pinned: false,
    archived: false,
    trashedAt: null,
    private: false,
    ...change,
  };
}

interface Place {
  readonly uid: string;
  readonly position: number;
  readonly turnUid?: string;
  readonly visibility?: Message['visibility'];
}

function base({ uid, position, turnUid, visibility }: Place) {
  return {
    uid,
    position,
    turnUid: turnUid ?? 'turn1',
    sessionId: session().id,
    createdAt: afternoon + position,
    visibility: visibility ?? { kind: 'shown' as const },
    carriedFrom: null,
  };
}

export function prompt(place: Place, text: string): UserMessage {
  return { ...base(place), role: 'user', parts: [{ kind: 'text', text }] };
}

export function answer(
  place: Place,
  parts: readonly (AssistantPart | string)[],
  change: Partial<Pick<AssistantMessage, 'state' | 'lastSeq' | 'usage'>> = {},
): AssistantMessage {
  return {
    ...base(place),
    role: 'assistant',
    parts: parts.map((part) => (typeof part === 'string' ? { kind: 'text', text: part } : part)),
    state: 'final',
    lastSeq: 0,
    model: 'Local/qwen3:8b',
    finishReason: null,
    usage: null,
    ...change,
  };
}

export function call(callId: string, name: string, input: object): ToolCallPart {
  return { kind: 'toolCall', callId, name, arguments: JSON.stringify(input) };
}

export function result(
  place: Place,
  callId: string,
  name: string,
  text: string,
  outcome: ToolOutcome = 'done',
  details?: JsonValue,
): ToolMessage {
  return {
    ...base(place),
    role: 'tool',
    parts: [{ kind: 'toolResult', callId, name, outcome, text, ...(details === undefined ? {} : { details }) }],
  };
}

const turnBase = {
  sessionId: session().id,
  model: 'Local/qwen3:8b',
  startedAt: afternoon,
  usage: null,
  supersedes: null,
};

export function runningTurn(uid = 'turn1', userMessageUid = 'u1'): Turn & { readonly state: 'running' } {
  return { ...turnBase, uid, userMessageUid, state: 'running' };
}

export function settledTurn(
  uid = 'turn1',
  userMessageUid = 'u1',
  change: Partial<Settlement> = {},
): Turn & { readonly state: 'settled' } {
  const usage = {
    inputTokens: 2810,
    outputTokens: 290,
    cachedInputTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  };
  return {
    ...turnBase,
    usage,
    uid,
    userMessageUid,
    state: 'settled',
    settledAt: afternoon + 9,
    outcome: 'complete',
    stopReason: 'stop',
    failure: null,
    ...change,
  };
}

export function shownSession(change: Partial<ShownSession> = {}): ShownSession {
  return {
    session: session(),
    messages: [],
    turns: [],
    versions: [],
    changes: {},
    hasEarlier: false,
    queue: [],
    draft: '',
    draftParts: [],
    openTurn: null,
    activity: null,
    approval: null,
    mode: 'ask',
    origin: null,
    changed: false,
    ...change,
  };
}

export function modelRow(change: Partial<ModelRow> = {}): ModelRow {
  return {
    ref: 'Local/qwen3:8b',
    label: 'qwen3:8b',
    provider: 'Local',
    destination: '127.0.0.1:11434',
    contextWindow: 40_960,
    tools: true,
    images: null,
    price: null,
    warnings: [],
    isDemo: false,
    ...change,
  };
}

export function sessionSummary(change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ...session(),
    preview: null,
    turnCount: 1,
    messageCount: 2,
    lastTurn: null,
    queuedCount: 0,
    branchOf: null,
    unread: false,
    problem: null,
    ...change,
  };
}

/** A piece of a part of an answer that was committed. */
export function delivered(
  turnUid: string,
  messageUid: string,
  seq: number,
  start: number,
  text: string,
  change: Partial<Pick<Chunk, 'part' | 'kind'>> = {},
): TurnEvent {
  return { kind: 'delivered', turnUid, chunks: [{ messageUid, seq, part: 0, kind: 'text', start, text, ...change }] };
}

/** The turn while it waits for approval `ap`. */
export function waitingTurn(uid = 'turn1', userMessageUid = 'u1'): Turn & { readonly state: 'waiting' } {
  return { ...runningTurn(uid, userMessageUid), state: 'waiting', approvalId: 'ap' };
}

export function pendingApproval(request: ApprovalRequest, change: Partial<Approval> = {}): Approval {
  return {
    id: 'ap',
    sessionId: session().id,
    turnUid: 'turn1',
    messageUid: 'a1',
    callId: 'c1',
    requestedAt: 1,
    state: { kind: 'pending' },
    request,
    ...change,
  };
}

/** What the host tells a chat view first. */
export function chatState(shown: ShownSession | null, change: Partial<ChatState> = {}): ChatState {
  return {
    shown,
    newDraft: '',
    newDraftParts: [],
    recentSessions: [],
    beginning: { private: false },
    newMode: 'ask',
    background: [],
    model: { chosen: modelRow(), problem: null },
    setup: { searching: false, entries: [] },
    store: { kind: 'open', notices: [] },
    restricted: false,
    folderName: 'upload',
    demoPrompts: [],
    promptFiles: [],
    localization: {},
    ...change,
  };
}
