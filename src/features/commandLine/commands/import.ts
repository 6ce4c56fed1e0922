import { join, sep } from 'node:path';
import { ImportClient } from '../../history/core/import/importClient';
import type { ImportResult, Preview, Scan, ImportTarget } from '../../history/core/import/importing';
import { type ForeignSession } from '../../history/core/sources/foreign';
import { usualPlaces, type HistoryPlaces } from '../../history/core/sources/historyPlaces';
import { importExport } from '../../history/core/import/exportImport';
import { exportsAmong, type DividedFiles } from '../../history/core/sources/hermesExport/exportReading';
import { NodeHistoryFiles } from '../../history/core/sources/reading/nodeHistoryFiles';
import { sizeText, UsageError, type Command, type ExitCode, type OptionValues, type Terminal } from './command';
import { givenPath, readingTools } from './givenPaths';
import { currentCopy, readOnly, type ReadingDeps } from '../../../store/library/foreignStore';
import { storeFiles } from '../../../store/open/storeFiles';
import { storeFolderOf } from '../../../store/ownership/storeFolder';
import { createSessionDb } from '../../../store/session/sessionDb';
import { portTo } from '../../../store/worker/storePort';
import { openLockedStore, type LockedStore } from './lockedStore';
import { sourceNames, type SourceName } from '../../../transcript/sourceTitles';

const stopped = 'Stopped. The sessions imported so far are kept.';
/** Left-out records that are printed. */
const mostShown = 20;

const refuse = (): Promise<never> => Promise.reject(new Error('No store was given.'));
const noStore: ImportTarget = {
  importStates: refuse,
  beginImport: refuse,
  importWhole: refuse,
  addImported: refuse,
  finishImport: refuse,
  discardImport: refuse,
  extendImport: refuse,
};

export const importCommand: Command = {
  name: 'import',
  summary: 'Imports sessions of other agents.',
  help: [
    'hermes-history import [--from <source or path>]… [--into <folder> [--yes]]',
    '',
    'Lists the sessions of other agents on this machine. With --into, says what an import would do. With --yes, ' +
      'does it.',
    '',
    `  --from <source>  Only sessions of this agent: ${sourceNames.join(', ')}.`,
    '  --from <path>    A file of an agent, a chat file (JSON or JSONL), or a folder of them, or a JSON export ' +
      'of Hermes.',
    '  --into <folder>  The store to import into: the folder that holds state.db.',
    '  --yes            Imports, newest sessions first. Sessions that are here already get only what they lack.',
  ],
  options: {
    from: { type: 'string', multiple: true },
    into: { type: 'string' },
    yes: { type: 'boolean' },
  },
  run: (terminal, options, words) => {
    if (words.length > 0) throw new UsageError(`"${words[0]}" is not an option of import.`);
    return importSessions(terminal, options);
  },
};

async function importSessions(terminal: Terminal, options: OptionValues): Promise<ExitCode> {
  const into = typeof options['into'] === 'string' ? givenPath(terminal, options['into'], 'folder') : null;
  if (into === null && options['yes'] === true) throw new UsageError('--yes needs --into.');
  const { exports, others } = await dividedOptions(terminal, options['from']);
  const code = exports.length === 0 ? 0 : await importExports(terminal, exports, into, options);
  if (exports.length > 0 && (others.length === 0 || terminal.signal.aborted)) return code;
  return highest(code, await importOthers(terminal, fromOptions(terminal, others), into, options));
}

