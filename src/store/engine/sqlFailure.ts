import { t } from '../../base/translate';
import { errorMessage } from '../../base/errorMessage';
import { StoreError } from '../storeError';
import type { StoreErrorCause } from '../storeError';
import type { DiskFailure } from './databaseFiles';

/** What a trigger says that refuses to change a session which a newer build continued on another machine. */
export const newerGuard = 'session of a newer store';

/** Maps SQLite's message to a cause class (sql.js passes on no code). First match wins. */
const byMessage: readonly (readonly [pattern: RegExp, cause: StoreErrorCause])[] = [
  [/constraint failed|datatype mismatch|string or blob too big/, 'invalid'],
  [/database or disk is full/, 'full'],
  [/malformed|file is not a database|corrupt/, 'corrupt'],
  [/readonly database/, 'readOnly'],
  [/database (table )?is locked|locking protocol/, 'locked'],
];

const byErrno: Readonly<Record<string, StoreErrorCause>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'readOnly',
  EPERM: 'readOnly',
};

const sentences = (): Record<StoreErrorCause, string> => ({
  full: t(
    'The disk is full, so this could not be saved. Free some space, then try again; what was saved before is safe.',
  ),
  readOnly: t(
    'The folder that holds your sessions cannot be written to. Make it writable, or choose another folder in the setting "hermes.storage.path".',
  ),
  corrupt: t(
    'The file that holds your sessions is damaged. Hermes keeps it and moves everything readable into a new file. If this message stays, choose Try Again.',
  ),
  locked: t('Your sessions are in use by another window. Continue there, or close it and try again.'),
  replaced: t('Another window has taken over your sessions, so this window can no longer save.'),
  deleted: t(
    'The lock file for your sessions was deleted. Everything shown is saved. Hermes opens your sessions again.',
  ),
  newer: t(
    'Your sessions were saved by a newer version of Hermes. Update the extension to open them; nothing was changed.',
  ),
  invalid: t('This was not saved because it conflicts with stored data. Reload the window and try again.'),
  'conversation-busy': t('This conversation is still being answered.'),
  'not-found': t('This no longer exists.'),
  unknown: t(
    'Your sessions couldn’t be read or saved because the disk reported a problem. Reload the window; if it happens again, check the disk.',
  ),
});

/** The standard sentence of a cause, followed by the technical reason. */
export function storeError(cause: StoreErrorCause, technical: string): StoreError {
  return new StoreError(cause, sentences()[cause], technical);
}

/** The error for a session of which this build knows only a part. */
export function newerSession(technical: string): StoreError {
  return new StoreError(
    'invalid',
    t(
      'This session was saved by a newer version of Hermes on another machine. Update the extension to continue it here. Until then you can read it.',
    ),
    technical,
  );
}

/** The error of a store on a full disk that is open for reading only. */
export function readableOnly({ technical }: StoreError): StoreError {
  return new StoreError(
    'full',
    t(
      'The disk is full, so nothing can be saved now. Everything saved before is safe. Free some space, and Hermes saves again.',
    ),
    technical,
  );
}

/** Wraps a failed file system call. */
export function diskError(operation: string, path: string, errno: string): StoreError {
  return storeError(byErrno[errno] ?? 'unknown', `${errno}: ${operation} ${path}`);
}

/** Classifies an error thrown by SQLite. SQLite's message decides when it is specific. The disk's own reason decides
 *  when SQLite only knows that some call failed: "disk I/O error", "unable to open", or the "out of memory" that
 *  sql.js reports for a connection that never opened. */
export function sqlFailure(error: unknown, disk: DiskFailure | undefined, sql?: string): StoreError {
  if (error instanceof StoreError) return error;
  // A few code paths of sql.js throw plain strings.
  const text = errorMessage(error);
  const reason = disk === undefined ? '' : ` (${disk.errno}: ${disk.operation} ${disk.path})`;
  const statement = sql === undefined ? '' : ` in: ${sql.replace(/\s+/g, ' ').slice(0, 200)}`;
  const technical = `SQLite: ${text}${reason}${statement}`;
  if (text.includes(newerGuard)) return newerSession(technical);
  const known = byMessage.find(([pattern]) => pattern.test(text))?.[1];
  return storeError(known ?? (disk === undefined ? undefined : byErrno[disk.errno]) ?? 'unknown', technical);
}
