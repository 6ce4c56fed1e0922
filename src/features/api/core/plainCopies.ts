import type { AssistantPart, ToolResultPart, UserPart } from '../../../transcript/part';
import type * as ours from '../../../transcript/message';
import type { Session, SessionSummary } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import type { TurnEvent } from '../../../transcript/turnEvent';
import type * as api from './hermes';

// Build copies for other extensions field by field, so that no field added to our types leaks out unnoticed. Leave out
// provider metadata, details for our surfaces and technical texts.

/** Freezes the value deeply and returns it. The value must be our own copy. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

export function sessionCopy(session: Session): api.Session {
  const { id, conversationId, title, parentSessionId, parentKind, model, folder, startedAt, lastActiveAt, pinned } =
    session;
  return { id, conversationId, title, parentSessionId, parentKind, model, folder, startedAt, lastActiveAt, pinned };
}

export function entryCopy(summary: SessionSummary): api.SessionEntry {
  const { preview, turnCount, messageCount, lastTurn } = summary;
  return { ...sessionCopy(summary), preview, turnCount, messageCount, state: lastTurn?.state ?? null };
}

/** Copies a message. Null: the message is not shown to the user. */
export function shownCopy(message: ours.Message): api.Message | null {
  return message.visibility.kind === 'shown' ? messageCopy(message) : null;
}

function messageCopy(message: ours.Message): api.Message {
  const base = {
    id: message.uid,
    sessionId: message.sessionId,
    turnId: message.turnUid,
    position: message.position,
    createdAt: message.createdAt,
  };
  switch (message.role) {
    case 'user':
      return { ...base, role: 'user', parts: message.parts.map(userPart) };
    case 'assistant':
      return {
        ...base,
        role: 'assistant',
        parts: message.parts.map(assistantPart),
        state: message.state,
        model: message.model,
      };
    case 'tool':
      return { ...base, role: 'tool', parts: [resultPart(message.parts[0])] };
    default:
      return message satisfies never;
  }
}

function userPart(part: UserPart): api.UserMessage['parts'][number] {
  switch (part.kind) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'attachment':
      return { kind: 'attachment', label: part.label, text: part.text };
    case 'image':
      return { kind: 'image', mediaType: part.mediaType, dataBase64: part.dataBase64, name: part.name ?? null };
    default:
      return part satisfies never;
  }
}

function assistantPart(part: AssistantPart): api.AssistantMessage['parts'][number] {
  if (part.kind === 'toolCall')
    return { kind: 'toolCall', callId: part.callId, name: part.name, arguments: part.arguments };
  return { kind: part.kind, text: part.text };
}

function resultPart({ callId, name, outcome, text }: ToolResultPart): api.ToolResultPart {
  return { kind: 'toolResult', callId, name, outcome, text };
}

export function turnCopy(turn: Turn): api.Turn {
  return turn.state === 'settled' ? settledCopy(turn) : { ...turnBase(turn), state: turn.state };
}

function settledCopy(turn: Turn & { readonly state: 'settled' }): api.SettledTurn {
  const { state, settledAt, outcome, stopReason, failure } = turn;
  return {
    ...turnBase(turn),
    state,
    settledAt,
    outcome,
    stopReason,
    failure: failure === null ? null : { cause: failure.cause, sentence: failure.sentence },
  };
}

function turnBase({ uid, sessionId, userMessageUid, model, startedAt, usage }: Turn): Omit<api.OpenTurn, 'state'> {
  return {
    id: uid,
    sessionId,
    promptId: userMessageUid,
    model,
    startedAt,
    usage: usage === null ? null : usageCopy(usage),
  };
}

function usageCopy({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  reasoningTokens,
}: api.Usage): api.Usage {
  return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens };
}

/** Copies an event for other extensions. Null for events that they do not get: transient activity and messages that
 *  are not shown. */
export function turnEventCopy(sessionId: string, event: TurnEvent): api.TurnEvent | null {
  switch (event.kind) {
    case 'turnOpened': {
      const [turn, prompt] = [turnCopy(event.turn), messageCopy(event.userMessage)];
      return turn.state === 'settled' || prompt.role !== 'user' ? null : { kind: 'opened', sessionId, turn, prompt };
    }
    case 'delivered':
      return { kind: 'delivered', sessionId, turnId: event.turnUid, chunks: event.chunks.map(chunkCopy) };
    case 'messageStored': {
      const message = shownCopy(event.message);
      return message === null ? null : { kind: 'stored', sessionId, turnId: message.turnId, message };
    }
    case 'turnSettled':
      return {
        kind: 'settled',
        sessionId,
        turn: settledCopy(event.turn),
        messages: event.messages.flatMap((message) => shownCopy(message) ?? []),
      };
    case 'activity':
    case 'recalled':
    case 'approvalRequested':
    case 'approvalDecided':
    case 'subAgentAsks':
    case 'toolProgress':
      return null;
    default:
      return event satisfies never;
  }
}

function chunkCopy({ messageUid, seq, part, kind, start, text }: ours.Chunk): api.Chunk {
  return { messageId: messageUid, seq, part, kind, start, text };
}
