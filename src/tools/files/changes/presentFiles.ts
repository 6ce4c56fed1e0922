import { FileChanged, NotAText, type FileEditor, type TextFile } from '../fileEditor';
import { encodeText } from '../textFormat';
import { hashOf } from './contentHash';
import { textOf } from './undoing';

/** Writes what is not text. The editor has no undo for it. */
export interface RawFiles {
  /** null: the file goes. Parents of a new file are created. */
  write(path: string, bytes: Uint8Array | null): Promise<void>;
}

/** A file as it is now. */
export interface PresentFile {
  readonly path: string;
  /** What it would hold if it were saved now; null where there is none. */
  readonly bytes: Uint8Array | null;
  /** Null where there is no file, or none that the editor changes as text. */
  readonly text: TextFile | null;
}

/** Files as the person has them before them, and the way back to what they held. */
export class PresentFiles {
  constructor(
    private readonly editor: FileEditor,
    private readonly raw: RawFiles,
  ) {}

  async read(path: string): Promise<PresentFile> {
    try {
      const text = await this.editor.open(path, new AbortController().signal);
      return { path, text, bytes: text === null ? null : encodeText(path, text.text, text) };
    } catch (error) {
      if (!(error instanceof NotAText)) throw error;
      return { path, text: null, bytes: await this.editor.bytesOnDisk(path) };
    }
  }

  /** Has the file hold `bytes` (null: be gone), through the editor where it is text, so that the editor can undo it. Rejects with `FileChanged`
   *  where the file is no longer `present`: then nothing was done. */
  async put(present: PresentFile, bytes: Uint8Array | null): Promise<void> {
    const { path } = present;
    const wanted = bytes === null ? null : textOf(path, bytes);
    const isText = (present.bytes === null || present.text !== null) && (bytes === null || wanted !== null);
    if (isText) {
      const format = wanted === null ? {} : { format: { encoding: wanted.encoding, hasBom: wanted.hasBom } };
      await this.editor.apply(
        [{ path, before: present.text, after: wanted?.text ?? null, ...format }],
        new AbortController().signal,
      );
      if (hashOf(await this.editor.bytesOnDisk(path)) === hashOf(bytes)) return;
      // It was saved in the format it had, or something tidied it while it was saved.
      await this.raw.write(path, bytes);
      return;
    }
    const now = await this.read(path);
    if (hashOf(now.bytes) !== hashOf(present.bytes))
      throw new FileChanged(path, `${path} was changed meanwhile. Nothing was changed.`);
    await this.raw.write(path, bytes);
  }

  /** The same for a text whose lines are known. Something that tidies it while it is saved may do so: the person wants that in their own text. */
  async putText(present: PresentFile & { readonly text: TextFile }, text: string): Promise<void> {
    await this.editor.apply([{ path: present.path, before: present.text, after: text }], new AbortController().signal);
  }
}
