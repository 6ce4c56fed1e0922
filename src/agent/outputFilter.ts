import { documentStart, isCodeAt, isLineBlank, placeBehind } from '../transcript/text/documentPlace';
import {
  memoryBlockAt,
  type OutputTag,
  partialCloser,
  tagAt,
  thinkingEndIn,
  wordEndIn,
} from '../transcript/text/outputTags';

/** What the filter makes of an answer's text. `thinkingEnd` closes a stretch of thinking that stood in tags. */
export type OutputPiece =
  { readonly kind: 'text' | 'thinking'; readonly text: string } | { readonly kind: 'thinkingEnd' };

type Mode =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly closer: string }
  /** Behind a closed block: the white space that set it apart is not part of the answer. */
  | { readonly kind: 'space' }
  /** Behind a memory fence: the rest of its line. */
  | { readonly kind: 'lineEnd' };

type ThinkTag = OutputTag & { readonly kind: 'thinkOpen' | 'thinkClose' };

/** How far a tag may be from its closer and still be a pair, in characters: text is held back that long. */
const longest = {
  /** In the middle of a line, on that line. */
  inlinePair: 2000,
  /** At the start of a line, behind text of the answer. */
  thinking: 16_000,
  /** A memory fence holds what a few memory providers recalled. */
  memory: 20_000,
} as const;

/** Takes think tags and memory fences out of an answer's text while it arrives, before it is stored and shown (hermes-agent#44239: a transform after
 *  the store makes stored and shown differ). One filter serves one answer, over all its requests; however the text is cut into deltas and requests,
 *  the result is the same. Everything outside of a tag is delivered as it came. When in doubt a tag is a word: it is shown, and nothing is lost.
 *  - **Code** is left as it is: fenced and indented code, code spans, HTML that is shown as it is (`isCodeAt`), read in the text that was delivered.
 *  - **Thinking that opens an answer** (nothing but white space before it) is delivered while it arrives. Models that think in tags begin with one, and
 *    people watch it. It ends at its closer; one in backticks is a word. Without a closer it ends with the answer, and `unclosed` has what it held.
 *    A model that did so begins its further requests of the same answer alike.
 *  - **Thinking behind text**, at the start of a line, a part or a request, needs its closer (outside of code, near enough) before any of it is filed as
 *    thinking; in the middle of a line the closer must be on that line. An opener without one is a word, and so is the next closer of its name.
 *  - **A closer that closes nothing** is dropped where it begins or ends its line (templates that open the thinking themselves).
 *  - **A memory fence** counts from an opener alone on its line to a closer that begins or ends its line; what it holds is dropped. */
export class OutputFilter {
  private held = '';
  private mode: Mode = { kind: 'text' };
  /** Where the delivered text ends: in the whole answer, and in its open part, which is drawn by itself. */
  private place;
  private partPlace;
  private hasText: boolean;
  /** The tag in which this model thinks before it answers, once it has. */
  private thinksIn: string | null = null;
  /** Thinking that is delivered while it arrives. */
  private stretch = '';
  /** Openers that were left as words. */
  private readonly words = new Set<string>();
  /** Characters of `held` that came before the current request or part, and whether nothing but white space came of it before `held`. */
  private ofEarlier = 0;
  private isStart = true;
  private pieces: OutputPiece[] = [];
  private unclosedThinking = '';

  /** `delivered`: text of the same answer that was delivered before. */
  constructor(delivered = '') {
    this.place = placeBehind(documentStart, delivered);
    this.partPlace = this.place;
    this.hasText = /\S/.test(delivered);
  }

  /** Text that has arrived and may still be part of a tag. */
  get heldText(): string {
    return this.isThinking ? '' : this.held;
  }

  /** What arrives now is thinking in tags. */
  get isThinking(): boolean {
    return this.mode.kind === 'thinking';
  }

  /** Thinking at the end of the answer that nothing has closed, once it has ended: an answer may be in it. */
  get unclosed(): string {
    return this.unclosedThinking;
  }

