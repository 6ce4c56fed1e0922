import { AnswerBuffer } from '../../src/agent/answerBuffer';
import { AnswerIntake } from '../../src/agent/answerIntake';
import type { DeliveredKind } from '../../src/transcript/part';
import type { RepeatMode } from '../../src/transcript/text/repeats';

/** One request of an answer: the text of its deltas. */
export interface AnswerRequest {
  readonly mode: RepeatMode;
  readonly deltas: readonly string[];
}

export interface ReadPart {
  readonly kind: DeliveredKind;
  readonly text: string;
}

/** The parts that an answer of these requests is stored and shown as. */
export function partsOf(requests: readonly AnswerRequest[], isComplete = true): readonly ReadPart[] {
  const buffer = new AnswerBuffer('answer');
  const intake = new AnswerIntake({
    deliver: (kind, text) => buffer.add(kind, text),
    endPart: (kind, metadata) => buffer.end(kind, metadata),
    answerSoFar: (kind) => buffer.textOf(kind),
    isOpen: (kind) => buffer.isOpen(kind),
    resumeAnswer: () => buffer.reopen(),
  });
  for (const { mode, deltas } of requests) {
    intake.begin(mode);
    for (const text of deltas) intake.take({ kind: 'text', text });
    intake.take({ kind: 'partEnd', of: 'text' });
    intake.endRequest();
  }
  intake.finish(isComplete);
  buffer.markStored(buffer.nextChunks(true));
  return buffer
    .storedParts()
    .flatMap((part) => (part.kind === 'toolCall' ? [] : [{ kind: part.kind, text: part.text }]));
}

/** An answer that was cut at the output limit, and goes on where it stopped. */
export function continued(answer: string, ...cuts: readonly number[]): readonly AnswerRequest[] {
  const ends = [...cuts, answer.length];
  return ends.map((end, index) => ({
    mode: index === 0 ? 'again' : 'goesOn',
    deltas: [answer.slice(ends[index - 1] ?? 0, end)],
  }));
}
