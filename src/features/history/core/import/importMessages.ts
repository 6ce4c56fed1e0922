import type { StoreErrorData } from '../../../../store/storeError';
import type { ForeignSession } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { ImportProgress, ImportResult, OpenedExport, OpenedFile, Preview, Scan, SessionFile } from './importing';
import type { ImportTarget } from './importTarget';

/** Messages between a caller's thread and that of an import. Both sides come from one build, so messages are typed
 *  and not validated. The import's thread reads and converts; it asks the caller's thread for each call of the
 *  store. */
export type ImportTask =
  | {
      readonly kind: 'scan';
      readonly places: HistoryPlaces;
      readonly isOnlyChosen: boolean;
      readonly files: readonly SessionFile[] | null;
    }
  | { readonly kind: 'openExport'; readonly path: string }
  | { readonly kind: 'openFile'; readonly path: string }
  | { readonly kind: 'preview'; readonly found: readonly ForeignSession[] }
  | { readonly kind: 'run'; readonly found: readonly ForeignSession[]; readonly includeForgotten: boolean };

export interface TaskResults {
  readonly scan: Scan;
  readonly openExport: OpenedExport;
  readonly openFile: OpenedFile;
  readonly preview: Preview;
  readonly run: ImportResult;
}

type TargetMethod = keyof ImportTarget;
export type TargetCall = {
  readonly [M in TargetMethod]: { readonly method: M; readonly args: Parameters<ImportTarget[M]> };
}[TargetMethod];

export type ToImport =
  | { readonly kind: 'task'; readonly id: number; readonly task: ImportTask }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'stored'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly call: number; readonly error: StoreErrorData };

export type FromImport =
  | { readonly kind: 'store'; readonly call: number; readonly request: TargetCall }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: number | ImportProgress }
  | { readonly kind: 'done'; readonly id: number; readonly value: TaskResults[keyof TaskResults] }
  | { readonly kind: 'failed'; readonly id: number; readonly error: StoreErrorData };

/** Start parameters of the thread. */
export interface ImportThread {
  /** Folder used only for its private copies of databases. */
  readonly copies: string;
}
