import { spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import type { TextMatch, TextSearch } from '../tools/workspaceFiles';

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
  /** Whether a match counts: the include pattern, files whose unsaved text is searched instead. Path below the root, forward slashes. */
  readonly accepts: (relativePath: string) => boolean;
  /** Stop after so many accepted matches. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Searches one root on disk. Rejects with ripgrep's own reason when it could not search at all. */
export function searchWithRipgrep(run: RipgrepRun): Promise<readonly TextMatch[]> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(run.signal.reason);
    const child = spawn(run.binary, [...ripgrepArguments(run.search, run.excludes)], { cwd: run.root, stdio: ['ignore', 'pipe', 'pipe'] });
    const matches: TextMatch[] = [];
    let complaint = '';
    const stop = (): void => void child.kill();
    run.signal.addEventListener('abort', stop, { once: true });

    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 2000)));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (matches.length >= run.limit) return;
      const match = readMatch(line);
      if (match === null || !run.accepts(match.relativePath)) return;
      matches.push({ path: join(run.root, match.relativePath), line: match.line, text: match.text });
      if (matches.length >= run.limit) stop();
    });

    child.once('error', reject);
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', stop);
      if (run.signal.aborted) return reject(run.signal.reason);
      // 0: found, 1: nothing found, 2: an error (also when only some files could not be read), null: stopped by us.
      if (code === 2 && matches.length === 0 && complaint.trim() !== '') return reject(new Error(complaint.trim()));
      resolve(matches);
    });
  });
}

export function ripgrepArguments(search: TextSearch, excludes: readonly string[]): readonly string[] {
  return [
    '--json',
    '--no-config',
    '--no-messages',
    '--hidden',
    '--no-require-git',
    '--max-filesize=10M',
    search.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(search.isRegularExpression ? ['--engine=auto'] : ['--fixed-strings']),
    ...['.git', ...excludes].map((glob) => `--glob=!${glob}`),
    '--regexp',
    search.query,
    '.',
  ];
}

function readMatch(line: string): { readonly relativePath: string; readonly line: number; readonly text: string } | null {
  if (!line.startsWith('{"type":"match"')) return null;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), matchSchema), line);
  if (!parsed.success) return null; // a path that is not UTF-8: it could not be named to the model either
  const { path, lines, line_number } = parsed.output.data;
  const text = 'text' in lines ? lines.text : Buffer.from(lines.bytes, 'base64').toString('utf8');
  return { relativePath: path.text.replace(/^\.[\\/]/, '').split(sep).join('/'), line: line_number, text: text.replace(/\r?\n$/, '') };
}
