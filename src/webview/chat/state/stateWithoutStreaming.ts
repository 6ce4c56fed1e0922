import { computed, type ReadonlySignal } from '@preact/signals';
import type { ChatViewState } from './chatState';
import type { Conversation } from './conversation';
import type { LiveMessage } from './liveMessage';
import type { Part } from '../../../transcript/part';

/** The state, which changes only when anything other than streaming text does; in between, its message text is older
 *  than in `state`. Components that use it do not re-render with every piece of an answer; the text itself comes
 *  from `state` (turn/liveText.tsx). */
export function stateWithoutStreaming(state: ReadonlySignal<ChatViewState>): ReadonlySignal<ChatViewState> {
  let kept = state.peek();
  return computed(() => (kept = isOnlyText(kept, state.value) ? kept : state.value));
}

function isOnlyText(before: ChatViewState, after: ChatViewState): boolean {
  const { conversation: shown, ...around } = before;
  const { conversation, ...other } = after;
  if (before === after) return true;
  if (shown === null || conversation === null || !sameBut(around, other)) return false;
  return sameTexts(shown, conversation);
}

function sameTexts(
  { messages: before, ...session }: Conversation,
  { messages: after, ...other }: Conversation,
): boolean {
  return (
    sameBut(session, other) &&
    before.length === after.length &&
    before.every((live, index) => live === after[index] || sameRow(live, after[index]))
  );
}

function sameRow(
  { parts: before, lastSeq: _, ahead: __, ...row }: LiveMessage,
  after: LiveMessage | undefined,
): boolean {
  if (after === undefined) return false;
  const { parts, lastSeq: ___, ahead: ____, ...other } = after;
  return (
    sameBut(row, other) &&
    before.length === parts.length &&
    before.every((part, index) => part === parts[index] || sameKind(part, parts[index]))
  );
}

// A part without text is not rendered.
function sameKind(before: Part, after: Part | undefined): boolean {
  return (
    (before.kind === 'text' || before.kind === 'thinking') &&
    before.kind === after?.kind &&
    before.text !== '' &&
    after.text !== ''
  );
}

function sameBut<T extends object>(before: T, after: T): boolean {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).every(([name, value]) => Object.is(known.get(name), value));
}
