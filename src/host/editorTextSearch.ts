import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../base/log';
import type { TextMatch, TextSearch, TextSearchResult } from '../tools/workspaceFiles';
import { globMatcher } from './globPattern';
import { matchingLines } from './lineScan';
import { searchWithRipgrep } from './ripgrepSearch';

export interface SearchedFolder {
  readonly name: string;
  readonly path: string;
  readonly uri: vscode.Uri;
}

const maxScannedFiles = 20_000;
const maxScannedBytes = 2 * 1024 * 1024;

/** Text search over the open folders: ripgrep where there is one (the editor's own search API is still proposed), else file by file through
 *  the editor. Files with unsaved changes are searched as their editors show them. */
export class EditorTextSearch {
  private ripgrep: Promise<string | null> | null = null;

  constructor(
    private readonly findRipgrep: () => Promise<string | null>,
    private readonly log: Log,
  ) {}

  async search(folders: readonly SearchedFolder[], search: TextSearch, signal: AbortSignal): Promise<TextSearchResult> {
    // One more than asked for tells whether there was more.
    const limit = search.maxMatches + 1;
    const matches: TextMatch[] = [];
    for (const folder of folders) {
      if (matches.length >= limit) break;
      matches.push(...(await this.searchFolder(folder, folders.length > 1, search, limit - matches.length, signal)));
    }
    const ordered = matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
    return { matches: ordered.slice(0, search.maxMatches), limited: ordered.length > search.maxMatches };
  }

  private async searchFolder(folder: SearchedFolder, named: boolean, search: TextSearch, limit: number, signal: AbortSignal): Promise<readonly TextMatch[]> {
    const included = includeMatcher(search.include, named ? folder.name : null);
    const excludes = excludedGlobs(folder.uri);
    const excluded = excludes.map(globMatcher);
    const unsaved = unsavedDocuments(folder).filter(({ path }) => included(path) && !excluded.some((matches) => matches(path)));
    const fromEditors = unsaved.flatMap(({ document }) => linesOf(document.uri.fsPath, document.getText(), search, limit)).slice(0, limit);
    if (fromEditors.length >= limit) return fromEditors;

    const unsavedPaths = new Set(unsaved.map(({ path }) => path));
    const accepts = (path: string): boolean => included(path) && !unsavedPaths.has(path);
    const rest = limit - fromEditors.length;
    const binary = folder.uri.scheme === 'file' ? await this.binary() : null;
    const fromDisk =
      binary === null
        ? await scanFolder(folder, search, excludes, accepts, rest, signal)
        : await searchWithRipgrep({ binary, root: folder.path, search, excludes, accepts, limit: rest, signal });
    return [...fromEditors, ...fromDisk];
  }

  private binary(): Promise<string | null> {
    this.ripgrep ??= this.findRipgrep().then((found) => {
      if (found === null) this.log.warn('No ripgrep was found beside the editor or on PATH: text search reads files one by one.');
      return found;
    });
    return this.ripgrep;
  }
}

function includeMatcher(include: string | null, folderName: string | null): (path: string) => boolean {
  if (include === null) return () => true;
  const matches = globMatcher(include);
  const prefix = folderName === null ? null : `${folderName}/`;
  const matchesNamed = prefix !== null && include.startsWith(prefix) ? globMatcher(`/${include.slice(prefix.length)}`) : null;
  return (path) => matches(path) || (matchesNamed?.(path) ?? false);
}

/** The globs that `files.exclude` and `search.exclude` switch on for the folder. */
function excludedGlobs(folder: vscode.Uri): readonly string[] {
  return ['files', 'search'].flatMap((section) => {
    const value: unknown = vscode.workspace.getConfiguration(section, folder).get('exclude');
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([glob, on]) => (on === true ? [glob] : []));
  });
}

function unsavedDocuments(folder: SearchedFolder): readonly { readonly path: string; readonly document: vscode.TextDocument }[] {
  return vscode.workspace.textDocuments.flatMap((document) => {
    const below = document.uri.scheme === folder.uri.scheme ? relative(folder.path, document.uri.fsPath) : '';
    if (!document.isDirty || below === '' || below.startsWith('..')) return [];
    return [{ path: below.split(sep).join('/'), document }];
  });
}

async function scanFolder(
  folder: SearchedFolder,
  search: TextSearch,
  excludes: readonly string[],
  accepts: (path: string) => boolean,
  limit: number,
  signal: AbortSignal,
): Promise<readonly TextMatch[]> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const exclude = `{${['**/node_modules/**', '**/.git/**', ...excludes].join(',')}}`;
    const files = await vscode.workspace.findFiles(new vscode.RelativePattern(folder.uri, '**/*'), exclude, maxScannedFiles, cancellation.token);
    const matches: TextMatch[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      if (matches.length >= limit) break;
      if (!accepts(relative(folder.path, file.fsPath).split(sep).join('/'))) continue;
      const text = await readTextFile(file);
      if (text !== null) matches.push(...linesOf(file.fsPath, text, search, limit - matches.length));
    }
    return matches;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

/** Null for what is too large, binary, or gone by now. */
async function readTextFile(file: vscode.Uri): Promise<string | null> {
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(file)).catch(() => null);
  if (bytes === null || bytes.length > maxScannedBytes || bytes.subarray(0, 8192).includes(0)) return null;
  return new TextDecoder('utf-8').decode(bytes);
}

function linesOf(path: string, text: string, search: TextSearch, limit: number): readonly TextMatch[] {
  return matchingLines(text, search, limit).map((match) => ({ path, ...match }));
}
