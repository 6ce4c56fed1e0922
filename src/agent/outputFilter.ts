import { documentStart, isCodeAt, isLineBlank, placeAfter } from '../transcript/text/documentPlace';
import {
  memoryBlockAt,
  type OutputTag,
  partialCloser,
  tagAt,
  thinkingEndIn,
  wordEndIn,
} from '../transcript/text/outputTags';

/** The filter's output for an answer's text. `thinkingEnd` closes a passage of thinking that was in tags. */
export type OutputPiece =
  { readonly kind: 'text' | 'thinking'; readonly text: string } | { readonly kind: 'thinkingEnd' };

type Mode =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly closer: string }
  /** After a closed block: the white space that separated it is not part of the answer. */
  | { readonly kind: 'space' }
  /** After a memory fence: the rest of its line. */
  | { readonly kind: 'lineEnd' };

type ThinkTag = OutputTag & { readonly kind: 'thinkOpen' | 'thinkClose' };

/** Maximum characters between a tag and its closer. Text is held back up to that length. */
const longest = {
  /** In the middle of a line: the closer must be on the same line. */
  inlinePair: 2000,
  /** At the start of a line, after text of the answer. */
  thinking: 16_000,
  /** A memory fence holds text that a few memory providers recalled. */
  memory: 20_000,
} as const;

/** Removes think tags and memory fences from an answer's text as it arrives, before it is stored and shown
 *  (hermes-agent#44239: a transform after the store makes stored and shown differ). One filter serves one answer,
 *  over all its requests. The result does not depend on how the text is cut into deltas and requests. Everything
 *  outside of tags is delivered unchanged. In doubt, a tag counts as text: it is shown, and nothing is lost.
 *  - **Code** stays unchanged: fenced and indented code, code spans, and HTML that is shown as text (`isCodeAt`),
 *  parsed from the delivered text.
 *  - **Thinking at the start of an answer** (only white space before it) is delivered as it arrives: models that
 *  think in tags begin this way, and users watch it. It ends at its closer; a closer in backticks counts as text.
 *  Without a closer it ends with the answer, and `unclosed` has its text. Such a model begins further requests of
 *  the same answer the same way.
 *  - **Thinking after text**, at the start of a line, a part or a request, needs its closer (outside of code, near
 *  enough) before any of it is delivered as thinking. In the middle of a line, the closer must be on that line. An
 *  opener without a closer counts as text, and so does the next closer with its name.
 *  - **A closer without an opener** is dropped if it begins or ends its line (some templates open the thinking
 *  themselves).
 *  - **A memory fence** needs an opener alone on its line and a closer that begins or ends its line. Its content is
 *  dropped. */
export class OutputFilter {
  private held = '';
  private mode: Mode = { kind: 'text' };
  /** The end of the delivered text: in the whole answer, and in its open part, which is rendered separately. */
  private place;
  private partPlace;
  private hasText: boolean;
  /** Name of the tag in which this model thinks before it answers. Null until it does. */
  private thinksIn: string | null = null;
  /** The current thinking, delivered as it arrives. */
  private passage = '';
  /** Openers that were delivered as text. */
  private readonly tagNames = new Set<string>();
  /** `ofEarlier`: characters of `held` from before the current request or part. `isStart`: only white space of the
   *  current one came before `held`. */
  private ofEarlier = 0;
  private isStart = true;
  private pieces: OutputPiece[] = [];
  private unclosedThinking = '';

  /** `delivered`: text of the same answer that was delivered before. */
  constructor(delivered = '') {
    this.place = placeAfter(documentStart, delivered);
    this.partPlace = this.place;
    this.hasText = /\S/.test(delivered);
  }

  /** Text that has arrived and may still be part of a tag. */
  get heldText(): string {
    return this.isThinking ? '' : this.held;
  }

  /** True while the arriving text is thinking in tags. */
  get isThinking(): boolean {
    return this.mode.kind === 'thinking';
  }

