import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import { decodeText } from '../readFile';
import { type ReadDenials, withheldByRule, withheldFor } from '../secretFiles';
import type { WorkspacePaths } from '../workspacePaths';
import type { CodePlace, EditorKnowledge } from './editorKnowledge';

export interface KnowledgeDeps extends ReadDenials {
  readonly editor: EditorKnowledge;
  readonly paths: WorkspacePaths;
  readonly clock: Clock;
}

/** Milliseconds. Language servers may take minutes to start; a late answer is worth less than continuing. */
const timeoutMs = 10_000;
const longestLine = 300;
const maxBytes = 10 * 1024 * 1024;

/** Rejects with a sentence for the model when a language extension takes too long. */
export async function inTime<T>(deps: Pick<KnowledgeDeps, 'clock'>, work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const late = Symbol('late');
  const answer = await resultWithin(deps.clock, timeoutMs, work, late, signal);
  signal.throwIfAborted();
  if (answer !== late) return answer;
  throw new Error(
    `No language extension answered within ${timeoutMs / 1000} seconds. It may still be starting: try again later, ` +
      'or use search_files.',
  );
}

/** File for a language extension request, with its lines as the editor has them. Rejects with a sentence for the
 *  model. Refuses a file that may hold secrets or that a rule denies reading, because an extension's answer quotes
 *  it. */
export async function askedFile(
  deps: KnowledgeDeps,
  written: string,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly lines: readonly string[] }> {
  const path = await deps.paths.resolveExisting(written);
  const withheld = await withheldFor(deps, path);
  if (withheld === 'rule') throw new Error(`${deps.paths.display(path)} is ${withheldByRule}.`);
  if (withheld === 'secrets')
    throw new Error(`${deps.paths.display(path)} may hold secrets. Use read_file, which asks the person.`);
  return { path, lines: await linesOf(deps, path, signal) };
}

async function linesOf({ files, paths }: KnowledgeDeps, path: string, signal: AbortSignal): Promise<readonly string[]> {
  if ((await files.kindOf(path)) !== 'file') throw new Error(`${paths.display(path)} is a folder. Name a file.`);
  if ((await files.size(path)) > maxBytes)
    throw new Error(`${paths.display(path)} is too large for language extensions.`);
  const text = decodeText(await files.read(path, signal));
  if (text === null) throw new Error(`${paths.display(path)} is not a text file.`);
  return text.split(/\r\n|\n|\r/);
}

/** Position of a symbol on a line that the model names. If the symbol is not on that line, rejects with the lines
 *  that contain it, without their text. */
export async function placeOf(
  deps: KnowledgeDeps,
  written: { readonly path: string; readonly line: number; readonly symbol: string },
  signal: AbortSignal,
): Promise<CodePlace> {
  const { path, lines } = await askedFile(deps, written.path, signal);
  const shown = deps.paths.display(path);
  if (written.line > lines.length)
    throw new Error(`${shown} has ${lines.length} lines; line ${written.line} is past its end.`);
  const column = columnOf(lines[written.line - 1] ?? '', written.symbol);
  if (column !== null) return { path, line: written.line, column };
  const elsewhere = lines.flatMap((line, index) => (columnOf(line, written.symbol) === null ? [] : [index + 1]));
  const nearest = elsewhere
    .toSorted((a, b) => Math.abs(a - written.line) - Math.abs(b - written.line))
    .slice(0, 5)
    .sort((a, b) => a - b);
  const found =
    elsewhere.length === 0
      ? 'nor anywhere else in the file'
      : `but on line${nearest.length === 1 ? '' : 's'} ` +
        `${nearest.join(', ')}${elsewhere.length > nearest.length ? ' and others' : ''}`;
  throw new Error(`"${written.symbol}" does not stand on line ${written.line} of ${shown}, ${found}.`);
}

/** Column of the last name in the text ("b" of "a.b"), from 1. Prefers a match as a whole word. */
function columnOf(line: string, symbol: string): number | null {
  const escaped = symbol.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped}(?![\\p{L}\\p{N}_$])`, 'u').exec(line);
  const at = whole?.index ?? (/^[\p{L}\p{N}_$]/u.test(symbol) ? -1 : line.indexOf(symbol));
  if (at === -1) return null;
  const last = /[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return at + (last?.index ?? 0) + 1;
}

/** One row per place, in the given order, with the line's text if the place is in an open folder. Shows only the
 *  place for secrets files, files that a rule denies reading, and files outside the open folders. */
export async function describePlaces(
  deps: KnowledgeDeps,
  places: readonly CodePlace[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts = new Map<string, Promise<readonly string[]>>();
  return Promise.all(
    places.map(async ({ path, line, column }) => {
      const shown = deps.paths.display(path);
      if (shown === path) return `${path}:${line}:${column} (outside the open folders)`;
      const withheld = await withheldFor(deps, path);
      if (withheld !== null) return `${shown}:${line}:${column}${withheld === 'rule' ? ` (${withheldByRule})` : ''}`;
      // A place may name a file that is deleted or not text.
      const lines = texts.get(path) ?? linesOf(deps, path, signal).catch((): readonly string[] => []);
      texts.set(path, lines);
      const text = ((await lines)[line - 1] ?? '').trim();
      const quoted = text.length > longestLine ? `${text.slice(0, longestLine).toWellFormed()} …` : text;
      return `${shown}:${line}:${column}${quoted === '' ? '' : `  ${quoted}`}`;
    }),
  );
}
