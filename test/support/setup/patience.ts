/** Gives `vi.waitFor` and `vi.waitUntil` the limit of a hang. Their own default is one second, which a busy machine exceeds without a fault. */
import { vi } from 'vitest';

const limit = { timeout: 150_000 * Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1), interval: 10 };

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, withLimit(options));
vi.waitUntil = (callback, options) => waitUntil(callback, withLimit(options));

function withLimit(options: Parameters<typeof waitFor>[1]): typeof limit {
  return { ...limit, ...(typeof options === 'number' ? { timeout: options } : options) };
}
