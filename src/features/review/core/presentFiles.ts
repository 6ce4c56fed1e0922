import { lstat, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotWrite, FileChanged, NotAText, type TextFile } from '../../../tools/files/fileEditor';
import { encodeText } from '../../../tools/files/textFormat';
import { hashOf } from '../../../tools/files/changes/contentHash';
import type { ReviewServices } from './reviewServices';
import { textOf } from './undoing';

/** File in its present state. */
export interface PresentFile {
  readonly path: string;
  /** Bytes it would have if it were saved now; null when there is no file, also where a folder took its place. */
  readonly bytes: Uint8Array | null;
  /** Null when there is no file, or none that the editor can change as text. */
  readonly text: TextFile | null;
}

/** Reads files as the user sees them, including unsaved text, and restores earlier contents. */
export class PresentFiles {
  constructor(private readonly services: ReviewServices) {}

  async read(path: string): Promise<PresentFile> {
    try {
      const text = await this.services.editor.open(path, new AbortController().signal);
      return { path, text, bytes: text === null ? null : encodeText(path, text.text, text) };
    } catch (error) {
      if (!(error instanceof NotAText)) throw error;
      return { path, text: null, bytes: await this.services.editor.bytesOnDisk(path) };
    }
  }

  /** Writes `bytes` to the file (null: deletes it). Text goes through the editor, so that the editor can undo it.
   *  Rejects with `FileChanged` when the file is no longer `present`; then nothing was changed. */
  async put(present: PresentFile, bytes: Uint8Array | null): Promise<void> {
    const { path } = present;
    if (present.bytes === null && bytes !== null) await clearFolder(path);
    const wanted = bytes === null ? null : textOf(path, bytes);
    const isText = (present.bytes === null || present.text !== null) && (bytes === null || wanted !== null);
    if (isText) {
      const format = wanted === null ? {} : { format: { encoding: wanted.encoding, hasBom: wanted.hasBom } };
      await this.services.editor.apply(
        [{ path, before: present.text, after: wanted?.text ?? null, ...format }],
        new AbortController().signal,
      );
      if (hashOf(await this.services.editor.bytesOnDisk(path)) === hashOf(bytes)) return;
      // The editor saved it in the file's previous format, or a formatter changed it while saving.
      await this.services.writeRaw(path, bytes);
      return;
    }
    const now = await this.read(path);
    if (hashOf(now.bytes) !== hashOf(present.bytes))
      throw new FileChanged(path, `${path} was changed meanwhile. Nothing was changed.`);
    await this.services.writeRaw(path, bytes);
  }

  /** Writes a text through the editor. A formatter may change it while saving: the user wants that for their own
   *  text. */
  async putText(present: PresentFile & { readonly text: TextFile }, text: string): Promise<void> {
    await this.services.editor.apply(
      [{ path: present.path, before: present.text, after: text }],
      new AbortController().signal,
    );
  }
}

/** Removes a folder without files that took the place of a file. Rejects with `CannotWrite` when files are in it. */
async function clearFolder(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat?.isDirectory() !== true) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) throw new CannotWrite(path, `${path} is a folder with files in it. Nothing was changed.`);
    await clearFolder(join(path, entry.name));
  }
  await rmdir(path);
}
