import { t } from '../../../../../base/translate';
import type { SourceName } from '../../../../../transcript/sourceTitles';
import type { ForeignSession, SessionFacts, SkipKind } from '../foreign';
import type { Found } from '../historySource';

/** A session in a file. Facts that are not given are not known. */
export function foundSession(
  source: SourceName,
  path: string,
  { key = null, ...facts }: Partial<ForeignSession> & Pick<ForeignSession, 'id'> & { readonly key?: string | null },
): Extract<Found, { kind: 'session' }> {
  const unknown = { lineage: null, title: null, folder: null, model: null, usage: null, writtenBy: null };
  const session = { ...unknown, startedAt: null, endedAt: null, messageCount: null, ...facts };
  return { kind: 'session', session: { ...session, source, location: { path, key } } };
}

/** A file without a session that can be read. */
export function skippedFile(path: string, kind: SkipKind, reason: string): Found {
  return { kind: 'skipped', skipped: { place: { path, unit: 'file', number: 1 }, kind, reason } };
}

export function emptyFile(path: string): Found {
  return skippedFile(path, 'bookkeeping', t('The file holds no message.'));
}

/** A file of a later version than `newest`. */
export function newerFile(path: string, version: number, newest: number): Found {
  const reason = t('The file has version {version}. Versions up to {newest} can be read.', {
    version: String(version),
    newest: String(newest),
  });
  return skippedFile(path, 'unknown', reason);
}

/** The first and the last of these times. */
export function timeSpan(times: readonly (number | null)[]): Pick<SessionFacts, 'startedAt' | 'endedAt'> {
  const known = times.filter((time) => time !== null);
  if (known.length === 0) return { startedAt: null, endedAt: null };
  return { startedAt: known.reduce((a, b) => Math.min(a, b)), endedAt: known.reduce((a, b) => Math.max(a, b)) };
}

const longestTitle = 100;

/** First line of a prompt, for sessions without a title. Null when it has no text. */
export function shortTitle(text: string): string | null {
  const line = text
    .split('\n')
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .find((part) => part !== '');
  if (line === undefined) return null;
  const characters = [...line];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}
