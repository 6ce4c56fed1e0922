import type { SqlDatabase } from '../../engine/sqlDatabase';
import { countOf, latestTime, readTime } from './columns';

/** Seconds by which a clock may differ before it counts as wrong. */
const tolerance = 60;
/** Seconds; separates two times that would otherwise be equal. */
export const instant = 0.001;

/** Returns the time that puts an event at `at` at the top of the list. Session times in the future come from a clock
 *  that was ahead: they become times just before `at`, in the same order. But if most sessions also started in the
 *  future, this clock is behind: then their times stay, and the top is above them. Runs inside its caller's
 *  transaction. */
export function topTime(database: SqlDatabase, at: number, now: number): number {
  const future = now + tolerance;
  const moment = Math.min(at, future);
  if (database.get('SELECT 1 AS n FROM sessions WHERE last_activity_at > ? LIMIT 1', [future]) === undefined)
    return moment;
  const begunLater = countOf(database, 'SELECT count(*) AS n FROM sessions WHERE started_at > ? AND started_at <= ?', [
    future,
    latestTime,
  ]);
  if (begunLater * 2 > countOf(database, 'SELECT count(*) AS n FROM sessions')) {
    const latest =
      database.get('SELECT max(last_activity_at) AS latest FROM sessions WHERE last_activity_at <= ?', [latestTime]) ??
      {};
    return readTime(latest, 'latest', moment) + instant;
  }
  database.run(
    `UPDATE sessions SET last_activity_at = ?1 - later.place * ?2
     FROM (SELECT id, row_number() OVER (ORDER BY last_activity_at DESC, rowid) AS place FROM sessions
       WHERE last_activity_at > ?3) AS later
     WHERE sessions.id = later.id`,
    [moment, instant, future],
  );
  return moment;
}