  /** A further request of the same answer begins; what is held back goes on with it. `goesOn`: it does not begin from the start, so it cannot
   *  close thinking of the one before. */
  beginRequest(goesOn: boolean): readonly OutputPiece[] {
    const pieces = goesOn && this.isThinking ? this.end() : [];
    this.begin();
    return pieces;
  }

  /** The text that follows stands in a part of its own. */
  beginPart(): void {
    this.partPlace = documentStart;
    this.begin();
  }

  /** What can be told of the answer now that `text` has arrived. */
  take(text: string): readonly OutputPiece[] {
    this.unclosedThinking = '';
    this.held += text;
    return this.run(false);
  }

  /** What belongs together ended here: what was held back is released, and open thinking ends. */
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
      // Each step consumes some of what is held, until it has to wait for more.
    }
    if (ended && this.mode.kind === 'thinking') {
      this.unclosedThinking = this.stretch;
      this.endThinking();
    }
    return this.pieces;
  }

  /** Consumes a piece of what is held; false when it cannot be judged yet. */
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

  /** A pair whose closer is known is thinking; without one within `reach` characters its opener is a word. */
  private stepPair(tag: ThinkTag, reach: number, ended: boolean, then: Mode = { kind: 'space' }): boolean {
    const closer = `</${tag.name}>`;
    const close = wordEndIn(this.held.slice(0, reach), closer, tag.length, this.place);
    if (close === -1) {
      if (!ended && this.held.length < reach) return false;
      this.words.add(tag.name);
      return this.release(tag.length);
    }
    this.emit('thinking', this.held.slice(tag.length, close));
    this.endThinking();
    this.drop(close + closer.length);
    this.mode = then;
    return true;
  }

  private stepStrayCloser(tag: ThinkTag, ended: boolean): boolean {
    if (this.words.delete(tag.name)) return this.release(tag.length);
    const behind = this.held.slice(tag.length).search(/[^ \t\r]/);
    if (behind === -1 && !ended) return false;
    const endsLine = behind === -1 || this.held[tag.length + behind] === '\n';
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
    const close = thinkingEndIn(this.stretch.slice(-1), this.held, closer, ended);
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

  /** The rest of the closer's line and the blank lines behind it go; how far the next line is indented stays. */
  private stepSpace(ended: boolean): boolean {
    const text = this.held.search(/\S/);
    if (text === -1 && !ended) return false;
    const space = text === -1 ? this.held : this.held.slice(0, text);
    this.drop(text === -1 || !space.includes('\n') ? space.length : space.lastIndexOf('\n') + 1);
    this.mode = { kind: 'text' };
    return true;
  }

  private stepLineEnd(): boolean {
    const behind = this.held.search(/[^ \t\r]/);
    if (behind === -1) {
      this.drop(this.held.length);
      return false;
    }
    this.drop(this.held[behind] === '\n' ? behind + 1 : behind);
    this.mode = { kind: 'text' };
    return true;
  }

  private get isCode(): boolean {
    return isCodeAt(this.place) || (this.partPlace !== this.place && isCodeAt(this.partPlace));
  }

  private release(count: number): boolean {
    const text = this.held.slice(0, count);
    const isOnePart = this.partPlace === this.place;
    this.place = placeBehind(this.place, text);
    this.partPlace = isOnePart ? this.place : placeBehind(this.partPlace, text);
    this.hasText ||= /\S/.test(text);
    this.emit('text', text);
    this.drop(count);
    return true;
  }

  private think(count: number): void {
    const text = this.held.slice(0, count);
    this.stretch += text;
    this.emit('thinking', text);
    this.drop(count);
  }

  private endThinking(): void {
    this.stretch = '';
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
    // One delta stays one piece where nothing was taken out of it: each piece may become a write of its own.
    if (last?.kind === kind) this.pieces[this.pieces.length - 1] = { kind, text: last.text + text };
    else this.pieces.push({ kind, text });
  }
}
