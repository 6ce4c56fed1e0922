import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

const open = '(function (exports, require, module, __filename, __dirname) { ';
const close = '\n})';
const markBytes = 32;

/** A bundle that has run. */
export interface CompiledBundle {
  readonly exports: unknown;
  /** Whether its compiled code came from an earlier start. */
  readonly wasKept: boolean;
  /** Keeps the code as far as it has been compiled by now, for the next start. Takes some 10 ms. Throws the disk's error. */
  keep(): void;
}

/**
 * Runs a CommonJS bundle as `require` would, but takes what V8 compiled in an earlier start from `cacheFile`: reading that takes a sixth of
 * the time of compiling. What is kept belongs to exactly this source and this V8, and is whole, or it is not used: V8 itself compares only
 * the source's length, and does not look for damage.
 */
export function runBundle(file: string, cacheFile: string): CompiledBundle {
  const source = readFileSync(file);
  const cachedData = read(cacheFile, source);
  // The wrapper's opening is on the first line; positions in stack traces are the bundle's own.
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

/** By then a window has come up, and what it needs for that is compiled. */
export const upAfterMs = 10_000;

/** Keeps the compiled code after that time, and holds no process open for it. Returns what calls it off. */
export function keepOnceUp(bundle: CompiledBundle, afterMs: number): () => void {
  const timer = setTimeout(() => {
    try {
      bundle.keep();
    } catch {
      // A full disk, say: the next start compiles again, and nothing else is lost.
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
    // None yet, or none that can be read: then it is compiled.
    return undefined;
  }
  if (kept.length <= markBytes) return undefined;
  const code = kept.subarray(markBytes);
  return timingSafeEqual(kept.subarray(0, markBytes), markOf(source, code)) ? code : undefined;
}

function write(cacheFile: string, source: Buffer, code: Buffer): void {
  mkdirSync(dirname(cacheFile), { recursive: true });
  // Another window may read or write it now, or another thread of this one.
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
