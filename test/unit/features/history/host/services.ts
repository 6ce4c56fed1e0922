import type { ImportTarget } from '../../../../../src/features/history/core/import/importing';
import type { HistoryServices } from '../../../../../src/features/history/host/historyServices';

export type GivenServices = Partial<Omit<HistoryServices, 'store' | 'ids' | 'transcripts'>> & {
  readonly store?: Partial<HistoryServices['store']>;
  readonly ids?: Partial<HistoryServices['ids']>;
  readonly transcripts?: Pick<HistoryServices['transcripts'], 'current'>;
};

/** Services of a window that has only these. */
export function servicesOf(given: GivenServices): HistoryServices {
  return given as HistoryServices;
}

const refuse = (): Promise<never> => Promise.reject(new Error('Nothing is imported row by row here.'));

/** A store that no reader may write to. */
export const unusedTarget: ImportTarget = {
  importStates: refuse,
  beginImport: refuse,
  importWhole: refuse,
  addImported: refuse,
  finishImport: refuse,
  discardImport: refuse,
  extendImport: refuse,
};
