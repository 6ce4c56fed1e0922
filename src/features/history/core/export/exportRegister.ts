import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import { errnoOf, type FileSystem, readRegister, writeRegister } from '../../../../store/engine/fileSystem';

const blockBytes = 1 << 20;

const register = v.object({
  version: v.literal(1),
  exports: v.array(
    v.object({
      path: v.string(),
      /** SHA-256 of the file when it was written. */
      hash: v.string(),
      sessionIds: v.array(v.string()),
      /** Seconds since 1970. */
      madeAt: v.number(),
    }),
  ),
});

type NotedExport = v.InferOutput<typeof register>['exports'][number];

/** Results of erasing sessions from exported files, by path. */
export interface ForgottenInExports {
  readonly removed: readonly string[];
  /** Changed since Hermes wrote them, so not touched. */
  readonly changed: readonly string[];
  /** No longer where Hermes wrote them, or cannot be read or removed now. */
  readonly unreachable: readonly string[];
  /** Hold other sessions too, so not touched. */
  readonly shared: readonly string[];
}

/** Files with sessions that Hermes exported, so that forgetting a session reaches them. The list is a small file in
 *  the store's folder. It holds paths and ids, and no word of a session. */
export class ExportRegister {
  private readonly path: string;

  constructor(
    private readonly fileSystem: FileSystem,
    /** The store's folder. */
    folder: string,
    /** Seconds since 1970. */
    private readonly now: () => number,
  ) {
    this.path = join(folder, 'exports.json');
  }

  /** Call it when a file was exported completely. A later export to the same path replaces the entry. */
  noteExport(path: string, sessionIds: readonly string[]): void {
    const others = this.exports().filter((noted) => noted.path !== path);
    const hash = hashOfFile(this.fileSystem, path);
    this.write([...others, { path, hash, sessionIds: [...sessionIds], madeAt: this.now() }]);
  }

  exports(): readonly NotedExport[] {
    return readRegister(this.fileSystem, this.path, register)?.exports ?? [];
  }

  /** Removes exported files that hold only these sessions. An entry stays until its file was reached. */
  forget(sessionIds: readonly string[]): ForgottenInExports {
    const erased = new Set(sessionIds);
    const result = { removed: [], changed: [], unreachable: [], shared: [] } as {
      [K in keyof ForgottenInExports]: string[];
    };
    const left = this.exports().filter((noted) => {
      const kept = noted.sessionIds.filter((id) => !erased.has(id));
      if (kept.length === noted.sessionIds.length) return true;
      const outcome = this.reach(noted, kept.length > 0);
      result[outcome].push(noted.path);
      return outcome !== 'removed';
    });
    this.write(left);
    return result;
  }

  private reach({ path, hash }: NotedExport, isShared: boolean): keyof ForgottenInExports {
    try {
      if (this.fileSystem.stat(path) === undefined) return 'unreachable';
      if (hashOfFile(this.fileSystem, path) !== hash) return 'changed';
      if (isShared) return 'shared';
      this.fileSystem.remove(path);
      return 'removed';
    } catch (error) {
      if (errnoOf(error) === 'EUNKNOWN') throw error;
      return 'unreachable';
    }
  }

  private write(exports: readonly NotedExport[]): void {
    writeRegister(this.fileSystem, this.path, { version: 1, exports });
  }
}

function hashOfFile(fileSystem: FileSystem, path: string): string {
  const file = fileSystem.open(path, 'read');
  try {
    const hash = createHash('sha256');
    const block = new Uint8Array(blockBytes);
    for (let at = 0, read = file.read(block, 0); read > 0; at += read, read = file.read(block, at))
      hash.update(block.subarray(0, read));
    return hash.digest('hex');
  } finally {
    file.close();
  }
}
