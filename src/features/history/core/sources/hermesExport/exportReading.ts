import { StringDecoder } from 'node:string_decoder';
import * as v from 'valibot';
import { errorMessage } from '../../../../../base/errorMessage';
import {
  beginsExport,
  exportHeader,
  exportTrailer,
  exportVersion,
  rowOf,
  type ExportHeader,
  type ExportTrailer,
  type StoreRow,
} from './exportFormat';
import { beginning, filesBelow, mayHoldSessions, type HistoryFiles } from '../reading/historyFiles';

const blockBytes = 1 << 16;
/** The first line of an export is far shorter. */
const longestHeader = 4096;
/** Characters of the longest line: a message with ten images of 5 MB each has about half as many. */
const longestLine = 2 ** 27;
const headerEnd = '"rows":[';

/** A file that is no whole export. The message says why. */
export class UnreadableExport extends Error {
  override readonly name = 'UnreadableExport';
}

/** True when the file begins as an export does. False for a file that cannot be opened. */
export async function isExport(files: Pick<HistoryFiles, 'read'>, path: string): Promise<boolean> {
  return beginsExport((await beginning(files, path, longestHeader)).toString('utf8'));
}

/** Opens a file that exists, and refuses pipes and devices. `read` returns the number of bytes; 0 at the end. */
interface ReadableFiles {
  open(path: string, mode: 'read'): { read(into: Uint8Array, position: number): number; close(): void };
}

type ExportPart =
  | { readonly kind: 'header'; readonly header: ExportHeader }
  | { readonly kind: 'row'; readonly row: StoreRow }
  | { readonly kind: 'end'; readonly trailer: ExportTrailer };

/** Reads an export line by line: the header, the rows and the end. Memory does not grow with the file. Throws
 *  `UnreadableExport` for a file of a newer version, and for one that is cut off or damaged; rows before the damage
 *  were returned by then. */
export function* readExport(fileSystem: ReadableFiles, path: string): Generator<ExportPart> {
  const counts = new Map<string, number>();
  let [number, isEnded] = [0, false];
  for (const line of linesOf(fileSystem, path)) {
    number++;
    if (isEnded) throw new UnreadableExport(`line ${number} comes after the end`);
    if (number === 1) yield { kind: 'header', header: headerOf(line) };
    else if (line.startsWith('],')) {
      const trailer = parsedBy(v.parser(exportTrailer), `{${line.slice(2)}`, number);
      demandCounts(trailer, counts);
      isEnded = true;
      yield { kind: 'end', trailer };
    } else {
      const row = parsedBy(rowOf, line.replace(/,$/, ''), number);
      counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
      yield { kind: 'row', row };
    }
  }
  if (!isEnded) throw new UnreadableExport('the file is cut off');
}

function headerOf(line: string): ExportHeader {
  if (!line.endsWith(headerEnd)) throw new UnreadableExport('the first line is not that of an export');
  const header = parsedBy(v.parser(exportHeader), `${line.slice(0, -headerEnd.length - 1)}}`, 1);
  if (header.version > exportVersion)
    throw new UnreadableExport(`it has version ${header.version}; this program reads up to ${exportVersion}`);
  return header;
}

function parsedBy<T>(read: (parsed: unknown) => T, text: string, number: number): T {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    throw new UnreadableExport(`line ${number}: ${errorMessage(error)}`);
  }
}

function demandCounts({ counts }: ExportTrailer, found: ReadonlyMap<string, number>): void {
  const tables = new Set([...Object.keys(counts), ...found.keys()]);
  for (const table of tables)
    if ((counts[table] ?? 0) !== (found.get(table) ?? 0))
      throw new UnreadableExport(`${found.get(table) ?? 0} rows of ${table}, expected ${counts[table] ?? 0}`);
}

function* linesOf(fileSystem: ReadableFiles, path: string): Generator<string> {
  const file = fileSystem.open(path, 'read');
  try {
    const decoder = new StringDecoder('utf8');
    const block = Buffer.alloc(blockBytes);
    let position = 0;
    let pieces: string[] = [];
    let length = 0;
    for (let read = file.read(block, 0); read > 0; read = file.read(block, position)) {
      position += read;
      const [first = '', ...rest] = decoder.write(block.subarray(0, read)).split('\n');
      pieces.push(first);
      length += first.length;
      if (length > longestLine) throw new UnreadableExport(`a line has more than ${longestLine} characters`);
      for (const begun of rest) {
        yield pieces.join('');
        pieces = [begun];
        length = begun.length;
      }
    }
    const last = pieces.join('') + decoder.end();
    if (last !== '') yield last;
  } finally {
    file.close();
  }
}

/** Chosen files and folders, divided by what reads them. */
export interface DividedFiles {
  /** Our own exports, also those in chosen folders. They are imported row by row, not converted. */
  readonly exports: readonly string[];
  /** Paths in which other sessions may be. A folder that holds nothing but exports is not among them. */
  readonly others: readonly string[];
}

/** Finds our own files among files and folders that the user chose. `isOwn`: of a chosen file. In a folder, only
 *  exports are looked for. */
export async function exportsAmong(
  files: HistoryFiles,
  chosen: readonly string[],
  isOwn: (files: HistoryFiles, path: string) => Promise<boolean> = isExport,
): Promise<DividedFiles> {
  const [exports, others] = [new Set<string>(), new Set<string>()];
  for (const place of chosen) {
    if ((await files.stat(place))?.kind !== 'folder') {
      ((await isOwn(files, place)) ? exports : others).add(place);
      continue;
    }
    let [found, hasOthers] = [0, false];
    for await (const path of filesBelow(files, place, 8, mayHoldSessions)) {
      if (await isExport(files, path)) {
        exports.add(path);
        found++;
      } else hasOthers = true;
    }
    if (hasOthers || found === 0) others.add(place);
  }
  return { exports: [...exports], others: [...others] };
}
