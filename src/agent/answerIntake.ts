import type { StreamEvent } from '../models/chatModel';
import { type RepeatMode, type ComparedText, judgeRepeat, squeezed } from '../transcript/text/repeats';
import type { DeliveredKind, ProviderMetadata } from '../transcript/part';
import { OutputFilter, type OutputPiece } from './outputFilter';
import type { TurnRecorder } from './turnRecorder';

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

/** The recorder methods that an intake uses. */
type AnswerRecorder = Pick<TurnRecorder, 'deliver' | 'endPart' | 'answerSoFar' | 'isOpen' | 'resumeAnswer'>;

type DeliveredEvent = Extract<StreamEvent, { readonly kind: 'text' | 'thinking' | 'partEnd' }>;

/** Passes an answer's text to the recorder. A gate per request holds back text that repeats earlier text. The rest
 *  goes through one filter for the whole answer, which removes tags. The recorder stores and shows its input;
 *  nothing changes it afterwards. Repeats are found in the model's raw output. A repeated request is compared with
 *  the earlier requests, a continued one with the text that the model was given. */
export class AnswerIntake {
  private readonly filter: OutputFilter;
  /** The raw text of the answer, without repeats. */
  private raw: string;
  private gates: { readonly [K in DeliveredKind]: RepeatGate } | null = null;
  /** True while a thinking part of the provider's own format is open. Not every provider marks its end. */
  private isThinking = false;
  /** True after a text part ended. At the end of a request this means nothing: the next request may continue in the
   *  middle of a word. */
  private textEnded = false;

  constructor(private readonly recorder: AnswerRecorder) {
    this.raw = recorder.answerSoFar('text');
    this.filter = new OutputFilter(this.raw);
  }

  /** The answer's text so far, including text held back because it may be part of a tag. */
  get text(): string {
    return this.recorder.answerSoFar('text') + this.filter.heldText;
  }

  /** True when text has arrived that may be part of a tag. */
  get isHolding(): boolean {
    return this.filter.heldText.trim() !== '';
  }

  /** True while thinking in tags has begun and is not closed yet. */
  get isInThinking(): boolean {
    return this.filter.isThinking;
  }

  /** Begins a request. Later events of the previous request are ignored. */
  begin(mode: RepeatMode): void {
    const { recorder } = this;
    recorder.resumeAnswer();
    this.isThinking = false;
    this.textEnded = false;
    this.passAll(this.filter.beginRequest(mode === 'goesOn'));
    this.gates = {
      text: new RepeatGate(mode, mode === 'again' ? this.raw : this.text, () => recorder.isOpen('text')),
      thinking: new RepeatGate(mode === 'again' ? 'again' : 'thinksOn', recorder.answerSoFar('thinking'), () =>
        recorder.isOpen('thinking'),
      ),
    };
  }

  take(event: DeliveredEvent): void {
    switch (event.kind) {
      case 'text':
        if (this.isThinking) this.endThinking(undefined);
        if (this.textEnded) this.endTextPart(undefined);
        this.passText(this.gate('text').take(event.text));
        break;
      case 'thinking':
        this.endText();
        this.isThinking = true;
        this.passThinking(this.gate('thinking').take(event.text));
        break;
      case 'partEnd':
        if (event.of === 'thinking') this.endThinking(event.metadata);
        else if (event.metadata === undefined) this.textEnded = true;
        else this.endTextPart(event.metadata);
        break;
      default:
        event satisfies never;
    }
  }

  /** Called when the request ended normally. Held-back text is dropped if it is a repeat, otherwise delivered. Text
   *  that may be part of a tag waits for the next request. */
  endRequest(): void {
    this.releaseText();
    this.endThinking(undefined);
  }

  /** Called when the answer ended. `isComplete`: the model ended it. Unclosed thinking in tags may hold the answer,
   *  so it is also delivered as text. */
  finish(isComplete: boolean): void {
    this.endText();
    this.endThinking(undefined);
    const { unclosed } = this.filter;
    if (isComplete && unclosed.trim() !== '') this.recorder.deliver('text', unclosed.trimStart());
  }

  private passAll(pieces: readonly OutputPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'thinkingEnd') this.recorder.endPart('thinking', undefined);
      else this.recorder.deliver(piece.kind, piece.text);
    }
  }

  private passText({ text, joins }: Passed): void {
    if (text === '') return;
    if (!joins) this.passAll(this.filter.end());
    const answer = this.recorder.answerSoFar('text');
    // Starts a new paragraph, unless the text already ends with a line break.
    const apart = joins || answer.trim() === '' || answer.endsWith('\n') ? '' : '\n\n';
    this.raw += apart + text;
    this.passAll(this.filter.take(apart + text));
  }

  private passThinking({ text }: Passed): void {
    if (text !== '') this.recorder.deliver('thinking', text);
  }

  private endText(): void {
    this.textEnded = false;
    this.releaseText();
    this.passAll(this.filter.end());
    this.filter.beginPart();
  }

  private releaseText(): void {
    if (this.gates !== null) this.passText(this.gates.text.end());
  }

  private endTextPart(metadata: ProviderMetadata | undefined): void {
    this.textEnded = false;
    const gate = this.gate('text');
    // Held-back text may still turn out to be a repeat. The end of its part changes nothing about earlier delivered
    // text.
    if (gate.isHolding) return;
    this.passAll(this.filter.end());
    this.filter.beginPart();
    this.recorder.endPart('text', gate.endPart() ? metadata : undefined);
  }

  private endThinking(metadata: ProviderMetadata | undefined): void {
    this.isThinking = false;
    if (this.gates === null) return;
    const gate = this.gates.thinking;
    this.passThinking(gate.end());
    this.recorder.endPart('thinking', gate.endPart() ? metadata : undefined);
  }

  private gate(kind: DeliveredKind): RepeatGate {
    if (this.gates === null) throw new Error('Text came before its request began.');
    return this.gates[kind];
  }
}
