import { parseJsonObject } from '../json';
import type { Message } from '../message';
import type { Part } from '../part';
import { repairSequence, type SequenceRepair } from '../sequenceRepair';

/** A row as the rules see it. Texts are shortened, so that a long session fits into memory. */
export interface CheckedRow {
  /** Uid of a row of our store, or number of a row of a Hermes database. */
  readonly id: string;
  readonly message: Message;
  /** Equal for rows with the same role and content. */
  readonly digest: string;
  /** Calls whose arguments are not whole, with the arguments as stored. */
  readonly cutCalls: readonly { readonly callId: string; readonly name: string; readonly arguments: string }[];
  /** Reason why the row, or a part of it, can't be read. */
  readonly damage: string | null;
  readonly isScaffolding: boolean;
  readonly isEmpty: boolean;
}

export interface CheckedSession {
  readonly kind: 'own' | 'hermes';
  readonly id: string;
  readonly title: string | null;
  readonly isEnded: boolean;
  /** True when a later segment continues it: a model no longer gets it. */
  readonly isContinued: boolean;
  /** True when another program wrote it. */
  readonly isImported: boolean;
  readonly openTurnUid: string | null;
  /** Rows that a model gets, in order. */
  readonly rows: readonly CheckedRow[];
  readonly repair: SequenceRepair;
}

export function checkedSession(facts: Omit<CheckedSession, 'repair'>): CheckedSession {
  const messages = facts.rows.map(({ message }) => message);
  return { ...facts, repair: repairSequence(messages, { openTurnUid: facts.openTurnUid, at: 0 }) };
}

/** Characters of a text that the rules need. */
const mostKept = 120;

/** The message with shortened texts, and without images. */
export function shortened<M extends Message>(message: M): M {
  return { ...message, parts: message.parts.map(shortPart) };
}

function shortPart(part: Part): Part {
  switch (part.kind) {
    case 'text':
    case 'thinking':
    case 'attachment':
      return { ...part, text: part.text.slice(0, mostKept) };
    case 'toolResult':
      return {
        kind: 'toolResult',
        callId: part.callId,
        name: part.name,
        outcome: part.outcome,
        text: part.text.slice(0, mostKept),
      };
    case 'toolCall':
      return { kind: 'toolCall', callId: part.callId, name: part.name, arguments: '' };
    case 'image':
      return { ...part, dataBase64: '' };
  }
}

/** True for arguments that are neither absent nor a whole JSON object. */
function isCut(text: string): boolean {
  return text.trim() !== '' && parseJsonObject(text).kind === 'invalid';
}

/** Calls with arguments that are not whole. */
export function cutCallsIn(parts: readonly Part[]): CheckedRow['cutCalls'] {
  return parts.flatMap((part) =>
    part.kind === 'toolCall' && isCut(part.arguments)
      ? [{ callId: part.callId, name: part.name, arguments: part.arguments }]
      : [],
  );
}

const answers = /^\s*\(empty\)\s*$/;
const prompts =
  /^\s*(You just executed tool calls but returned an empty response|\[System: (Your|The) previous (response|answer|tool call))/;

/** True for a text that an agent writes in the name of the user or the model when a request fails. */
export function isScaffoldingText(role: string, text: string): boolean {
  return role === 'assistant' ? answers.test(text) : role === 'user' && prompts.test(text);
}
