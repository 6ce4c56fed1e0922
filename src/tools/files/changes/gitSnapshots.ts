import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/clock';
import { largestKept } from './contentHash';
import type { RunGit } from './gitProgram';
import { parseBatch, parseDebug, parseListed, parseRaw, quoted, split, type RawChange } from './gitOutput';
import { type DiscardedFiles, NotWatched, type FileDifference, type Snapshot, type SnapshotTaker } from './snapshot';
import { mayDelete, statKey, Unseen } from './unseen';

/** Limits. `mostFiles`: untracked and changed files in one snapshot. `mostChanged` and `mostBytes`: number and total
 *  bytes of the files recorded as changes of one command. */
const mostFiles = 20_000;
const mostChanged = 2000;
const mostBytes = 64 * 1024 * 1024;
/** Names on one command line: Windows accepts about 32,000 characters. */
const mostNamed = 100;

interface Place {
  /** Root of the work tree. */
  readonly root: string;
  readonly index: string;
  readonly env: Readonly<Record<string, string>>;
  readonly startIn: string;
  /** Setting of the user's repository: false where the file system knows no permission to run. */
  readonly fileMode: string;
}

/** State of a work tree: the tree object that we wrote, the index it came from, and what is in neither. */
interface Looked {
  readonly tree: string;
  readonly index: string;
  readonly unseen: Unseen;
}

/** A look at the files. `skipped`: names that changed, and of which the look before did not see what was there. */
interface Look {
  readonly tree: string;
  readonly unseen: Unseen;
  readonly skipped: readonly string[];
}

/** Takes snapshots of Git work trees. Git reads them through our own repository next to the store, with its own
 *  index, objects, and settings. The user's repository is only read: its index is copied once, to skip unchanged
 *  files, and its objects are looked up. So its index, stash, refs, and objects cannot change. Files that .gitignore
 *  excludes are not seen. Conversions (line ends, LFS) are off: a file's bytes are its bytes. */
export class GitSnapshots implements SnapshotTaker {
  private readonly places = new Map<string, Promise<Place>>();
  /** Git's index is one file, so snapshots run one after the other. */
  private queue: Promise<unknown> = Promise.resolve();
  private count = 0;
  private begun: string | null = null;

  constructor(
    private readonly git: RunGit,
    private readonly clock: Clock,
    /** Folder of our repositories; emptied before its first use. */
    private readonly home: () => string,
  ) {}

  /** Also rejects with `NotWatched` when the folder is in no work tree. */
  async take(folder: string, timeoutMs: number): Promise<Snapshot> {
    const until = this.clock.monotonicMs() + timeoutMs;
    const root = await this.rootOf(folder, timeoutMs);
    const place = await this.placeOf(root, until);
    const looked = await this.inOrder(async (): Promise<Looked> => {
      const { tree, unseen } = await this.writeTree(place, until, null);
      const index = `${place.index}.${++this.count}`;
      // A folder without files has no index.
      await copyFile(place.index, index).catch(() => undefined);
      return { tree, index, unseen };
    });
    return { differences: (timeoutMs) => this.differences(place, looked, this.clock.monotonicMs() + timeoutMs) };
  }

  async holds(folder: string, { paths, tree }: DiscardedFiles, timeoutMs: number): Promise<boolean> {
    const until = this.clock.monotonicMs() + timeoutMs;
    const place = await this.placeOf(await this.rootOf(folder, timeoutMs), until);
    const names = paths.map((file) => path.relative(place.root, file).split(path.sep).join('/'));
    if (names.some((name) => name === '..' || name.startsWith('../') || path.isAbsolute(name))) return false;
    for (const name of names) if (await isBelowLink(place.root, name)) return false;
    if (tree !== null && !(await this.inOrder(() => this.holdsChanges(place, tree, until)))) return false;
    for (let from = 0; from < names.length; from += mostNamed)
      if (!(await this.inOrder(() => this.holdsAll(place, names.slice(from, from + mostNamed), until)))) return false;
    return true;
  }

  private async holdsChanges(place: Place, part: 'changed' | 'all', until: number): Promise<boolean> {
    const others = part === 'all' ? ['-o', '--exclude-standard'] : [];
    const unseen = new Unseen();
    // `git clean` leaves other repositories alone.
    for (const name of split(await this.in(place, ['ls-files', '-z', '-m', ...others], until)))
      if (!name.endsWith('/') && !(await this.isTaken(place, name, unseen))) return false;
    return true;
  }

