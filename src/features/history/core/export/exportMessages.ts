import type { ExportRequest } from './exportFile';

/** Start parameters of a thread, which writes one file and ends. Both sides come from one build, so messages are typed
 *  and not validated. */
export interface ExportThread {
  /** Folder of the store. */
  readonly store: string;
  /** Folder for private copies. */
  readonly copies: string;
  readonly request: ThreadRequest;
}

/** Texts of the file are in the language of the caller's thread. */
export type ThreadRequest = Omit<ExportRequest, 't'>;
