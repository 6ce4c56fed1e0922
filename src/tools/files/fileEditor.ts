/** Encoding of a file's text. */
export interface TextFormat {
  readonly encoding: 'utf8' | 'utf16le' | 'utf16be';
  readonly hasBom: boolean;
}

/** Text file in its present state: the editor's text when it is open with unsaved changes, else the text on disk. */
export interface TextFile extends TextFormat {
  /** Absolute path. */
  readonly path: string;
  /** Without a byte order mark, with the file's own line ends. */
  readonly text: string;
  /** Identifies this exact state. `apply` refuses a file that has changed since. */
  readonly stamp: string;
}

/** before null: there must be no file. after null: the file is deleted. */
export interface FileEdit {
  readonly path: string;
  readonly before: TextFile | null;
  readonly after: string | null;
  /** Format of a new file. Default: UTF-8 without a byte order mark. An existing file keeps its format. */
  readonly format?: TextFormat;
}

/** Changes files through the editor and saves them to disk, so that open documents, undo, and other extensions see
 *  the change. */
export interface FileEditor {
  /** Null when there is no file. Rejects with `NotAText` for a folder, and for a file that is not text or is too
   *  large to edit. */
  open(path: string, signal: AbortSignal): Promise<TextFile | null>;
  /** Bytes of the file on disk; null when there is no file, also where a folder is. Rejects with `NotAText` for a pipe
   *  or a device, which may never end. */
  bytesOnDisk(path: string): Promise<Uint8Array | null>;
  /** Makes all edits or none, as far as the editor can, and saves. Creates parents of new files. Rejects with
   *  `FileChanged` when a file no longer matches `before`, and with `CannotWrite` when it cannot be written; then
   *  nothing was changed. The user's unsaved changes in an edited file stay in the result and are saved with it.
   *  Ignores `signal` once it has begun to write. */
  apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void>;
}

/** Thrown for a file that cannot be edited as text. The sentences of this and the next two errors are for the model;
 *  they contain the absolute path. */
export class NotAText extends Error {
  override readonly name = 'NotAText';
}

/** Thrown when the file changed, appeared, or disappeared since it was read. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
  constructor(
    readonly path: string,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Thrown when the file is read-only, a folder is in the way, or the editor could not save it. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite';
  constructor(
    readonly path: string,
    sentence: string,
  ) {
    super(sentence);
  }
}
