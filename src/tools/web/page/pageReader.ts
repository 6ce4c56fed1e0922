import { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { bareText, type ReadablePage } from './pageText';

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

function readInThread(
  entry: string,
  page: { readonly html: string; readonly url: string },
  signal: AbortSignal,
): Promise<ReadablePage> {
  const worker = new Worker(entry, {
    workerData: page,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    env: {},
  });
  return new Promise<ReadablePage>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.on('message', (message: unknown) => {
      const read = v.safeParse(answer, message);
      if (read.success) resolve(read.output);
      else reject(new Error('The thread that reads pages answered in a way that is not understood.'));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('The thread that reads pages ended.')));
  }).finally(() => {
    worker.terminate().catch(() => undefined);
  });
}
