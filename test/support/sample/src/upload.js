import { listParts } from './parts.js';
import { retry } from './retry.js';

const sleepFor = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends every file of a folder, one after the other. A file that cannot be sent does not stop the others.
 * @param {string} folder
 * @param {{ send: (part: { file: string, name: string }) => Promise<void>, retries?: number, sleep?: (ms: number) => Promise<void> }} options
 */
export async function uploadFolder(folder, { send, retries = 3, sleep = sleepFor }) {
  const report = { sent: [], failed: [] };
  for (const part of await listParts(folder)) {
    try {
      await retry(() => send(part), { retries, sleep });
      report.sent.push(part.name);
    } catch (error) {
      report.failed.push({ name: part.name, reason: error.message });
    }
  }
  return report;
}
