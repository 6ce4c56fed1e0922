import { type ComparedText, judgeRepeat, type RepeatMode, squeezed } from '../transcript/text/repeats';

/** Text that passed a gate. `joins`: it continues the delivered text directly; otherwise it is a new beginning. */
export interface Passed {
  readonly text: string;
  readonly joins: boolean;
}

const nothing: Passed = { text: '', joins: true };

/** Filters the text of one request. Holds back text that repeats delivered text until it is known to be new.
 *  Delivered text cannot be taken back, so a repeat must be caught before it is shown. */
export class RepeatGate {
  private held = '';
  private arrived = '';
  private isOpen: boolean;
  private hasDropped = false;
  private readonly delivered: ComparedText;

  /** `delivered`: this answer's text of this kind when the request began. */
  constructor(
    private readonly mode: RepeatMode,
    delivered: string,
    /** True when passing text goes to the same part as the delivered text. */
    private readonly isSamePart: () => boolean,
  ) {
    this.delivered = { text: delivered, squeezed: squeezed(delivered) };
    this.isOpen = this.delivered.squeezed === '';
  }

  /** True while it is unknown if the arrived text is new. */
  get isHolding(): boolean {
    return this.held !== '';
  }

  /** Called when a part ended. Returns true when all of it passed: a signature over the whole part does not fit the
   *  rest of a repeat. */
  endPart(): boolean {
    const passed = !this.hasDropped;
    this.hasDropped = false;
    return passed;
  }

  /** Returns the text that may be delivered now. */
  take(text: string): Passed {
    if (this.isOpen) return { text, joins: true };
    this.held += text;
    this.arrived += squeezed(text);
    return this.judge(false);
  }

  /** Called when no more text comes. Held-back text is dropped if it is a repeat, otherwise delivered. */
  end(): Passed {
    return this.isOpen || this.held === '' ? nothing : this.judge(true);
  }

  private judge(ended: boolean): Passed {
    const verdict = judgeRepeat(this.mode, this.delivered, { text: this.held, squeezed: this.arrived }, ended);
    if (verdict.kind === 'undecided') return nothing;
    const { held } = this;
    this.held = '';
    this.isOpen = true;
    if (verdict.kind === 'repeat') {
      this.hasDropped = true;
      return nothing;
    }
    // Half a word must not be delivered alone: if it cannot join the delivered half, the whole text is delivered again.
    const joins =
      verdict.joins &&
      (this.mode === 'goesOn' || this.isSamePart() || !/^\S\S$/.test(held.slice(verdict.from - 1, verdict.from + 1)));
    this.hasDropped = joins && verdict.from > 0;
    return { text: joins ? held.slice(verdict.from) : held, joins };
  }
}
