import * as v from 'valibot';

/** What a conversation's earlier compressionScheduler say about the next one. It is kept with the conversation, so that a reload does not forget it
 *  and another session never hears of it. */
export interface CompressionCourse {
  /** Summaries that could not be had, in a row. */
  readonly failures: number;
  /** Nothing is tried by itself before; seconds since the epoch. */
  readonly quietUntil: number;
  /** CompressionScheduler that saved next to nothing, in a row. */
  readonly inVain: number;
}

/** Seconds without a further attempt after the first, second and every later failure in a row (hermes-agent). */
const coolDowns = [60, 300, 900] as const;
/** After so many in a row that were in vain, none is due by itself. */
const vainAttempts = 2;

const schema = v.object({ failures: v.number(), quietUntil: v.number(), inVain: v.number() });
const fresh: CompressionCourse = { failures: 0, quietUntil: 0, inVain: 0 };

/** Reads what `courseText` wrote; anything else is a fresh course. */
export function courseOf(text: string | null): CompressionCourse {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text ?? '');
  return parsed.success ? parsed.output : fresh;
}

/** Null where there is nothing to remember. */
export function courseText(course: CompressionCourse): string | null {
  return course.failures === 0 && course.inVain === 0 ? null : JSON.stringify(course);
}

export function isQuiet({ quietUntil }: CompressionCourse, now: number): boolean {
  // Further away than the longest pause: the clock was set back since.
  return now < quietUntil && quietUntil - now <= coolDowns[2];
}

export function isHopeless({ inVain }: CompressionCourse): boolean {
  return inVain >= vainAttempts;
}

export function afterFailure(course: CompressionCourse, now: number): CompressionCourse {
  return { ...course, failures: course.failures + 1, quietUntil: now + (coolDowns[course.failures] ?? coolDowns[2]) };
}

export function afterSummary(course: CompressionCourse): CompressionCourse {
  return { ...course, failures: 0, quietUntil: 0 };
}

export function afterSaving(course: CompressionCourse, isWorthwhile: boolean): CompressionCourse {
  return { ...course, inVain: isWorthwhile ? 0 : course.inVain + 1 };
}
