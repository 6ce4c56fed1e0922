import * as v from 'valibot';
import type { TurnElsewhere } from '../../../protocol/syncProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { SeenTurn } from '../core/turnWatch';
import { answerText, type AssistantMessage, type Message } from '../../../transcript/message';
import type { ToolCallPart } from '../../../transcript/part';

/** Messages of a turn that are read for showing it. */
const mostMessages = 60;
/** Characters of each text that travel while the turn runs. The whole turn follows when it has ended. */
const mostText = 60_000;
const mostPrompt = 4000;
const mostArguments = 2000;

const shownSchema = v.object({
  turnUid: v.string(),
  model: v.string(),
  prompt: v.string(),
  text: v.string(),
  call: v.nullable(v.object({ callId: v.string(), name: v.string(), arguments: v.string() })),
});

/** What a running turn shows to other machines. */
export type ShownTurn = v.InferOutput<typeof shownSchema>;

type Reads = Pick<SessionStore, 'conversationTip' | 'openTurnOf' | 'readTranscript'>;

/** Reads what the running turn of a conversation has stored so far, in JSON. Null when none runs. */
export async function readShownTurn(store: Reads, conversationId: string): Promise<string | null> {
  const sessionId = await store.conversationTip(conversationId);
  const turn = await store.openTurnOf(sessionId);
  if (turn === null) return null;
  const { messages } = await store.readTranscript({ sessionId, limit: mostMessages });
  const own = messages.filter(({ turnUid }) => turnUid === turn.uid);
  const shown: ShownTurn = {
    turnUid: turn.uid,
    model: turn.model,
    prompt: plainText(own.find(({ role }) => role === 'user')).slice(0, mostPrompt),
    text: answers(own)
      .map(({ parts }) => answerText(parts))
      .filter((text) => text !== '')
      .join('\n\n')
      .slice(-mostText),
    call: openCall(own),
  };
  return JSON.stringify(shown);
}

/** Null for what another build wrote, or what was damaged on its way. */
export function parseShownTurn(body: string | null): ShownTurn | null {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shownSchema), body);
  return parsed.success ? parsed.output : null;
}

/** The turn as a chat shows it. */
export function turnElsewhere(seen: SeenTurn, shown: ShownTurn): TurnElsewhere {
  const { conversationId, machine, isAlive, isStopAsked } = seen;
  const { prompt, text, call } = shown;
  return {
    conversationId,
    machine,
    prompt,
    text,
    call: call === null ? null : { kind: 'toolCall', ...call },
    isAlive,
    isStopAsked,
  };
}

function answers(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message): message is AssistantMessage => message.role === 'assistant');
}

function plainText(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

/** The first call without a result. */
function openCall(messages: readonly Message[]): ShownTurn['call'] {
  const done = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'toolResult' ? [part.callId] : []))),
  );
  const call = answers(messages)
    .flatMap(({ parts }) => parts)
    .find((part): part is ToolCallPart => part.kind === 'toolCall' && !done.has(part.callId));
  return call === undefined
    ? null
    : { callId: call.callId, name: call.name, arguments: call.arguments.slice(0, mostArguments) };
}
