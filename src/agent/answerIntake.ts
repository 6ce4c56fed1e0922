import type { StreamEvent } from '../models/chatModel';
import type { RepeatMode } from '../transcript/repeats';
import type { DeliveredKind, ProviderMetadata } from '../transcript/part';
import { OutputFilter, type OutputPiece } from './outputFilter';
import { RepeatGate } from './repeatGate';
import type { TurnRecorder } from './turnRecorder';

type DeliveredEvent = Extract<StreamEvent, { readonly kind: 'text' | 'thinking' | 'partEnd' }>;

/** The way of one request's text into the recorder: tags taken out, repeats of earlier requests of the same answer held back. What the
 *  recorder is given is what is stored and shown; nothing is changed after it. One intake serves one request, so text of a request that
 *  was given up cannot reach the recorder through the next one. */
export class AnswerIntake {
  private readonly filter = new OutputFilter();
  private readonly gates: { readonly [K in DeliveredKind]: RepeatGate };

  /** A thinking part of the provider's own is open. Not every provider says where one ends. */
  private isThinking = false;

  constructor(
    private readonly recorder: TurnRecorder,
    mode: RepeatMode,
  ) {
    const text = recorder.answerSoFar('text');
    this.gates = {
      // Set apart as a paragraph, unless a line's end already does so.
      text: new RepeatGate(mode, text, text.endsWith('\n') ? '' : '\n\n', () => recorder.isOpen('text')),
      thinking: new RepeatGate('again', recorder.answerSoFar('thinking'), '', () => recorder.isOpen('thinking')),
    };
    recorder.resumeAnswer();
  }

  take(event: DeliveredEvent): void {
    switch (event.kind) {
      case 'text':
        if (this.isThinking) this.endThinking(undefined);
        this.passAll(this.filter.take(event.text));
        break;
      case 'thinking':
        this.endText();
        this.isThinking = true;
        this.pass('thinking', event.text);
        break;
      case 'partEnd':
        if (event.of === 'text') this.endTextPart(event.metadata);
        else this.endThinking(event.metadata);
        break;
      default:
        event satisfies never;
    }
  }

  /** The request ended by itself: what was held back is delivered, unless it was a repeat to its last word. */
  finish(): void {
    this.endText();
    this.endThinking(undefined);
  }

  private passAll(pieces: readonly OutputPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'thinkingEnd') this.endThinking(undefined);
      else if (piece.kind === 'thinking') {
        this.releaseText();
        this.pass('thinking', piece.text);
      } else this.pass('text', piece.text);
    }
  }

  private pass(kind: DeliveredKind, text: string): void {
    const known = this.gates[kind].take(text);
    if (known !== '') this.recorder.deliver(kind, known);
  }

  private endText(): void {
    this.passAll(this.filter.end());
    this.releaseText();
  }

  private releaseText(): void {
    const rest = this.gates.text.end();
    if (rest !== '') this.recorder.deliver('text', rest);
  }

  private endTextPart(metadata: ProviderMetadata | undefined): void {
    this.passAll(this.filter.end());
    // Text that is still held may go on to repeat; the end of its part changes nothing for what was delivered before.
    if (!this.gates.text.isHolding) this.recorder.endPart('text', this.gates.text.endPart() ? metadata : undefined);
  }

  private endThinking(metadata: ProviderMetadata | undefined): void {
    this.isThinking = false;
    const gate = this.gates.thinking;
    const rest = gate.end();
    if (rest !== '') this.recorder.deliver('thinking', rest);
    this.recorder.endPart('thinking', gate.endPart() ? metadata : undefined);
  }
}