async function importOthers(
  terminal: Terminal,
  from: From,
  into: string | null,
  options: OptionValues,
): Promise<ExitCode> {
  const deps = await readingTools(terminal);
  const writes = options['yes'] === true;
  // Before anything is read: a store that a window has open is never changed.
  const opened =
    into === null ? null : writes ? await openLockedStore(into, terminal) : previewed(deps, storeFolderOf(into));
  const importer = new ImportClient(
    join(terminal.programFolder, 'importWorker.js'),
    deps.copies,
    opened?.openPort ?? (() => portTo(noStore)),
  );
  try {
    const { signal } = terminal;
    const scan = await importer.scan(from.isOnlyChosen ? { chosen: from.places.chosen } : from.places, { signal });
    const found = scan.sessions.filter((session) => isWanted(session, from));
    const sources = new Set(found.map(({ source }) => source));
    printScan(terminal, { ...scan, groups: scan.groups.filter(({ source }) => sources.has(source)) });
    const code = codeOf(scan, found, from);
    if (opened === null) return code;
    printPreview(terminal, await importer.preview(found));
    if (!writes) return code;
    const result = await importer.run(found, { signal, onProgress: progressLines(terminal) });
    return highest(code, printResult(terminal, result));
  } finally {
    await importer.close();
    await opened?.close();
  }
}

/** 1: a place could not be read, or what the user named holds nothing that can be imported. */
function codeOf({ problems, skipped }: Scan, found: readonly ForeignSession[], from: From): ExitCode {
  const isRefused = skipped.some(({ kind }) => kind === 'unknown' || kind === 'damaged');
  return problems.length > 0 || (from.isNamed && (found.length === 0 || (from.isOnlyChosen && isRefused))) ? 1 : 0;
}

/** A store that is asked what an import would do: a private copy. One that is not there has nothing. */
function previewed(deps: ReadingDeps, folder: string): Pick<LockedStore, 'close' | 'openPort'> {
  if (deps.fileSystem.stat(storeFiles(folder).main) === undefined) {
    const importStates: ImportTarget['importStates'] = async (ids) => ids.map(() => ({ state: 'absent' }));
    return { openPort: () => portTo({ ...noStore, importStates }), close: async () => undefined };
  }
  const copy = currentCopy(deps, folder);
  const states = (ids: readonly string[]) =>
    readOnly(deps, copy.folder, (database) =>
      createSessionDb({ database, now: deps.now, fileSizes: () => ({ fileBytes: 0, logBytes: 0 }) }).importStates(ids),
    );
  const store = { ...noStore, importStates: async (ids: readonly string[]) => states(ids) };
  return { openPort: () => portTo(store), close: async () => copy.remove() };
}

/** Our own exports among the given words, also those in folders, and the other words. */
async function dividedOptions(terminal: Terminal, given: OptionValues[string]): Promise<DividedFiles> {
  const words = Array.isArray(given) ? given.map(String) : [];
  const agents = words.filter(isSourceName);
  const paths = words.filter((word) => !isSourceName(word)).map((word) => givenPath(terminal, word));
  const { exports, others } = await exportsAmong(new NodeHistoryFiles(), paths);
  return { exports, others: [...agents, ...others] };
}

function isSourceName(word: string): word is SourceName {
  return sourceNames.some((name) => name === word);
}

function highest(one: ExitCode, other: ExitCode): ExitCode {
  return one > other ? one : other;
}

async function importExports(
  terminal: Terminal,
  files: readonly string[],
  into: string | null,
  { yes }: OptionValues,
): Promise<ExitCode> {
  if (into === null || yes !== true) {
    terminal.print(`${files.length} exports of Hermes. Import them with --into <folder> --yes.`);
    return 0;
  }
  const deps = await readingTools(terminal);
  const locked = await openLockedStore(into, terminal);
  try {
    const imported: object[] = [];
    let left = 0;
    let wasStopped = false;
    for (const file of files) {
      const { sessions, messages, skipped, isStopped } = await importExport(deps, locked.store, file, terminal.signal);
      terminal.result({ exports: [...imported, { file, sessions, messages, skipped }] });
      imported.push({ file, sessions, messages, skipped });
      terminal.print(`${file}: imported ${sessions} sessions with ${messages} messages.`);
      left += skipped;
      wasStopped ||= isStopped;
      if (wasStopped) break;
    }
    if (left > 0) terminal.note(`${left} rows could not be imported.`);
    if (wasStopped) terminal.note(stopped);
    return left > 0 || wasStopped ? 1 : 0;
  } finally {
    await locked.close();
  }
}