  /** Unclosed thinking at the end of the answer, available once it has ended: it may contain an answer. */
  get unclosed(): string {
    return this.unclosedThinking;
  }

  /** Begins another request of the same answer and keeps the held-back text. `isContinuation`: the request
   *  continues mid-answer, so it cannot close thinking of the request before. */
  beginRequest(isContinuation: boolean): readonly OutputPiece[] {
    const pieces = isContinuation && this.isThinking ? this.end() : [];
    this.begin();
    return pieces;
  }

  /** Begins a new part: the following text belongs to it. */
  beginPart(): void {
    this.partPlace = documentStart;
    this.begin();
  }

  /** Adds `text` and returns the pieces that are certain now. */
  take(text: string): readonly OutputPiece[] {
    this.unclosedThinking = '';
    this.held += text;
    return this.run(false);
  }

  /** Ends the current passage: releases held-back text and closes open thinking. */
  end(): readonly OutputPiece[] {
    const pieces = this.run(true);
    this.mode = { kind: 'text' };
    return pieces;
  }

  private begin(): void {
    this.ofEarlier = this.held.length;
    this.isStart = true;
  }

  private run(ended: boolean): readonly OutputPiece[] {
    this.pieces = [];
    while (this.held !== '' && this.step(ended)) {
      // Each step consumes some of the held-back text, until it has to wait for more.
    }
    if (ended && this.mode.kind === 'thinking') {
      this.unclosedThinking = this.passage;
      this.endThinking();
    }
    return this.pieces;
  }

  /** Consumes a piece of the held-back text. False when it cannot be judged yet. */
  private step(ended: boolean): boolean {
    switch (this.mode.kind) {
      case 'text':
        return this.stepText(ended);
      case 'thinking':
        return this.stepThinking(this.mode.closer, ended);
      case 'space':
        return this.stepSpace(ended);
      case 'lineEnd':
        return this.stepLineEnd();
      default:
        return this.mode satisfies never;
    }
  }

  private stepText(ended: boolean): boolean {
    const special = this.held.indexOf('<');
    if (special !== 0) return this.release(special === -1 ? this.held.length : special);
    const tag = tagAt(this.held, 0);
    if (tag === 'none') return this.release(1);
    if (tag === 'partial') return ended || this.isCode ? this.release(1) : false;
    switch (tag.kind) {
      case 'thinkOpen':
        return this.stepThinkOpen(tag, ended);
      case 'thinkClose':
        return this.isCode ? this.release(tag.length) : this.stepStrayCloser(tag, ended);
      case 'memoryOpen':
        return this.isCode ? this.release(tag.length) : this.stepMemoryOpen(tag.length, ended);
      default:
        return tag satisfies never;
    }
  }

  private stepThinkOpen(tag: ThinkTag, ended: boolean): boolean {
    const isFirst = this.ofEarlier === 0 && this.isStart;
    const isAsBefore = isFirst && tag.name === this.thinksIn;
    if (this.isCode && !isAsBefore) return this.release(tag.length);
    if (isAsBefore || !this.hasText) {
      this.thinksIn = tag.name;
      this.drop(tag.length);
      this.mode = { kind: 'thinking', closer: `</${tag.name}>` };
      return true;
    }
    return isFirst || isLineBlank(this.place)
      ? this.stepPair(tag, longest.thinking, ended)
      : this.stepInlinePair(tag, ended);
  }

  private stepInlinePair(tag: ThinkTag, ended: boolean): boolean {
    const lineEnd = this.held.search(/[\r\n]/);
    return this.stepPair(
      tag,
      lineEnd === -1 ? longest.inlinePair : Math.min(lineEnd, longest.inlinePair),
      ended || lineEnd !== -1,
      { kind: 'text' },
    );
  }

