/** A text file as it is now: what the editor shows of it where it is open with unsaved changes, else what is on disk. */
export interface TextFile {
  /** Absolute. */
  readonly path: string;
  /** Without a byte order mark, with the line ends the file has. */
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le' | 'utf16be';
  readonly hasBom: boolean;
  /** Names this very state; `apply` refuses a file that has changed since. */
  readonly stamp: string;
}

/** before null: there must be no file · after null: the file goes. */
export interface FileEdit {
  readonly path: string;
  readonly before: TextFile | null;
  readonly after: string | null;
}

/** Changes files through the editor, so that open documents, undo and other extensions see it, and saves them to disk. */
export interface FileEditor {
  /** Null when there is no file. Rejects with `NotAText` for what is not text or too large to edit, and for a folder. */
  open(path: string, signal: AbortSignal): Promise<TextFile | null>;
  /** The file's bytes on disk; null when there is none. */
  bytesOnDisk(path: string): Promise<Uint8Array | null>;
  /** Makes all edits or none, as far as the editor can, and saves. Rejects with `FileChanged` where a file is no longer what `before` says:
   *  nothing was changed then. Unsaved changes of the person in a file that is edited are kept in the result and saved with it. */
  apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void>;
}

export class NotAText extends Error {
  override readonly name = 'NotAText';
}

/** The file changed, appeared or went away since it was read. The sentence is for the model. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
  constructor(readonly path: string, sentence: string) {
    super(sentence);
  }
}
