import { promises as fs } from 'node:fs';
import * as path from 'node:path';
import { CannotWrite, NotAText, type FileEdit, type FileEditor, type TextFile } from '../../src/tools/files/fileEditor';
import {
  assertUnchanged,
  bytesAfter,
  decodeTextFile,
  maxEditableBytes,
  tooLarge,
} from '../../src/tools/files/textFormat';

/** Files on a real disk without an editor. `beforeWriting` may change them behind the tool's back, between its last look and the edit. */
export class FileEditorOnDisk implements FileEditor {
  beforeWriting: () => void = () => undefined;

  async open(file: string): Promise<TextFile | null> {
    const stat = await fs.stat(file).catch(missing);
    if (stat === null) return null;
    if (stat.isDirectory()) throw new NotAText(`${file} is a folder, not a file.`);
    if (stat.size > maxEditableBytes) throw tooLarge(file, stat.size);
    return decodeTextFile(file, await fs.readFile(file));
  }

  async bytesOnDisk(file: string): Promise<Uint8Array | null> {
    return fs.readFile(file).catch((error: NodeJS.ErrnoException) => (error.code === 'EISDIR' ? null : missing(error)));
  }

  async apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.beforeWriting();
    const planned = edits.map((edit) => ({ edit, bytes: bytesAfter(edit) }));
    for (const { edit } of planned) await this.check(edit);
    const done: FileEdit[] = [];
    try {
      for (const { edit, bytes } of planned) {
        await write(edit.path, bytes);
        done.push(edit);
      }
    } catch (error) {
      for (const edit of done.reverse())
        await write(edit.path, edit.before === null ? null : bytesAfter({ ...edit, after: edit.before.text }));
      throw error;
    }
  }

  private async check(edit: FileEdit): Promise<void> {
    assertUnchanged(edit, await this.open(edit.path));
    const stat = await fs.stat(edit.path).catch(missing);
    // By its mode, because the tests may run as root, who can write everything.
    if (stat !== null && (stat.mode & 0o222) === 0)
      throw new CannotWrite(edit.path, `${edit.path} is read-only. Nothing was changed.`);
    for (let parent = path.dirname(edit.path); stat === null; parent = path.dirname(parent)) {
      const above = await fs.stat(parent).catch(missing);
      if (above !== null && !above.isDirectory())
        throw new CannotWrite(
          edit.path,
          `${parent} is a file, so ${edit.path} cannot be created. Nothing was changed.`,
        );
      if (above !== null) break;
    }
  }
}

async function write(file: string, bytes: Uint8Array | null): Promise<void> {
  if (bytes === null) return fs.rm(file);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, bytes);
}

function missing(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
  throw error;
}
