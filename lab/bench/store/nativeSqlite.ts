import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqlRow, SqlValue } from '../../../src/store/engine/sqlDatabase';

/** The part of better-sqlite3 that is used here; the package brings no types. */
export type NativeParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface NativeStatement {
  readonly reader: boolean;
  run(params: NativeParams): { readonly changes: number; readonly lastInsertRowid: number };
  all(params?: NativeParams): SqlRow[];
  iterate(params?: NativeParams): IterableIterator<SqlRow>;
}

export interface NativeHandle {
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  pragma(pragma: string): unknown;
  close(): void;
}

/** full: write-ahead log and `synchronous=FULL`, as a careful extension would use it. none: nothing is durable, to
 *  make large files fast. */
export type Durability = 'full' | 'none';

/** Opens a file with better-sqlite3, which lab's own packages bring. They are installed on first use. */
export function openNative(file: string, durability: Durability): NativeHandle {
  const lab = join(process.cwd(), 'lab');
  if (!existsSync(join(lab, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) {
    console.log('Installing better-sqlite3 into lab/ (compiled from source where no binary is offered) …');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: lab, stdio: 'inherit' });
  }
  const Native = createRequire(join(lab, 'package.json'))('better-sqlite3') as new (file: string) => NativeHandle;
  const handle = new Native(file);
  handle.pragma(durability === 'full' ? 'journal_mode=WAL' : 'journal_mode=OFF');
  handle.pragma(durability === 'full' ? 'synchronous=FULL' : 'synchronous=OFF');
  return handle;
}
