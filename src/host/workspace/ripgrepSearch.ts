import { spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import type { TextMatch, TextSearch } from '../../tools/workspaceFiles';

/** A line of `rg --json` that reports a match. Paths and lines that are not UTF-8 come as base64 under `bytes`. */
const matchSchema = v.object({
  type: v.literal('match'),
  data: v.object({
    path: v.object({ text: v.string() }),
    lines: v.union([v.object({ text: v.string() }), v.object({ bytes: v.string() })]),
    line_number: v.number(),
  }),
});

export interface RipgrepRun {
  readonly binary: string;
  readonly root: string;
  readonly search: TextSearch;
  /** Globs of the editor's own exclude settings. */
  readonly excludes: readonly string[];
  /** True when a match counts. Checks the include pattern and leaves out files whose unsaved text is searched
   *  instead. Path below the root, forward slashes. */
  readonly accepts: (relativePath: string) => boolean;
  /** Stop after this number of accepted matches. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Searches one root on disk. Rejects with ripgrep's own reason if it could not search at all, and at once when
 *  aborted. */
export async function searchWithRipgrep(run: RipgrepRun): Promise<readonly TextMatch[]> {
  const matches: TextMatch[] = [];
  await readRipgrep(
    run,
    ripgrepArguments(run.search, run.excludes),
    (line) => {
      const match = readMatch(line);
      if (match !== null && run.accepts(match.relativePath))
        matches.push({ path: join(run.root, match.relativePath), line: match.line, text: match.text });
      return matches.length < run.limit;
    },
    () => matches.length > 0,
  );
  return matches;
}

const everywhere = ['--no-config', '--no-messages', '--hidden', '--no-require-git'];

/** Lists the files that ripgrep would search, by their paths below the root: accepted ones, at most `limit`. */
export async function listWithRipgrep(run: Omit<RipgrepRun, 'search'>): Promise<readonly string[]> {
  const paths: string[] = [];
  await readRipgrep(
    run,
    [...everywhere, '--files', ...excluding(run.excludes), '.'],
    (line) => {
      const path = relativePath(line);
      if (run.accepts(path)) paths.push(path);
      return paths.length < run.limit;
    },
    () => paths.length > 0,
  );
  return paths;
}

/** Passes ripgrep's output on line by line until `take` has enough. An error counts only when nothing was found;
 *  otherwise, some files were just unreadable. */
function readRipgrep(
  run: Pick<RipgrepRun, 'binary' | 'root' | 'signal'>,
  options: readonly string[],
  take: (line: string) => boolean,
  hasFound: () => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(run.signal.reason);
    const child = spawn(run.binary, [...options], { cwd: run.root, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = createInterface({ input: child.stdout });
    let complaint = '';
    let enough = false;
    const stop = (): void => {
      enough = true;
      child.kill('SIGKILL'); // it only reads: killing it leaves nothing half done
      lines.close();
      reject(run.signal.reason);
    };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 2000)));
    lines.on('line', (line) => {
      if (enough) return;
      enough = !take(line);
      if (enough) child.kill('SIGKILL');
    });
    run.signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      run.signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', stop);
      // 0: found, 1: nothing found, 2: an error (also when only some files could not be read), null: killed by us.
      if (code === 2 && !hasFound() && complaint.trim() !== '') return reject(new Error(complaint.trim()));
      resolve();
    });
  });
}

function excluding(excludes: readonly string[]): readonly string[] {
  return ['.git', ...excludes].map((glob) => `--glob=!${glob}`);
}

export function ripgrepArguments(search: TextSearch, excludes: readonly string[]): readonly string[] {
  return [
    '--json',
    ...everywhere,
    '--max-filesize=10M',
    search.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(search.isRegularExpression ? ['--engine=auto'] : ['--fixed-strings']),
    ...excluding(excludes),
    '--regexp',
    search.query,
    '.',
  ];
}

function readMatch(
  line: string,
): { readonly relativePath: string; readonly line: number; readonly text: string } | null {
  if (!line.startsWith('{"type":"match"')) return null;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), matchSchema), line);
  if (!parsed.success) return null; // a path that is not UTF-8: it could not be named to the model either
  const { path, lines, line_number } = parsed.output.data;
  const text = 'text' in lines ? lines.text : Buffer.from(lines.bytes, 'base64').toString('utf8');
  return { relativePath: relativePath(path.text), line: line_number, text: text.replace(/\r?\n$/, '') };
}

function relativePath(written: string): string {
  return written
    .replace(/^\.[\\/]/, '')
    .split(sep)
    .join('/');
}
