/** Folder that is open in the editor. `path` is absolute; `name` is unique among the open folders. */
export interface WorkspaceRoot {
  readonly name: string;
  readonly path: string;
}

export type FileKind = 'file' | 'directory' | 'other';

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface TextMatch {
  /** Absolute path. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Whole line, without its line end. */
  readonly text: string;
}

export interface TextSearch {
  readonly query: string;
  readonly isRegularExpression: boolean;
  readonly caseSensitive: boolean;
  /** Glob over paths below the roots; null for every file. */
  readonly include: string | null;
  readonly maxMatches: number;
  /** Absolute: search below this folder, which may be outside the open ones. Default: all open folders. */
  readonly folder?: string;
}

export interface TextSearchResult {
  readonly matches: readonly TextMatch[];
  /** True when there were more than `maxMatches`. */
  readonly limited: boolean;
}

export interface FileSearch {
  /** Glob over paths below the folder. */
  readonly pattern: string;
  /** modified: newest first. */
  readonly order: 'name' | 'modified';
  readonly maxFiles: number;
  /** Same as in `TextSearch`. */
  readonly folder?: string;
}

export interface FileSearchResult {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** True when there were more than `maxFiles`. */
  readonly limited: boolean;
}

/** Open folders as tools see them: the text in the editor, including unsaved changes. Paths are absolute. A path
 *  that does not exist rejects with `FileNotFound`; any other failure rejects with its own error. */
export interface WorkspaceFiles {
  roots(): readonly WorkspaceRoot[];
  /** Null when there is nothing at the path. */
  kindOf(path: string): Promise<FileKind | null>;
  /** Path with every symbolic link resolved. */
  realPath(path: string): Promise<string>;
  /** Size in bytes as `read` would return it (the editor's text when the file is open with unsaved changes). */
  size(path: string): Promise<number>;
  read(path: string, signal: AbortSignal): Promise<Uint8Array>;
  list(path: string, signal: AbortSignal): Promise<readonly DirectoryEntry[]>;
  /** Leaves out files that ignore files and the editor's exclude settings name. Ends soon after `signal` is aborted. */
  searchText(search: TextSearch, signal: AbortSignal): Promise<TextSearchResult>;
  /** Finds file names, with the same exclusions. */
  findFiles(search: FileSearch, signal: AbortSignal): Promise<FileSearchResult>;
}

export class FileNotFound extends Error {
  override readonly name = 'FileNotFound';
  constructor(readonly path: string) {
    super(`There is no file or folder at ${path}.`);
  }
}
