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

/** global: on this machine, for every folder · workspace: for the open folder, but stored outside of it. */
export type MemoryScope = 'global' | 'workspace';

export interface MemoryPlace {
  readonly target: MemoryTarget;
  readonly scope: MemoryScope;
  /** Absolute path. */
  readonly path: string;
  readonly limit: number;
}

interface RememberedFilesDeps extends MemoryDisk {
  /** Returns the folder of this machine's memory. */
  readonly globalFolder: () => string;
  /** Returns the folder of the workspace's memory. Null when there is none. */
  readonly workspaceFolder: () => string | null;
}

const names: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };

/** The remembered notes: MEMORY.md and USER.md, for this machine and for the workspace. */
export class RememberedFiles {
  constructor(private readonly deps: RememberedFilesDeps) {}

  /** The places that are available now, in the order in which the system prompt lists them. */
  get places(): readonly MemoryPlace[] {
    return [
      this.place('user', 'global'),
      this.place('user', 'workspace'),
      this.place('memory', 'global'),
      this.place('memory', 'workspace'),
    ].filter((place) => place !== null);
  }

  /** Null for a workspace place when no workspace is open. */
  place(target: MemoryTarget, scope: MemoryScope): MemoryPlace | null {
    const folder = scope === 'global' ? this.deps.globalFolder() : this.deps.workspaceFolder();
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

  /** Resolves when the change is on disk. Rejects with `MemoryFileError`. */
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
    return new MemoryFile(path, this.deps, (text) => entriesOf(text).some((entry) => lengthOf([entry]) > limit));
  }
}
