import { SyncFailure } from '../syncFailure';

/** Bytes that are sent or received in one piece: five seconds at 100 KB/s. A cut connection loses no more. */
export const pageBytes = 2 ** 19;
/** Documents of a page. */
export const pageRows = 500;
/** Pages of one conversation after which others have their turn. */
export const pagesAtOnce = 4;

/** Goes on after a cut, once: each page that arrives may be followed by one. */
export async function goingOn<T>(page: () => Promise<T>): Promise<T> {
  try {
    return await page();
  } catch (error) {
    if (!(error instanceof SyncFailure) || error.kind !== 'lost') throw error;
    return page();
  }
}