  private async holdsAll(place: Place, names: readonly string[], until: number): Promise<boolean> {
    const list = async (...options: readonly string[]): Promise<readonly string[]> =>
      split(await this.in(place, ['--literal-pathspecs', 'ls-files', '-z', ...options, '--', ...names], until));
    // A snapshot reads these anew, so it has their bytes.
    const read = new Set(await list('-m', '-o', '--exclude-standard'));
    const stored = new Map((await list('-s')).map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1]]));
    const unread = names.filter((name) => !read.has(name));
    const hashes = unread.map((name) => stored.get(name) ?? '0');
    if (hashes.length === 0) return true;
    const sizes = await this.sizes(place, hashes, until);
    for (const [index, name] of unread.entries()) {
      // Git may have stored it in another form, mostly of another size (line ends, LFS).
      const stat = await lstat(path.join(place.root, name)).catch(() => null);
      if (stat === null || sizes[index] !== String(stat.size)) return false;
    }
    return true;
  }

  /** True when Git works with this folder. Otherwise use another kind of snapshot. */
  async isWorkTree(folder: string): Promise<boolean> {
    return this.rootOf(folder, 2000).then(
      () => true,
      () => false,
    );
  }

  /** Deletes all stored contents. */
  async clear(): Promise<void> {
    await this.inOrder(async () => {
      this.places.clear();
      await rm(this.home(), { recursive: true, force: true });
    });
  }

  private async rootOf(folder: string, timeoutMs: number): Promise<string> {
    await this.cleared();
    const args = ['-C', folder, 'rev-parse', '--show-toplevel', '--is-inside-work-tree'];
    const told = (await this.git({ args, timeoutMs, startIn: this.home() })).toString();
    // A repository may name a work tree elsewhere.
    const root = /^(.+?)\r?\ntrue\r?\n$/s.exec(told)?.[1];
    if (root === undefined) throw new NotWatched('the folder is in no Git work tree');
    return path.normalize(root);
  }

  /** Deletes what an earlier window left: this window cannot use it. */
  private async cleared(): Promise<void> {
    const home = this.home();
    if (this.begun !== home) await rm(home, { recursive: true, force: true });
    this.begun = home;
    await mkdir(home, { recursive: true });
  }

  private async placeOf(root: string, until: number): Promise<Place> {
    const known = this.places.get(root);
    const place = await known;
    // Programs that clean up remove it, too.
    if (place !== undefined && existsSync(path.dirname(place.index))) return place;
    const newer = this.places.get(root);
    if (newer !== undefined && newer !== known) return newer;
    const made = this.make(root, until);
    this.places.set(root, made);
    made.catch(() => this.places.delete(root));
    return made;
  }

  private async make(root: string, until: number): Promise<Place> {
    const startIn = this.home();
    const ask = async (...args: readonly string[]): Promise<string> =>
      (await this.git({ args: ['-C', root, ...args], timeoutMs: this.left(until), startIn }))
        .toString()
        .replace(/\r?\n$/, '');
    const placed = async (name: string): Promise<string> =>
      path.resolve(root, await ask('rev-parse', '--git-path', name));
    const fileMode = await ask('config', '--type=bool', '--default=true', '--get', 'core.fileMode');
    const [objects, index, excludes] = [await placed('objects'), await placed('index'), await placed('info/exclude')];
    const format = await ask('rev-parse', '--show-object-format');
    const own = path.join(startIn, createHash('sha256').update(root).digest('hex').slice(0, 16));
    await rm(own, { recursive: true, force: true });
    await this.git({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, own],
      timeoutMs: this.left(until),
      startIn,
    });
    await mkdir(path.join(own, 'info'), { recursive: true });
    await writeFile(path.join(own, 'info', 'attributes'), '* -text -eol -filter -ident -working-tree-encoding -diff\n');
    await copyPlain(excludes, path.join(own, 'info', 'exclude')).catch(() => undefined);
    const ownIndex = path.join(own, 'index');
    const place: Place = {
      root,
      startIn,
      fileMode,
      index: ownIndex,
      env: {
        GIT_DIR: own,
        GIT_WORK_TREE: root,
        GIT_INDEX_FILE: ownIndex,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects),
      },
    };
    await this.copyIndex(place, index, until);
    await this.watchAll(place, until);
    return place;
  }

  /** Copies the index. If it needs the user's repository next to it (split, sparse), deletes the copy; then every
   *  file is read once. */
  private async copyIndex(place: Place, index: string, until: number): Promise<void> {
    try {
      await copyPlain(index, place.index);
      await this.in(place, ['ls-files', '-s', '-z', '--', ':(top,glob).gitattributes'], until);
    } catch {
      await rm(place.index, { force: true });
    }
  }

  /** Takes the marks off files that the user told Git not to look at, as far as they are on the disk. */
  private async watchAll(place: Place, until: number): Promise<void> {
    const marked = split(await this.in(place, ['ls-files', '-v', '-z'], until)).filter((line) => /^[a-zS]/.test(line));
    if (marked.length > mostFiles) return;
    const present: string[] = [];
    for (const line of marked) {
      const name = line.slice(2);
      if ((await lstat(path.join(place.root, name)).catch(() => null)) !== null) present.push(name);
    }
    for (const mark of ['--no-skip-worktree', '--no-assume-unchanged'])
      await this.update(place, [mark], present, until);
  }

  private async update(place: Place, options: readonly string[], names: readonly string[], until: number) {
    const input = names.map((name) => `${name}\0`).join('');
    if (input !== '') await this.in(place, ['update-index', ...options, '-z', '--stdin'], until, input);
  }

  /** `before`: what the look before the command left out. Null for that look itself. */
  private async writeTree(place: Place, until: number, before: Unseen | null): Promise<Look> {
    await rm(`${place.index}.lock`, { force: true });
    const unseen = new Unseen();
    const listed = parseListed(await this.in(place, ['ls-files', '-t', '-z', '-m', '-o', '--exclude-standard'], until));
    if (listed.length > mostFiles) throw new NotWatched(`more than ${mostFiles} files there are not in Git`);
    await this.addIgnored(place, unseen, until);
    const taken: string[] = [];
    const below: string[] = [];
    const skipped: string[] = [];
    for (const { name, isNew } of new Map(listed.map((entry) => [entry.name, entry])).values()) {
      // A repository of its own.
      if (name.endsWith('/')) unseen.add(name);
      else if (before?.has(name) === true) {
        if (await this.isChanged(place, name, isNew, before)) skipped.push(name);
      } else if (!isNew && (await isBelowLink(place.root, name))) below.push(name);
      else if (await this.isTaken(place, name, unseen)) taken.push(name);
    }
    await this.update(place, ['--force-remove'], below, until);
    // Sorted: a file whose place a folder took comes before the files in it.
    await this.update(place, ['--add', '--remove', '--replace'], taken.sort(), until);
    const tree = (await this.in(place, ['write-tree', '--missing-ok'], until)).toString().trim();
    return { tree, unseen, skipped };
  }

  private async addIgnored(place: Place, unseen: Unseen, until: number): Promise<void> {
    const ignored = split(
      await this.in(place, ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory'], until),
    );
    const parents = new Set(ignored.flatMap((name) => (name.endsWith('/') ? [] : foldersOf(name))));
    // Git names a folder of which only the files are ignored as well: new files in it are seen.
    for (const name of ignored) if (!parents.has(name)) unseen.add(name);
  }

  /** True when a file that an earlier look left out may have changed since. */
  private async isChanged(place: Place, name: string, isNew: boolean, before: Unseen): Promise<boolean> {
    return !isNew || (await before.stampsOf(path.join(place.root, name)))?.isTouched === true;
  }

  /** True also for deleted files (a folder may be in their place), links, and other repositories. Notes the others. */
  private async isTaken(place: Place, name: string, unseen: Unseen): Promise<boolean> {
    const stat = await lstat(path.join(place.root, name), { bigint: true }).catch(() => null);
    if (stat === null || stat.isDirectory() || stat.isSymbolicLink()) return true;
    if (stat.isFile() && stat.size <= largestKept) return true;
    unseen.add(name, statKey(stat));
    return false;
  }

  private differences(place: Place, before: Looked, until: number): ReturnType<Snapshot['differences']> {
    return this.inOrder(async () => {
      const after = await this.writeTree(place, until, before.unseen);
      const changed = parseRaw(
        await this.in(
          place,
          ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', before.tree, after.tree],
          until,
        ),
      );
      if (changed.length > mostChanged) throw new NotWatched(`more than ${mostChanged} files were changed`);
      const files = await this.filesOf(place, before, changed, until);
      await rm(before.index, { force: true });
      const unknown = [...files.unknown, ...after.skipped, ...before.unseen.changedIn(after.unseen)];
      return { files: files.known, unknown: [...new Set(unknown)].sort() };
    });
  }

  /** `unknown`: files whose earlier state is not known, or not whole. */
  private async filesOf(
    place: Place,
    before: Looked,
    changed: readonly RawChange[],
    until: number,
  ): Promise<{ readonly known: readonly FileDifference[]; readonly unknown: readonly string[] }> {
    const contents = await this.contents(
      place,
      changed.flatMap(({ from, to }) => [from, to]),
      until,
    );
    const onDisk = await this.indexed(
      place,
      before,
      changed.flatMap(({ name, from }) => (from === null ? [] : [name])),
      until,
    );
    const gone = {
      hashes: new Set(changed.flatMap(({ from }) => (from === null ? [] : [from]))),
      inodes: new Set([...onDisk.values()].map(({ inode }) => BigInt(inode))),
    };
    const known: FileDifference[] = [];
    const unknown: string[] = [];
    for (const { name, from, to, isOther, losesMode } of changed) {
      const file = path.join(place.root, name);
      const [earlier, now] = [from === null ? null : contents.get(from), to === null ? null : contents.get(to)];
      // Git stores a converted file (line ends, LFS) as other bytes, mostly of another size.
      const wasConverted = earlier instanceof Uint8Array && onDisk.get(name)?.size !== earlier.length;
      const isUnknown = isOther || earlier === undefined || now === undefined || wasConverted;
      if (isUnknown || (from === null && !(await mayDelete(before.unseen, file, to, gone)))) unknown.push(name);
      else {
        if (from !== to) known.push({ before: { path: file, bytes: earlier }, after: { path: file, bytes: now } });
        if (losesMode) unknown.push(`${name} (permission to run it)`);
      }
    }
    return { known, unknown };
  }

  /** Sizes and inodes of files as the look before saw them. */
  private async indexed(
    place: Place,
    { index }: Looked,
    names: readonly string[],
    until: number,
  ): Promise<ReturnType<typeof parseDebug>> {
    const asked = { ...place, env: { ...place.env, GIT_INDEX_FILE: index } };
    const found = new Map<string, { readonly size: number; readonly inode: number }>();
    for (let from = 0; from < names.length; from += mostNamed) {
      const out = await this.in(
        asked,
        ['--literal-pathspecs', 'ls-files', '--debug', '-z', '--', ...names.slice(from, from + mostNamed)],
        until,
      );
      for (const [name, entry] of parseDebug(out)) found.set(name, entry);
    }
    return found;
  }

  private async contents(
    place: Place,
    hashes: readonly (string | null)[],
    until: number,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const wanted = [...new Set(hashes.filter((hash) => hash !== null))];
    if (wanted.length === 0) return new Map();
    const sizes = await this.sizes(place, wanted, until);
    if (sizes.reduce((sum, size) => sum + (Number(size) || 0), 0) > mostBytes)
      throw new NotWatched('the files that were changed are too large together');
    return parseBatch(
      await this.in(place, ['cat-file', '--batch', '--buffer'], until, wanted.map((hash) => `${hash}\n`).join('')),
    );
  }

  private async sizes(place: Place, hashes: readonly string[], until: number): Promise<readonly string[]> {
    const input = hashes.map((hash) => `${hash}\n`).join('');
    return split(await this.in(place, ['cat-file', '--batch-check=%(objectsize)', '--buffer'], until, input), '\n');
  }

  private in(place: Place, args: readonly string[], until: number, input?: string): Promise<Buffer> {
    return this.git({
      args: ['-C', place.root, '-c', `core.fileMode=${place.fileMode}`, ...args],
      env: place.env,
      timeoutMs: this.left(until),
      startIn: place.startIn,
      ...(input === undefined ? {} : { input }),
    });
  }

  private left(until: number): number {
    return until - this.clock.monotonicMs();
  }

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }
}

/** Copies a file of the user's repository with its time, by which Git tells which files it has to read again. Refuses
 *  what is no file: a pipe would never end. */
async function copyPlain(from: string, to: string): Promise<void> {
  const found = await stat(from);
  if (!found.isFile()) throw new NotWatched(`${from} is no file`);
  await copyFile(from, to);
  await utimes(to, found.mtime, found.mtime);
}

/** True where a link took the place of a folder: what is there is not in the work tree, and Git refuses such names. */
async function isBelowLink(root: string, name: string): Promise<boolean> {
  for (const folder of foldersOf(name))
    if ((await lstat(path.join(root, folder.slice(0, -1))).catch(() => null))?.isSymbolicLink() === true) return true;
  return false;
}

/** Folders that a name is in, each with its `/`. */
function foldersOf(name: string): readonly string[] {
  return [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index + 1));
}
