import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { type PriceSnapshot, readPriceSnapshot } from '../../models/prices/priceSnapshot';

/** Reads the price snapshot in `folder` when it is first needed. Null when it cannot be read: prices are then unknown
 *  and everything else works. */
export function bundledPrices(folder: string, log: Log): () => Promise<PriceSnapshot | null> {
  let reading: Promise<PriceSnapshot | null> | null = null;
  return () => (reading ??= readPrices(join(folder, 'modelPrices.json'), log));
}

async function readPrices(file: string, log: Log): Promise<PriceSnapshot | null> {
  try {
    const snapshot = readPriceSnapshot(await readFile(file, 'utf8'));
    if (snapshot !== null) return snapshot;
    log.warn(`${file} holds no list of prices, so prices are unknown. Install the extension again.`);
  } catch (error) {
    log.warn(`${file} could not be read, so prices are unknown: ${errorMessage(error)}`);
  }
  return null;
}
