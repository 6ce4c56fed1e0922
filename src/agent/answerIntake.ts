import type { StreamEvent } from '../models/chatModel';
import type { RepeatMode } from '../transcript/text/repeats';
import type { DeliveredKind, ProviderMetadata } from '../transcript/part';
import { OutputFilter, type OutputPiece } from './outputFilter';
import { type Passed, RepeatGate } from './repeatGate';
import type { TurnRecorder } from './turnRecorder';

/** What an intake needs of the recorder. */
export type AnswerRecorder = Pick<TurnRecorder, 'deliver' | 'endPart' | 'answerSoFar' | 'isOpen' | 'resumeAnswer'>;

type DeliveredEvent = Extract<StreamEvent, { readonly kind: 'text' | 'thinking' | 'partEnd' }>;

/** The way of an answer's text into the recorder. What a request says again is held back (a gate for each request), what passes goes through one filter
 *  that takes tags out and knows the whole answer, and what the recorder is given is stored and shown; nothing is changed after it. Text is compared
 *  as it came from the model: with the requests before where the same request is repeated, with what the model was given where it goes on. */
export class AnswerIntake {
  private readonly filter: OutputFilter;
  /** The text of the answer as it came, repeats left out. */
  private raw: string;
  private gates: { readonly [K in DeliveredKind]: RepeatGate } | null = null;
  /** A thinking part of the provider's own is open. Not every provider says where one ends. */
  private isThinking = false;
  /** A text part ended. At the end of a request that means nothing: the next one may go on in the middle of a word. */
  private textEnded = false;

  constructor(private readonly recorder: AnswerRecorder) {
    this.raw = recorder.answerSoFar('text');
    this.filter = new OutputFilter(this.raw);
  }

  /** The answer's text so far, with what is held back because it may be part of a tag. */
  get text(): string {
    return this.recorder.answerSoFar('text') + this.filter.heldText;
  }

  /** Text has arrived that may be part of a tag. */
  get isHolding(): boolean {
    return this.filter.heldText.trim() !== '';
  }

  /** Thinking in tags has begun and nothing has closed it yet. */
  get isInThinking(): boolean {
    return this.filter.isThinking;
  }

  /** Begins a request. What comes of the one before is not taken any more. */
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

  /** The request ended by itself: what was held back as a repeat is one, or it is delivered. What may be part of a tag waits for the next request. */
  endRequest(): void {
    this.releaseText();
    this.endThinking(undefined);
  }

  /** The answer ended. `isComplete`: the model ended it. Thinking in tags that nothing has closed may hold the answer, so it is said as text too. */
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
    const said = this.recorder.answerSoFar('text');
    // Set apart as a paragraph, unless a line's end already does so.
    const apart = joins || said.trim() === '' || said.endsWith('\n') ? '' : '\n\n';
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
    // Text that is still held may go on to repeat; the end of its part changes nothing for what was delivered before.
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
