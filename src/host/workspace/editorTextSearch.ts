import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../../base/log';
import type {
  FileKind,
  FileSearch,
  FileSearchResult,
  TextMatch,
  TextSearch,
  TextSearchResult,
} from '../../tools/workspaceFiles';
import { diskReader, type FolderReader, walkFolder, globMatcher } from './folderWalk';
import { matchingLines, scanFolder } from './scanSearch';
import { Pace } from './pace';
import { listWithRipgrep, searchWithRipgrep } from './ripgrepSearch';

interface SearchedFolder {
  readonly name: string;
  readonly path: string;
  readonly uri: vscode.Uri;
}

/** Maximum number of files that one search by name collects per folder before sorting. */
const maxListed = 200_000;
const statAtOnce = 64;

/** Searches the open folders for text and for names. Uses ripgrep if available (the editor's own search API is still
 *  proposed), otherwise reads the files through the editor. Searches unsaved changes as their editors show them. */
export class EditorTextSearch {
  private ripgrep: Promise<string | null> | null = null;

  constructor(
    private readonly findRipgrep: () => Promise<string | null>,
    private readonly log: Log,
  ) {}

  async search(folders: readonly SearchedFolder[], search: TextSearch, signal: AbortSignal): Promise<TextSearchResult> {
    // Read one more than requested, to know if there is more.
    const limit = search.maxMatches + 1;
    const matches: TextMatch[] = [];
    for (const folder of folders) {
      if (matches.length >= limit) break;
      matches.push(...(await this.searchFolder(folder, folders.length > 1, search, limit - matches.length, signal)));
    }
    const ordered = matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
    return { matches: ordered.slice(0, search.maxMatches), limited: ordered.length > search.maxMatches };
  }

  private async searchFolder(
    folder: SearchedFolder,
    named: boolean,
    search: TextSearch,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly TextMatch[]> {
    const included = includeMatcher(search.include, named ? folder.name : null);
    const excludes = excludedGlobs(folder.uri);
    const excluded = excludes.map(globMatcher);
    const unsaved = unsavedDocuments(folder).filter(
      ({ path }) => included(path) && !excluded.some((matches) => matches(path)),
    );
    const fromEditors = unsaved
      .flatMap(({ document }) => linesOf(document.uri.fsPath, document.getText(), search, limit))
      .slice(0, limit);
    if (fromEditors.length >= limit) return fromEditors;

    const unsavedPaths = new Set(unsaved.map(({ path }) => path));
    const accepts = (path: string): boolean => included(path) && !unsavedPaths.has(path);
    const rest = limit - fromEditors.length;
    const binary = folder.uri.scheme === 'file' ? await this.binary() : null;
    const fromDisk =
      binary === null
        ? await scanFolder(
            { root: folder.path, reader: readerOf(folder), search, excludes, accepts, limit: rest, signal },
            new Pace(),
          )
        : await searchWithRipgrep({ binary, root: folder.path, search, excludes, accepts, limit: rest, signal });
    return [...fromEditors, ...fromDisk];
  }

  /** Finds files by a glob over their paths. If there are too many, returns the first in the requested order. */
  async findFiles(
    folders: readonly SearchedFolder[],
    search: FileSearch,
    signal: AbortSignal,
  ): Promise<FileSearchResult> {
    const found: { readonly path: string; readonly uri: vscode.Uri }[] = [];
    for (const folder of folders) {
      const paths = await this.pathsIn(
        folder,
        includeMatcher(search.pattern, folders.length > 1 ? folder.name : null),
        signal,
      );
      found.push(
        ...paths.map((path) => ({
          path: join(folder.path, ...path.split('/')),
          uri: vscode.Uri.joinPath(folder.uri, ...path.split('/')),
        })),
      );
    }
    const ordered = search.order === 'name' ? found.map(({ path }) => path).sort() : await newestFirst(found, signal);
    return { paths: ordered.slice(0, search.maxFiles), limited: ordered.length > search.maxFiles };
  }

  private async pathsIn(
    folder: SearchedFolder,
    accepts: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const excludes = excludedGlobs(folder.uri);
    const binary = folder.uri.scheme === 'file' ? await this.binary() : null;
    if (binary !== null)
      return listWithRipgrep({ binary, root: folder.path, excludes, accepts, limit: maxListed, signal });
    const paths: string[] = [];
    for await (const path of walkFolder({
      root: folder.path,
      reader: readerOf(folder),
      excludes,
      signal,
      pace: new Pace(),
    })) {
      if (accepts(path)) paths.push(path);
      if (paths.length >= maxListed) break;
    }
    return paths;
  }

  private binary(): Promise<string | null> {
    this.ripgrep ??= this.findRipgrep().then((found) => {
      if (found === null)
        this.log.warn('No ripgrep was found beside the editor or on PATH: text search reads files one by one.');
      return found;
    });
    return this.ripgrep;
  }
}

function includeMatcher(include: string | null, folderName: string | null): (path: string) => boolean {
  if (include === null) return () => true;
  const matches = globMatcher(include);
  const prefix = folderName === null ? null : `${folderName}/`;
  const matchesNamed =
    prefix !== null && include.startsWith(prefix) ? globMatcher(`/${include.slice(prefix.length)}`) : null;
  return (path) => matches(path) || (matchesNamed?.(path) ?? false);
}

/** Globs that `files.exclude` and `search.exclude` enable for the folder. */
function excludedGlobs(folder: vscode.Uri): readonly string[] {
  return ['files', 'search'].flatMap((section) => {
    const value: unknown = vscode.workspace.getConfiguration(section, folder).get('exclude');
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([glob, on]) => (on === true ? [glob] : []));
  });
}

