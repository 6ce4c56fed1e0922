import type { FoundText } from '../../../protocol/feedProtocol';
import type { Conversation } from './conversation';
import { promptFold } from './folds';

/** Where in the page what was found stands: the article, and which of its texts. */
export interface TextPlace {
  readonly articleUid: string;
  readonly kind: FoundText['kind'];
  /** Among the texts of this kind in the article. */
  readonly ordinal: number;
  /** What must be unfolded for it to be seen. */
  readonly folds: readonly string[];
}

/** Null where the message is not among those that are drawn. */
export function textPlace({ messages }: Conversation, found: FoundText): TextPlace | null {
  const own = messages.find(({ uid }) => uid === found.messageUid);
  if (own === undefined) return null;
  if (found.kind === 'tool') {
    const asking = messages.find(({ parts }) =>
      parts.some((part) => part.kind === 'toolCall' && part.callId === found.callId),
    );
    if (asking === undefined) return null;
    const groups = asking.parts.flatMap((part, index) => (part.kind === 'toolCall' ? [`${asking.uid}:${index}`] : []));
    return { articleUid: asking.uid, kind: 'tool', ordinal: 0, folds: [`call:${found.callId ?? ''}`, ...groups] };
  }
  const ahead = own.parts.slice(0, found.part).filter((part) => part.kind === found.kind && part.text !== '');
  const folds =
    found.kind === 'thinking' ? [`${own.uid}:${found.part}`] : own.role === 'user' ? [promptFold(own.uid)] : [];
  return { articleUid: own.uid, kind: found.kind, ordinal: ahead.length, folds };
}

const blockElements = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, div';

/** Where the pattern is found in the text of an element, in order. Text of buttons is not looked at; blocks are apart as by a line break. */
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
