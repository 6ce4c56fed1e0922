import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';
import type { ExtensionContext } from 'vscode';

/** Data that a store's worker thread gets when it starts. */
export interface StoreThreadData {
  /** Folder of compiled code for later starts. It may not exist yet. */
  readonly compiledFolder: string;
  /** Milliseconds after the start at which the compiled code is saved. */
  readonly keepAfterMs: number;
}

const open = '(function (exports, require, module, __filename, __dirname) { ';
const close = '\n})';
const markBytes = 32;

/** A bundle that has run. */
interface CompiledBundle {
  readonly exports: unknown;
  /** True when its compiled code came from an earlier start. */
  readonly wasKept: boolean;
  /** Saves the code compiled so far for the next start. Takes about 10 ms. Throws the disk's error. */
  keep(): void;
}

/** Runs a CommonJS bundle as `require` would, but with the code that V8 compiled in an earlier start, from
 *  `cacheFile`. Reading that takes a sixth of the time of compiling. The cached code is used only if it belongs to
 *  exactly this source and this V8 and is undamaged: V8 itself compares only the source's length and does not check
 *  for damage. */
export function runBundle(file: string, cacheFile: string): CompiledBundle {
  const source = readFileSync(file);
  const cachedData = read(cacheFile, source);
  // The opening of the wrapper is on the first line; the offset keeps positions in stack traces those of the bundle.
  const script = new Script(`${open}${source.toString('utf8')}${close}`, {
    filename: file,
    columnOffset: -open.length,
    cachedData,
  });
  const run: unknown = script.runInThisContext();
  if (typeof run !== 'function') throw new Error(`${file} could not be run.`);
  const module: { exports: unknown } = { exports: {} };
  run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return {
    exports: module.exports,
    wasKept: cachedData !== undefined && script.cachedDataRejected !== true,
    keep: () => write(cacheFile, source, script.createCachedData()),
  };
}

/** Milliseconds after which a window has started and its start-up code is compiled. */
export const upAfterMs = 10_000;

/** Saves the compiled code after `afterMs`, without keeping the process alive for it. Returns a function that
 *  cancels this. */
export function keepOnceUp(bundle: CompiledBundle, afterMs: number): () => void {
  const timer = setTimeout(() => {
    try {
      bundle.keep();
    } catch {
      // For example, a full disk: the next start compiles again, and nothing else is lost.
    }
  }, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}

function read(cacheFile: string, source: Buffer): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(cacheFile);
  } catch {
    // No cache yet, or an unreadable one: compile.
    return undefined;
  }
  if (kept.length <= markBytes) return undefined;
  const code = kept.subarray(markBytes);
  return timingSafeEqual(kept.subarray(0, markBytes), markOf(source, code)) ? code : undefined;
}

function write(cacheFile: string, source: Buffer, code: Buffer): void {
  mkdirSync(dirname(cacheFile), { recursive: true });
  // Write to a temporary name first: another window, or another thread of this one, may read or write the cache now.
  const next = `${cacheFile}.${process.pid}.${threadId}`;
  try {
    writeFileSync(next, Buffer.concat([markOf(source, code), code]), { mode: 0o600 });
    renameSync(next, cacheFile);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function markOf(source: Buffer, code: Buffer): Buffer {
  const { v8 } = process.versions;
  return createHash('sha256').update(`${v8} ${process.arch} ${source.length} `).update(source).update(code).digest();
}

/** Folder for code of this extension that V8 has compiled. Deleting it only costs the next start some milliseconds. */
export function compiledFolderOf(context: Pick<ExtensionContext, 'globalStorageUri'>): string {
  return join(context.globalStorageUri.fsPath, 'compiled');
}
