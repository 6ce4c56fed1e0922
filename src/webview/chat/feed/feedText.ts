import type { FoundText } from '../../../protocol/feedProtocol';
import type { Conversation } from '../state/conversation';
import { promptFoldKey, todosFoldKey } from '../state/foldState';

/** Position of a match in the page: the article, and the text within it. */
interface TextPlace {
  readonly articleUid: string;
  readonly kind: FoundText['kind'];
  /** Index among the article's texts of this kind. */
  readonly ordinal: number;
  /** Folds to open so that the match is visible. */
  readonly folds: readonly string[];
}

/** Null when the message is not rendered. */
export function textPlace({ messages }: Conversation, found: FoundText): TextPlace | null {
  const own = messages.find(({ uid }) => uid === found.messageUid);
  if (own === undefined) return null;
  if (found.kind === 'tool') {
    const called = messages.flatMap((message) =>
      message.parts.flatMap((part) => (part.kind === 'toolCall' ? [{ message, part }] : [])),
    );
    const call = called.find(({ part }) => part.callId === found.callId);
    if (call === undefined) return null;
    const isUpdate = todoUpdates(messages, call.message.turnUid);
    // Updates of the todo list are rendered where the first one is.
    const shown = isUpdate(call.part) ? (called.find(({ part }) => isUpdate(part)) ?? call) : call;
    const { uid, parts } = shown.message;
    const groups = parts.flatMap((part, index) => (part.kind === 'toolCall' ? [`${uid}:${index}`] : []));
    return {
      articleUid: uid,
      kind: 'tool',
      ordinal: 0,
      folds: [`call:${call.part.callId}`, ...groups, todosFoldKey(shown.part.callId)],
    };
  }
  const ahead = own.parts.slice(0, found.part).filter((part) => part.kind === found.kind && part.text !== '');
  const folds =
    found.kind === 'thinking' ? [`${own.uid}:${found.part}`] : own.role === 'user' ? [promptFoldKey(own.uid)] : [];
  return { articleUid: own.uid, kind: found.kind, ordinal: ahead.length, folds };
}

/** Returns a test for calls of a turn that updated the todo list successfully. */
function todoUpdates(
  messages: Conversation['messages'],
  turnUid: string | null,
): (call: { readonly callId: string }) => boolean {
  const results = messages.filter((message) => message.turnUid === turnUid).flatMap(({ parts }) => parts);
  const updates = new Set(
    results.flatMap((part) =>
      part.kind === 'toolResult' && part.name === 'todo_write' && part.outcome === 'done' ? [part.callId] : [],
    ),
  );
  return ({ callId }) => updates.has(callId);
}

const blockElements = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, div';

/** Returns the ranges in an element that match the pattern, in order. Ignores text of buttons; treats a block
 *  boundary as a line break. */
export function rangesIn(element: Element, pattern: RegExp, most = Number.POSITIVE_INFINITY): readonly Range[] {
  const pieces: { readonly node: Text; readonly start: number }[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || parent.closest('button, [aria-hidden=true]') !== null) continue;
    const own = parent.closest(blockElements);
    if (text !== '' && own !== block) text += '\n';
    block = own;
    pieces.push({ node, start: text.length });
    text += node.data;
  }
  const ranges: Range[] = [];
  for (const { 0: words, index } of text.matchAll(pattern)) {
    if (ranges.length >= most) break;
    const range = rangeOf(pieces, index, index + words.length);
    if (range !== null) ranges.push(range);
  }
  return ranges;
}

function rangeOf(
  pieces: readonly { readonly node: Text; readonly start: number }[],
  from: number,
  to: number,
): Range | null {
  const first = pieces.findLast(({ start }) => start <= from);
  const last = pieces.findLast(({ start }) => start < to);
  if (first === undefined || last === undefined) return null;
  const range = document.createRange();
  range.setStart(first.node, Math.min(from - first.start, first.node.length));
  range.setEnd(last.node, Math.min(to - last.start, last.node.length));
  return range;
}
