import { join } from 'node:path';
import type { TextMatch, TextSearch } from '../../tools/workspaceFiles';
import { type FolderWalk, walkFolder } from './folderWalk';
import type { Pace } from './pace';

/** Files read at the same time. */
const readAtOnce = 16;
const maxScannedBytes = 2 * 1024 * 1024;
/** Maximum number of characters of a line that are tested: an expression that backtracks on a minified file would
 *  block the extension and cannot be stopped. */
const maxLineLength = 10_000;

interface FolderScan extends Omit<FolderWalk, 'pace'> {
  readonly search: TextSearch;
  /** Path below the root, forward slashes. */
  readonly accepts: (relativePath: string) => boolean;
  readonly limit: number;
}

/** Text search without ripgrep. Reads files in the order of names, up to 16 at a time, and searches in short time
 *  slices. Ends soon after `signal` is aborted, with its reason. Leaves out binary files and files of more than 2
 *  MB. */
export async function scanFolder(scan: FolderScan, pace: Pace): Promise<readonly TextMatch[]> {
  const expression = lineExpression(scan.search);
  const matches: TextMatch[] = [];
  let batch: string[] = [];
  const searchBatch = async (): Promise<void> => {
    const paths = batch;
    batch = [];
    const contents = await stoppedBy(
      scan.signal,
      Promise.all(paths.map((path) => scan.reader.read(join(scan.root, path), maxScannedBytes))),
    );
    for (const [index, bytes] of contents.entries()) {
      await pace.breathe(scan.signal);
      if (bytes === null || bytes.subarray(0, 8192).includes(0)) continue;
      await searchText(
        join(scan.root, paths[index] ?? ''),
        new TextDecoder('utf-8').decode(bytes),
        expression,
        matches,
        scan,
        pace,
      );
    }
  };
  for await (const path of walkFolder({ ...scan, pace })) {
    if (matches.length >= scan.limit) return matches;
    if (!scan.accepts(path)) continue;
    batch.push(path);
    if (batch.length >= readAtOnce) await searchBatch();
  }
  await searchBatch();
  return matches.slice(0, scan.limit);
}

async function searchText(
  path: string,
  text: string,
  expression: RegExp,
  matches: TextMatch[],
  { limit, signal }: FolderScan,
  pace: Pace,
): Promise<void> {
  let line = 0;
  for (let start = 0; start <= text.length && matches.length < limit;) {
    line++;
    if (line % 256 === 0) await pace.breathe(signal);
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    const content = text.slice(start, text[stop - 1] === '\r' && stop > start ? stop - 1 : stop);
    if (expression.test(content.length > maxLineLength ? content.slice(0, maxLineLength) : content))
      matches.push({ path, line, text: content });
    start = stop + 1;
  }
}

/** Rejects at once on abort, rather than wait for a slow disk. */
function stoppedBy<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The matching lines of one text, at most `limit`. Throws JavaScript's own error for an invalid expression. */
export function matchingLines(text: string, search: TextSearch, limit: number): readonly LineMatch[] {
  const expression = lineExpression(search);
  const matches: LineMatch[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (matches.length >= limit) break;
    if (expression.test(line)) matches.push({ line: index + 1, text: line });
  }
  return matches;
}

/** Returns an expression that tests one line. */
function lineExpression(search: TextSearch): RegExp {
  return new RegExp(
    search.isRegularExpression ? search.query : escapeExpression(search.query),
    search.caseSensitive ? '' : 'i',
  );
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
