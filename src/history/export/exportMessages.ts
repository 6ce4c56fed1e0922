import type { StoreErrorData } from '../../store/storeError';
import type { ExportCourse } from './exportCourse';
import type { ExportedFile, ExportRequest } from './exportFile';

export type ExportProgress = Parameters<ExportCourse['onProgress']>[0];

/** Start parameters of a thread, which writes one file and ends. Both sides come from one build, so messages are typed
 *  and not validated. */
export interface ExportThread {
  /** Folder of the store. */
  readonly store: string;
  /** Folder for private copies. */
  readonly copies: string;
  readonly request: ThreadRequest;
}

/** Shared with the thread: not zero once the export is stopped. */
export interface ExportStop {
  readonly stop: Int32Array;
}

/** Texts of the file are in the language of the caller's thread. */
export type ThreadRequest = Omit<ExportRequest, 't'>;

export type FromExport =
  | { readonly kind: 'progress'; readonly progress: ExportProgress }
  | { readonly kind: 'done'; readonly file: ExportedFile }
  | { readonly kind: 'failed'; readonly error: StoreErrorData };
