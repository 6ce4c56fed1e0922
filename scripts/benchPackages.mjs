/** The packages that only benchmarks need: better-sqlite3, which is never part of the extension. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder whose `node_modules` has them. */
export const benchPackages = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../test/bench');

/** better-sqlite3 is compiled here on first use. */
export function installBenchPackages() {
  if (fs.existsSync(path.join(benchPackages, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) return;
  console.log('Installing better-sqlite3 into test/bench (compiled from source where no binary is offered) …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: benchPackages, stdio: 'inherit' });
}
