import { existsSync, writeFileSync } from 'node:fs';
import { readLogWhole } from '../../src/store/engine/compactLog';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';

/** Writes a store's log in SQLite's own form under the name that another SQLite looks for, beside a copy of the store's
 *  file. Does nothing when there is no log. */
export function writePlainLog(log: string, copy: string): void {
  if (existsSync(log)) writeFileSync(`${copy}-wal`, readLogWhole(new NodeFileSystem(), log));
}
