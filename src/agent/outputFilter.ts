import { findCloser, memoryCloser, partialCloser, tagAt } from '../transcript/outputTags';

/** What the filter makes of an answer's text. `thinkingEnd` closes a stretch of thinking that stood in tags. */
export type OutputPiece =
  { readonly kind: 'text' | 'thinking'; readonly text: string } | { readonly kind: 'thinkingEnd' };

type Mode =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly closer: string }
  | { readonly kind: 'memory' }
  /** Behind a closed block: the white space that set it apart is not part of the answer. */
  | { readonly kind: 'space' }
  /** Behind a memory fence: the rest of its line. */
  | { readonly kind: 'lineEnd' };

/** How far a tag in the middle of a line may be from its closer, in characters, and still be a pair: text is held back that long. */
const longestInlinePair = 2000;

/** Takes think tags and memory fences out of an answer's text while it arrives, before it is stored and shown (hermes-agent#44239: a
 *  transform after the store makes stored and shown differ). However the text is cut into deltas, the result is the same. Rules:
 *  a think tag at the start of a line begins thinking that ends at its closer or with the text; in the middle of a line only a pair
 *  that is closed on that line counts; a closer that closes nothing is dropped with the white space behind it; thinking is delivered as
 *  thinking, so no word is lost. A memory fence counts alone on its line, and what it holds is dropped. Code is left as it is: inside
 *  fenced blocks and behind an open backtick a tag is a word like any other. */
export class OutputFilter {
  private held = '';
  private mode: Mode = { kind: 'text' };
  /** The line so far is white space. */
  private lineIsBlank = true;
  /** Backticks at the start of the line, and whether a run of other backticks left inline code open. */
  private leadingTicks = 0;
  private inInlineCode = false;
  private inFence = false;
  private pieces: OutputPiece[] = [];

  /** What can be told of the answer now that `text` has arrived. */
  take(text: string): readonly OutputPiece[] {
    this.held += text;
    return this.run(false);
  }

  /** The text ended here: what was held back is released. The next text begins anew. */
  end(): readonly OutputPiece[] {
    const pieces = this.run(true);
    this.held = '';
    this.mode = { kind: 'text' };
    this.inFence = false;
    this.beginLine();
    return pieces;
  }

  private run(ended: boolean): readonly OutputPiece[] {
    this.pieces = [];
    while (this.held !== '' && this.step(ended)) {
      // Each step consumes some of what is held, until it has to wait for more.
    }
    if (ended && this.mode.kind === 'thinking') this.pieces.push({ kind: 'thinkingEnd' });
    return this.pieces;
  }

  /** Consumes a piece of what is held; false when it cannot be judged yet. */
  private step(ended: boolean): boolean {
    switch (this.mode.kind) {
      case 'text':
        return this.stepText(ended);
      case 'thinking':
        return this.stepThinking(this.mode.closer, ended);
      case 'memory':
        return this.stepMemory();
      case 'space':
        return this.stepSpace();
      case 'lineEnd':
        return this.stepLineEnd();
      default:
        return this.mode satisfies never;
    }
  }

