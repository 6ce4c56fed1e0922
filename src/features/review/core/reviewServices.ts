import type { Clock } from '../../../base/clock';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { FileEditor } from '../../../tools/files/fileEditor';

/** The window's services that review and revert changed files. */
export interface ReviewServices {
  readonly store: Pick<
    SessionStore,
    | 'recordFileChanges'
    | 'completeFileChanges'
    | 'fileChangesOf'
    | 'fileChangesFrom'
    | 'fileChangesAt'
    | 'changedPaths'
    | 'fileContent'
    | 'markReviewed'
    | 'getTurn'
  >;
  readonly editor: FileEditor;
  /** Writes a file that is not text; the editor has no undo for it. null: deletes the file. Parents of a new file are
   *  created. */
  readonly writeRaw: (path: string, bytes: Uint8Array | null) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uid'>;
  /** Converts a path to the form that users read. */
  readonly shown: (path: string) => string;
  /** False when the user declined. Asks for files that are not plainly the workspace's own: the record of a change may
   *  have come with a session that somebody else wrote. `bytes` null: the file is deleted. */
  readonly mayWrite: (path: string, bytes: Uint8Array | null) => Promise<boolean>;
  readonly log: Log;
}