function unsavedDocuments(
  folder: SearchedFolder,
): readonly { readonly path: string; readonly document: vscode.TextDocument }[] {
  return vscode.workspace.textDocuments.flatMap((document) => {
    const below = document.uri.scheme === folder.uri.scheme ? relative(folder.path, document.uri.fsPath) : '';
    if (!document.isDirty || below === '' || below.startsWith('..')) return [];
    return [{ path: below.split(sep).join('/'), document }];
  });
}

/** Newest first. Files that no longer exist come last. */
async function newestFirst(
  files: readonly { readonly path: string; readonly uri: vscode.Uri }[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const dated: { readonly path: string; readonly modifiedAt: number }[] = [];
  for (let start = 0; start < files.length; start += statAtOnce) {
    signal.throwIfAborted();
    dated.push(
      ...(await Promise.all(
        files
          .slice(start, start + statAtOnce)
          .map(async ({ path, uri }) => ({ path, modifiedAt: await modifiedAt(uri) })),
      )),
    );
  }
  return dated
    .sort((left, right) => right.modifiedAt - left.modifiedAt || (left.path < right.path ? -1 : 1))
    .map(({ path }) => path);
}

async function modifiedAt(uri: vscode.Uri): Promise<number> {
  // Read directly from the disk if possible: going through the editor for each of many files takes seconds.
  const asked =
    uri.scheme === 'file'
      ? stat(uri.fsPath).then(({ mtimeMs }) => mtimeMs)
      : Promise.resolve(vscode.workspace.fs.stat(uri)).then(({ mtime }) => mtime);
  return asked.catch(() => 0);
}

function readerOf(folder: SearchedFolder): FolderReader {
  if (folder.uri.scheme === 'file') return diskReader;
  const uriOf = (path: string): vscode.Uri =>
    vscode.Uri.joinPath(folder.uri, ...relative(folder.path, path).split(sep));
  return {
    list: async (path) =>
      (await Promise.resolve(vscode.workspace.fs.readDirectory(uriOf(path))).catch(() => [])).map(([name, type]) => ({
        name,
        kind: plainKind(type),
      })),
    read: async (path, maxBytes) => {
      const bytes = await Promise.resolve(vscode.workspace.fs.readFile(uriOf(path))).catch(() => null);
      return bytes === null || bytes.length > maxBytes ? null : bytes;
    },
  };
}

/** Does not follow links: they may lead out of the folder. */
function plainKind(type: vscode.FileType): FileKind {
  return type === vscode.FileType.File ? 'file' : type === vscode.FileType.Directory ? 'directory' : 'other';
}

function linesOf(path: string, text: string, search: TextSearch, limit: number): readonly TextMatch[] {
  return matchingLines(text, search, limit).map((match) => ({ path, ...match }));
}
