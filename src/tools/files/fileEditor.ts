/** How a file's text is written as bytes. */
export interface TextFormat {
  readonly encoding: 'utf8' | 'utf16le' | 'utf16be';
  readonly hasBom: boolean;
}

/** A text file as it is now: what the editor shows of it where it is open with unsaved changes, else what is on disk. */
export interface TextFile extends TextFormat {
  /** Absolute. */
  readonly path: string;
  /** Without a byte order mark, with the line ends the file has. */
  readonly text: string;
  /** Names this very state; `apply` refuses a file that has changed since. */
  readonly stamp: string;
}

/** before null: there must be no file · after null: the file goes. */
export interface FileEdit {
  readonly path: string;
  readonly before: TextFile | null;
  readonly after: string | null;
  /** How a new file is written; absent: UTF-8 without a byte order mark. A file that is there keeps its format. */
  readonly format?: TextFormat;
}

/** Changes files through the editor, so that open documents, undo and other extensions see it, and saves them to disk. */
export interface FileEditor {
  /** Null when there is no file. Rejects with `NotAText` for what is not text or too large to edit, and for a folder. */
  open(path: string, signal: AbortSignal): Promise<TextFile | null>;
  /** The file's bytes on disk; null when there is none. */
  bytesOnDisk(path: string): Promise<Uint8Array | null>;
  /** Makes all edits or none, as far as the editor can, and saves; parents of new files are created. Rejects with `FileChanged` where a file is
   *  no longer what `before` says, and with `CannotWrite` where it cannot be written: nothing was changed then. Unsaved changes of the person in
   *  a file that is edited are kept in the result and saved with it. Once it has begun to write, `signal` is not heeded. */
  apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void>;
}

/** The sentences of these three are for the model; the path in them is the absolute one. */
export class NotAText extends Error {
  override readonly name = 'NotAText';
}

/** The file changed, appeared or went away since it was read. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
  constructor(
    readonly path: string,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** The file is read-only, a folder is in the way, the editor could not save it. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite';
  constructor(
    readonly path: string,
    sentence: string,
  ) {
    super(sentence);
  }
}