interface From {
  readonly places: HistoryPlaces;
  /** Agents that were named; all when nothing was named. */
  readonly sources: ReadonlySet<SourceName>;
  readonly isOnlyChosen: boolean;
  readonly isNamed: boolean;
}

function isWanted({ source, location }: ForeignSession, { places, sources }: From): boolean {
  const isChosen = (path: string): boolean => location.path === path || location.path.startsWith(path + sep);
  return sources.has(source) || places.chosen.some(isChosen);
}

/** `words`: agents, and whole paths. */
function fromOptions(terminal: Terminal, words: readonly string[]): From {
  const places = usualPlaces(terminal);
  const named = words.filter(isSourceName);
  const chosen = words.filter((word) => !isSourceName(word));
  if (words.length === 0) return { places, sources: new Set(sourceNames), isOnlyChosen: false, isNamed: false };
  return { places: { ...places, chosen }, sources: new Set(named), isOnlyChosen: named.length === 0, isNamed: true };
}

function printScan(terminal: Terminal, { groups, skipped, problems }: Scan): void {
  terminal.result({ found: groups, notRead: skipped, problems });
  if (groups.length === 0) terminal.print('No sessions of other agents were found.');
  for (const { source, folder, sessions, messages, bytes, from, to } of groups) {
    const size = sizeText(bytes);
    const count = messages === null ? '' : `, ${messages} messages`;
    terminal.print(`${source}  ${sessions} sessions${count}, ${size}, ${day(from)} to ${day(to)}  ${folder ?? ''}`);
  }
  for (const { place, reason } of skipped.slice(0, mostShown)) terminal.note(`${place.path}: ${reason}`);
  if (skipped.length > mostShown) terminal.note(`… and ${skipped.length - mostShown} more that cannot be read.`);
  for (const { source, reason } of problems) terminal.note(`${source}: ${reason}`);
}

function printPreview(terminal: Terminal, { counts }: Preview): void {
  terminal.result({ preview: counts });
  terminal.print(
    `${counts.new} new, ${counts.grown} changed since they were imported, ${counts.here} here already, ` +
      `${counts.forgotten} erased here earlier.`,
  );
}

function printResult(terminal: Terminal, result: ImportResult): ExitCode {
  const { counts, messages, records, leftOut, leftOutTotal, entries, isStopped } = result;
  terminal.result({ counts, messages, tally: records, leftOut, leftOutTotal, entries, isStopped });
  for (const { place, reason, count } of leftOut.slice(0, mostShown))
    terminal.note(`${place.path}, ${place.unit} ${place.number}: ${reason}${count > 1 ? ` (${count} like it)` : ''}`);
  const shown = leftOut.slice(0, mostShown).reduce((sum, { count }) => sum + count, 0);
  if (leftOutTotal > shown) terminal.note(`… and ${leftOutTotal - shown} more.`);
  for (const { id, source, reason } of entries) if (reason !== null) terminal.note(`${source} ${id}: ${reason}`);
  terminal.print(
    `Imported ${counts.imported} sessions, extended ${counts.extended}, ${counts.branched} as branches; ` +
      `${messages} messages. ${counts.unchanged} had nothing new, ${counts.empty} no messages, ${counts.failed} ` +
      'failed.',
  );
  terminal.print(`Records: ${records.in} read, ${records.imported} imported, ${records.skipped} skipped.`);
  if (isStopped) terminal.note(stopped);
  return isStopped || counts.failed > 0 ? 1 : 0;
}

function progressLines(terminal: Terminal): (progress: { sessionsDone: number; sessionsTotal: number }) => void {
  let next = 0;
  return ({ sessionsDone, sessionsTotal }) => {
    const now = terminal.clock.monotonicMs();
    if (now < next) return;
    next = now + 1000;
    terminal.note(`${sessionsDone} of ${sessionsTotal} sessions`);
  };
}

function day(time: number | null): string {
  return time === null ? '?' : new Date(time * 1000).toISOString().slice(0, 10);
}
