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

/** Parses the output of `backoffText`. Returns a new record for any other text. */
export function backoffOf(text: string | null): CompressionBackoff {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text ?? '');
  return parsed.success ? parsed.output : fresh;
}

/** Returns the record as text. Null when there is nothing to remember. */
export function backoffText(backoff: CompressionBackoff): string | null {
  return backoff.failures === 0 && backoff.inVain === 0 ? null : JSON.stringify(backoff);
}

export function isQuiet({ quietUntil }: CompressionBackoff, now: number): boolean {
  // A time further away than the longest pause means that the clock was set back since.
  return now < quietUntil && quietUntil - now <= coolDowns[2];
}

export function isHopeless({ inVain }: CompressionBackoff): boolean {
  return inVain >= vainAttempts;
}

export function afterFailure(backoff: CompressionBackoff, now: number): CompressionBackoff {
  return {
    ...backoff,
    failures: backoff.failures + 1,
    quietUntil: now + (coolDowns[backoff.failures] ?? coolDowns[2]),
  };
}

export function afterSummary(backoff: CompressionBackoff): CompressionBackoff {
  return { ...backoff, failures: 0, quietUntil: 0 };
}

export function afterSaving(backoff: CompressionBackoff, isWorthwhile: boolean): CompressionBackoff {
  return { ...backoff, inVain: isWorthwhile ? 0 : backoff.inVain + 1 };
}
