import { plainErrors } from '../../../base/threads/calls';
import { serveCalls, threadStart, type CallContext } from '../../../base/threads/served';
import { readablePage } from './readablePage';

/** Entry of `dist/pageWorker.js`: reads one page. */
const methods = {
  read: (_call: CallContext, { html, url }: { readonly html: string; readonly url: string }) => readablePage(html, url),
};
export type PageMethods = typeof methods;

serveCalls(threadStart().channel, plainErrors, methods);
