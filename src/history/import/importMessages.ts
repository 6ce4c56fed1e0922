import type { StoreErrorData } from '../../store/storeError';
import type { ForeignSession } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { ImportCourse, ImportProgress, ScanCourse } from './importing';
import type { ImportTarget } from './importTarget';

/** Messages between the thread that asks for an import and the one that does it. Both sides come from one build, so
 *  messages are typed and not validated. A thread does one job. */
export type ImportJob =
  | { readonly kind: 'scan'; readonly places: HistoryPlaces; readonly course: Pick<ScanCourse, 'isOnlyChosen'> }
  | { readonly kind: 'preview'; readonly found: readonly ForeignSession[] }
  | {
      readonly kind: 'run';
      readonly found: readonly ForeignSession[];
      readonly course: Pick<ImportCourse, 'includeForgotten'>;
    };

/** Start parameters of the thread. */
export interface ImportThread {
  readonly job: ImportJob;
  /** Folder used only for private copies of other programs' databases. */
  readonly copies: string;
}

export type TargetMethod = keyof ImportTarget;

export type ToImport =
  | { readonly kind: 'abort' }
  | { readonly kind: 'stored'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly error: StoreErrorData };

export type FromImport =
  | { readonly kind: 'progress'; readonly progress: ImportProgress | number }
  /** A call of the store, which only the asking thread reaches. */
  | { readonly kind: 'store'; readonly id: number; readonly method: TargetMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: StoreErrorData; readonly isAborted: boolean };
