import * as v from 'valibot';

/** Record of a conversation's earlier compressions, used for the next one. It is stored with the conversation, so a
 *  reload keeps it and other sessions are not affected. */
export interface CompressionBackoff {
  /** Failed summaries in a row. */
  readonly failures: number;
  /** No automatic attempt before this time. Seconds since the epoch. */
  readonly quietUntil: number;
  /** Compressions in a row that saved next to nothing. */
  readonly inVain: number;
}

/** Seconds without another attempt after the first, second and every later failure in a row (hermes-agent). */
const coolDowns = [60, 300, 900] as const;
/** After this many useless compressions in a row, none starts automatically. */
const vainAttempts = 2;

const schema = v.object({ failures: v.number(), quietUntil: v.number(), inVain: v.number() });
const fresh: CompressionBackoff = { failures: 0, quietUntil: 0, inVain: 0 };

/** Parses the output of `courseText`. Returns a new record for any other text. */
export function courseOf(text: string | null): CompressionBackoff {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text ?? '');
  return parsed.success ? parsed.output : fresh;
}

/** Returns the record as text. Null when there is nothing to remember. */
export function courseText(course: CompressionBackoff): string | null {
  return course.failures === 0 && course.inVain === 0 ? null : JSON.stringify(course);
}

export function isQuiet({ quietUntil }: CompressionBackoff, now: number): boolean {
  // A time further away than the longest pause means that the clock was set back since.
  return now < quietUntil && quietUntil - now <= coolDowns[2];
}

export function isHopeless({ inVain }: CompressionBackoff): boolean {
  return inVain >= vainAttempts;
}

export function afterFailure(course: CompressionBackoff, now: number): CompressionBackoff {
  return { ...course, failures: course.failures + 1, quietUntil: now + (coolDowns[course.failures] ?? coolDowns[2]) };
}

export function afterSummary(course: CompressionBackoff): CompressionBackoff {
  return { ...course, failures: 0, quietUntil: 0 };
}

export function afterSaving(course: CompressionBackoff, isWorthwhile: boolean): CompressionBackoff {
  return { ...course, inVain: isWorthwhile ? 0 : course.inVain + 1 };
}