  private stepText(ended: boolean): boolean {
    const special = this.held.search(/[<\n`]/);
    if (special !== 0) return this.release(special === -1 ? this.held.length : special);
    const first = this.held[0];
    if (first === '\n') {
      this.release(1);
      this.beginLine();
      return true;
    }
    if (first === '`') {
      this.countTick();
      return this.release(1);
    }
    return this.inFence || this.inInlineCode ? this.release(1) : this.stepTag(ended);
  }

  private stepTag(ended: boolean): boolean {
    const tag = tagAt(this.held, 0);
    if (tag === 'partial') return ended ? this.release(1) : false;
    if (tag === 'none') return this.release(1);
    switch (tag.kind) {
      case 'thinkOpen':
        if (!this.lineIsBlank) return this.stepInlinePair(tag.name, tag.length, ended);
        this.drop(tag.length);
        this.mode = { kind: 'thinking', closer: `</${tag.name}>` };
        return true;
      case 'thinkClose':
        this.drop(tag.length);
        this.mode = { kind: 'space' };
        return true;
      case 'memoryOpen':
        return this.stepMemoryOpen(tag.length, ended);
      default:
        return tag satisfies never;
    }
  }

  private stepInlinePair(name: string, opener: number, ended: boolean): boolean {
    const closer = `</${name}>`;
    const reach = this.held.slice(0, longestInlinePair);
    const lineEnd = reach.indexOf('\n');
    const close = findCloser(lineEnd === -1 ? reach : reach.slice(0, lineEnd), closer, opener);
    if (close !== -1) {
      this.emit('thinking', this.held.slice(opener, close));
      this.pieces.push({ kind: 'thinkingEnd' });
      this.drop(close + closer.length);
      return true;
    }
    return ended || lineEnd !== -1 || reach.length === longestInlinePair ? this.release(1) : false;
  }

  private stepMemoryOpen(opener: number, ended: boolean): boolean {
    if (!this.lineIsBlank) return this.release(1);
    const behind = this.held.slice(opener).search(/[^ \t\r]/);
    if (behind === -1 && !ended) return false;
    if (behind !== -1 && this.held[opener + behind] !== '\n') return this.release(1);
    this.drop(behind === -1 ? this.held.length : opener + behind);
    this.mode = { kind: 'memory' };
    return true;
  }

  private stepThinking(closer: string, ended: boolean): boolean {
    const close = findCloser(this.held, closer);
    if (close === -1) {
      const known = this.held.length - (ended ? 0 : partialCloser(this.held, closer));
      this.emit('thinking', this.held.slice(0, known));
      this.drop(known);
      return false;
    }
    this.emit('thinking', this.held.slice(0, close));
    this.pieces.push({ kind: 'thinkingEnd' });
    this.drop(close + closer.length);
    this.mode = { kind: 'space' };
    return true;
  }

  private stepMemory(): boolean {
    const close = findCloser(this.held, memoryCloser);
    if (close === -1) {
      this.drop(this.held.length - partialCloser(this.held, memoryCloser));
      return false;
    }
    this.drop(close + memoryCloser.length);
    this.mode = { kind: 'lineEnd' };
    return true;
  }

  private stepSpace(): boolean {
    const text = this.held.search(/\S/);
    const space = text === -1 ? this.held : this.held.slice(0, text);
    if (space.includes('\n')) this.beginLine();
    this.drop(space.length);
    if (text !== -1) this.mode = { kind: 'text' };
    return true;
  }

  private stepLineEnd(): boolean {
    const behind = this.held.search(/[^ \t\r]/);
    if (behind === -1) {
      this.drop(this.held.length);
      return false;
    }
    this.drop(this.held[behind] === '\n' ? behind + 1 : behind);
    this.beginLine();
    this.mode = { kind: 'text' };
    return true;
  }

  private release(count: number): boolean {
    const text = this.held.slice(0, count);
    if (this.lineIsBlank && /\S/.test(text)) this.lineIsBlank = false;
    if (text !== '`' && this.leadingTicks < 3) this.leadingTicks = 0;
    this.emit('text', text);
    this.drop(count);
    return true;
  }

  private countTick(): void {
    if (this.lineIsBlank || this.leadingTicks > 0) {
      this.leadingTicks++;
      if (this.leadingTicks === 3) this.inFence = !this.inFence;
    }
    // A fence's own line is no inline code; elsewhere an odd number of backticks leaves some open.
    this.inInlineCode = this.leadingTicks < 3 && !this.inInlineCode;
  }

  private beginLine(): void {
    this.lineIsBlank = true;
    this.leadingTicks = 0;
    this.inInlineCode = false;
  }

  private drop(count: number): void {
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