  /** Treats a tag with a known closer as thinking. Without a closer within `reach` characters, the opener counts as
   *  text. */
  private stepPair(tag: ThinkTag, reach: number, ended: boolean, then: Mode = { kind: 'space' }): boolean {
    const closer = `</${tag.name}>`;
    const close = wordEndIn(this.held.slice(0, reach), closer, tag.length, this.place);
    if (close === -1) {
      if (!ended && this.held.length < reach) return false;
      this.tagNames.add(tag.name);
      return this.release(tag.length);
    }
    this.emit('thinking', this.held.slice(tag.length, close));
    this.endThinking();
    this.drop(close + closer.length);
    this.mode = then;
    return true;
  }

  private stepStrayCloser(tag: ThinkTag, ended: boolean): boolean {
    if (this.tagNames.delete(tag.name)) return this.release(tag.length);
    const after = this.held.slice(tag.length).search(/[^ \t\r]/);
    if (after === -1 && !ended) return false;
    const endsLine = after === -1 || this.held[tag.length + after] === '\n';
    if (!endsLine && !isLineBlank(this.place)) return this.release(tag.length);
    this.drop(tag.length);
    this.mode = { kind: 'space' };
    return true;
  }

  private stepMemoryOpen(opener: number, ended: boolean): boolean {
    const block = isLineBlank(this.place) ? memoryBlockAt(this.held.slice(0, longest.memory), opener, ended) : 'none';
    if (block === 'open' && !ended && this.held.length < longest.memory) return false;
    if (typeof block === 'string') return this.release(opener);
    this.drop(block.length);
    this.mode = { kind: 'lineEnd' };
    return true;
  }

  private stepThinking(closer: string, ended: boolean): boolean {
    const close = thinkingEndIn(this.passage.slice(-1), this.held, closer, ended);
    if (close.at === -1) {
      const known = close.isUnsure ? close.from : this.held.length - (ended ? 0 : partialCloser(this.held, closer));
      this.think(known);
      return false;
    }
    this.think(close.at);
    this.drop(closer.length);
    this.endThinking();
    this.mode = { kind: 'space' };
    return true;
  }

  /** Drops the rest of the closer's line and the blank lines after it. The indentation of the next line stays. */
  private stepSpace(ended: boolean): boolean {
    const text = this.held.search(/\S/);
    if (text === -1 && !ended) return false;
    const space = text === -1 ? this.held : this.held.slice(0, text);
    this.drop(text === -1 || !space.includes('\n') ? space.length : space.lastIndexOf('\n') + 1);
    this.mode = { kind: 'text' };
    return true;
  }

  private stepLineEnd(): boolean {
    const after = this.held.search(/[^ \t\r]/);
    if (after === -1) {
      this.drop(this.held.length);
      return false;
    }
    this.drop(this.held[after] === '\n' ? after + 1 : after);
    this.mode = { kind: 'text' };
    return true;
  }

  private get isCode(): boolean {
    return isCodeAt(this.place) || (this.partPlace !== this.place && isCodeAt(this.partPlace));
  }

  private release(count: number): boolean {
    const text = this.held.slice(0, count);
    const isOnePart = this.partPlace === this.place;
    this.place = placeAfter(this.place, text);
    this.partPlace = isOnePart ? this.place : placeAfter(this.partPlace, text);
    this.hasText ||= /\S/.test(text);
    this.emit('text', text);
    this.drop(count);
    return true;
  }

  private think(count: number): void {
    const text = this.held.slice(0, count);
    this.passage += text;
    this.emit('thinking', text);
    this.drop(count);
  }

  private endThinking(): void {
    this.passage = '';
    this.partPlace = documentStart;
    this.pieces.push({ kind: 'thinkingEnd' });
  }

  private drop(count: number): void {
    if (this.isStart && /\S/.test(this.held.slice(this.ofEarlier, count))) this.isStart = false;
    this.ofEarlier = Math.max(0, this.ofEarlier - count);
    this.held = this.held.slice(count);
  }

  private emit(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    const last = this.pieces.at(-1);
    // One delta stays one piece if nothing was removed from it: each piece may become a separate write.
    if (last?.kind === kind) this.pieces[this.pieces.length - 1] = { kind, text: last.text + text };
    else this.pieces.push({ kind, text });
  }
}
