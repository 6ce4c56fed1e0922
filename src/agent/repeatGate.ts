import { type ComparedText, judgeRepeat, type RepeatMode, squeezed } from '../transcript/text/repeats';

/** What passed a gate. `joins`: it follows what was delivered as it is; otherwise it begins differently. */
export interface Passed {
  readonly text: string;
  readonly joins: boolean;
}

const nothing: Passed = { text: '', joins: true };

/** Stands between one request and what takes its text: what repeats text that was delivered already is held back until it is known to be new
 *  (nothing delivered can be taken back, so a repeat has to be caught before it is shown). */
export class RepeatGate {
  private held = '';
  private arrived = '';
  private isOpen: boolean;
  private hasDropped = false;
  private readonly delivered: ComparedText;

  /** `delivered`: what there was of this answer, of this kind, when the request began. */
  constructor(
    private readonly mode: RepeatMode,
    delivered: string,
    /** Whether what passes now stands in the same part as what was delivered. */
    private readonly isSamePart: () => boolean,
  ) {
    this.delivered = { text: delivered, squeezed: squeezed(delivered) };
    this.isOpen = this.delivered.squeezed === '';
  }

  /** It is not known yet whether what arrived is new. */
  get isHolding(): boolean {
    return this.held !== '';
  }

  /** A part ended here. Whether all of it passed: what is left of one that was a repeat is not what a signature over the whole was made for. */
  endPart(): boolean {
    const passed = !this.hasDropped;
    this.hasDropped = false;
    return passed;
  }

  /** What of the text may be delivered now. */
  take(text: string): Passed {
    if (this.isOpen) return { text, joins: true };
    this.held += text;
    this.arrived += squeezed(text);
    return this.judge(false);
  }

  /** Nothing more comes: what is still held is a repeat or it is delivered. */
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
    // Half a word must not stand alone: where it cannot join the half that was delivered, the whole is said again.
    const joins =
      verdict.joins &&
      (this.mode === 'goesOn' || this.isSamePart() || !/^\S\S$/.test(held.slice(verdict.from - 1, verdict.from + 1)));
    this.hasDropped = joins && verdict.from > 0;
    return { text: joins ? held.slice(verdict.from) : held, joins };
  }
}
