import { join } from 'node:path';
import {
  applyOperations,
  entriesOf,
  lengthOf,
  memoryLimits,
  type AppliedOperations,
  type MemoryOperation,
  type MemoryTarget,
  textOf,
} from './memoryEntries';
import { MemoryFile, type MemoryDisk } from './memoryFile';

/** global: on this machine, for every folder · workspace: for the folder that is open, kept outside of it. */
export type MemoryScope = 'global' | 'workspace';

export interface MemoryPlace {
  readonly target: MemoryTarget;
  readonly scope: MemoryScope;
  /** Absolute. */
  readonly path: string;
  readonly limit: number;
}

export interface RememberedFilesParts extends MemoryDisk {
  /** Folder of this machine's memory. */
  readonly globalFolder: () => string;
  /** Folder of the workspace's memory; null without one. */
  readonly workspaceFolder: () => string | null;
}

const names: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };

/** What is remembered: MEMORY.md and USER.md, for this machine and for the workspace. */
export class RememberedFiles {
  constructor(private readonly parts: RememberedFilesParts) {}

  /** Those there can be now, in the order in which they are told to a model. */
  get places(): readonly MemoryPlace[] {
    return [
      this.place('user', 'global'),
      this.place('user', 'workspace'),
      this.place('memory', 'global'),
      this.place('memory', 'workspace'),
    ].filter((place) => place !== null);
  }

  /** Null for a workspace's where there is none. */
  place(target: MemoryTarget, scope: MemoryScope): MemoryPlace | null {
    const folder = scope === 'global' ? this.parts.globalFolder() : this.parts.workspaceFolder();
    return folder === null ? null : { target, scope, path: join(folder, names[target]), limit: memoryLimits[target] };
  }

  /** Throws `MemoryFileError`. */
  entries(place: MemoryPlace): readonly string[] {
    return entriesOf(this.file(place).read());
  }

  /** Throws `MemoryFileError`. */
  create(place: MemoryPlace): void {
    this.file(place).create();
  }

  /** On disk when it resolves. Rejects with `MemoryFileError`. */
  async apply(
    place: MemoryPlace,
    operations: readonly MemoryOperation[],
  ): Promise<AppliedOperations & { readonly before: readonly string[] }> {
    const done: { value: (AppliedOperations & { readonly before: readonly string[] }) | null } = { value: null };
    await this.file(place).edit((text) => {
      const before = entriesOf(text);
      const applied = applyOperations(before, operations, place.limit);
      done.value = { ...applied, before };
      return applied.kind === 'applied' && applied.changes.length > 0 ? textOf(applied.entries) : text;
    });
    if (done.value === null) throw new Error('An edit resolved without having been made.');
    return done.value;
  }

  private file({ path, limit }: MemoryPlace): MemoryFile {
    return new MemoryFile(path, this.parts, (text) => entriesOf(text).some((entry) => lengthOf([entry]) > limit));
  }
}
