const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
const month = 31 * day;

export interface RotatedBackup {
  readonly id: string;
  /** Seconds since 1970. */
  readonly madeAt: number;
  /** False for one that the user asked for, or that was made before a migration or a restore. */
  readonly isScheduled: boolean;
}

/** Backups to keep: the newest of each hour of the last day, of each day of the last week, and of each week of the last
 *  month. Those that were not made by the schedule are kept for a month. The newest is always kept. Then the oldest
 *  ones go until `bytesOf`, the room that the given backups take together, is at most `limit`. Pure. */
export function keptBackups(
  backups: readonly RotatedBackup[],
  now: number,
  limit: { readonly bytes: number; readonly bytesOf: (ids: readonly string[]) => number },
): readonly string[] {
  const newestFirst = [...backups].sort((one, other) => other.madeAt - one.madeAt || (one.id < other.id ? 1 : -1));
  const periods = new Set<string>();
  let kept = newestFirst
    .filter((backup, index) => {
      const isFirstOf = periodsOf(backup.madeAt, now).filter((period) => !periods.has(period));
      for (const period of isFirstOf) periods.add(period);
      return index === 0 || isFirstOf.length > 0 || (!backup.isScheduled && now - backup.madeAt < month);
    })
    .map(({ id }) => id);
  while (kept.length > 1 && limit.bytesOf(kept) > limit.bytes) kept = kept.slice(0, -1);
  return kept;
}

/** The hour, day and week that count for a backup of this age. A time in the future comes from a clock that was
 *  ahead, and counts as now. */
function periodsOf(madeAt: number, now: number): readonly string[] {
  const age = now - madeAt;
  const periods: string[] = [];
  if (age < day) periods.push(`hour ${Math.floor(madeAt / hour)}`);
  if (age < week) periods.push(`day ${Math.floor(madeAt / day)}`);
  if (age < month) periods.push(`week ${Math.floor(madeAt / week)}`);
  return periods;
}
