const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;

/** How long to wait before `attempt` (the first retry is attempt 2). */
export function waitBefore(attempt) {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempt - 2), LONGEST_WAIT_MS);
}

/** An answer that will be the same however often it is asked for. */
export function isFinal(error) {
  return error.status === 400 || error.status === 404;
}

/**
 * Runs `action` until it succeeds, up to `retries` further times.
 * @param {(attempt: number) => Promise<T>} action
 * @param {{ retries: number, sleep: (ms: number) => Promise<void> }} options
 * @template T
 */
export async function retry(action, { retries, sleep }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action(attempt);
    } catch (error) {
      if (isFinal(error) || attempt > retries) throw error;
      await sleep(error.retryAfterMs ?? waitBefore(attempt + 1));
    }
  }
}
