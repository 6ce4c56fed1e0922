import type { Inode, Random } from './simulatedInode';

interface NameChange {
  readonly path: string;
  readonly inode: Inode | undefined;
}

/** Changes that happen together, or not at all. */
interface EntryChange {
  readonly number: number;
  readonly names: readonly NameChange[];
}

interface Entry {
  readonly path: string;
  readonly inode: Inode;
}

/** Numbers the changes of all folders of a disk in their order. */
export class NameJournal {
  private last = 0;

  next(): number {
    return ++this.last;
  }

  /** Returns which changes survive a power cut: all up to one of them. */
  cut(random: Random): (change: number) => boolean {
    const last = Math.floor((1 - random()) * (this.last + 1));
    return (change) => change <= last;
  }
}

/** Names in one folder: the durable ones, and the changes since the last sync. */
export class Folder {
  private durable = new Map<string, Entry>();
  private current = new Map<string, Entry>();
  private changes: EntryChange[] = [];
  private readonly leaving = new Set<string>();

  constructor(
    private readonly key: (path: string) => string,
    private readonly journal: NameJournal,
  ) {}

  get(path: string): Inode | undefined {
    return this.current.get(this.key(path))?.inode;
  }

  holds(inode: Inode): boolean {
    return [...this.current].some(([key, entry]) => entry.inode === inode && !this.leaving.has(key));
  }

  set(path: string, inode: Inode | undefined): void {
    this.change([[path, inode]]);
  }

  change(names: readonly (readonly [path: string, inode: Inode | undefined])[]): void {
    const change = { number: this.journal.next(), names: names.map(([path, inode]) => ({ path, inode })) };
    this.apply(this.current, change);
    this.changes.push(change);
  }

  /** Removes the name once its file is closed. */
  leave(path: string): void {
    this.leaving.add(this.key(path));
  }

  isGoing(path: string): boolean {
    return this.leaving.has(this.key(path));
  }

  finishLeaving(inode: Inode): void {
    for (const key of this.leaving) {
      const entry = this.current.get(key);
      if (entry !== undefined && entry.inode !== inode) continue;
      this.leaving.delete(key);
      if (entry !== undefined) this.set(entry.path, undefined);
    }
  }

  names(): string[] {
    return [...this.current.values()].map(({ path }) => path);
  }

  inodes(): Inode[] {
    return [...this.current.values()].map(({ inode }) => inode);
  }

  /** Makes the changes up to this one durable. Default: all. */
  sync(upTo = Number.POSITIVE_INFINITY): void {
    for (const change of this.changes) if (change.number <= upTo) this.apply(this.durable, change);
    this.changes = this.changes.filter(({ number }) => number > upTo);
  }

  /** Number of the newest change that concerns this file, and is not durable yet; else 0. */
  newestChangeOf(inode: Inode): number {
    return this.changes.findLast(({ names }) => names.some((name) => name.inode === inode))?.number ?? 0;
  }

  /** Fills `survivor` with the names that are left. */
  powerCut(survives: (change: number) => boolean, surviving: (inode: Inode) => Inode, survivor: Folder): Folder {
    const entries = new Map(this.durable);
    for (const change of this.changes) if (survives(change.number)) this.apply(entries, change);
    for (const [key, { path, inode }] of entries) survivor.durable.set(key, { path, inode: surviving(inode) });
    survivor.current = new Map(survivor.durable);
    return survivor;
  }

  private apply(entries: Map<string, Entry>, { names }: EntryChange): void {
    for (const { path, inode } of names) {
      if (inode === undefined) entries.delete(this.key(path));
      else entries.set(this.key(path), { path, inode });
    }
  }
}
