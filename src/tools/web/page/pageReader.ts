import * as v from 'valibot';
import { callOnce } from '../../../base/threads/calledThread';
import { plainErrors } from '../../../base/threads/calls';
import { startThread } from '../../../base/threads/channel';
import { bareText, type ReadablePage } from './pageText';
import type { PageMethods } from './pageWorker';

/** Converts a page to text. Rejects only when aborted. */
export type ReadPage = (html: string, url: string, signal: AbortSignal) => Promise<ReadablePage>;

const usualTimeoutMs = 10_000;
const mostMegabytes = 256;
const answer = v.object({ title: v.string(), text: v.string() });

/** Reads each page in its own worker thread, started from the bundle at `entry`. A slow or huge page stops only that
 *  thread, not the editor, and is returned as bare text. */
export function pageReader(entry: string, timeoutMs = usualTimeoutMs): ReadPage {
  return async (html, url, signal) => {
    signal.throwIfAborted();
    try {
      return await readInThread(entry, { html, url }, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    } catch (error) {
      if (signal.aborted) throw error;
      return { title: '', text: bareText(html) };
    }
  };
}

async function readInThread(
  entry: string,
  page: { readonly html: string; readonly url: string },
  signal: AbortSignal,
): Promise<ReadablePage> {
  const resourceLimits = { maxOldGenerationSizeMb: mostMegabytes };
  const options = {
    start: () => startThread(entry, { name: 'hermes-page', resourceLimits, environment: {} }),
    errors: plainErrors,
    ended: (technical: string) => new Error(technical),
  };
  const read = await callOnce<PageMethods, 'read'>(options, 'read', [page], { signal, leavesAtOnce: true });
  // The thread has read what anyone may have written.
  return v.parse(answer, read);
}
