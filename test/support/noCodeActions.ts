import type { CodeActions } from '../../src/host/webviews/codeHandlers';

/** For tests in which nobody touches the code of an answer: nothing happens, nothing is known. */
export const noCodeActions: CodeActions = {
  insert: () => Promise.resolve(),
  apply: () => Promise.resolve(),
  newFile: () => Promise.resolve(),
  run: () => Promise.resolve(),
  resolve: (texts) => Promise.resolve(texts.map(() => null)),
  openSymbol: () => Promise.resolve(),
};
