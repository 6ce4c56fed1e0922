import type { ImportTarget } from '../../../../../src/features/history/core/import/importTarget';

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
