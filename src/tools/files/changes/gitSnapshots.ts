import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/clock';
import { largestKept } from './contentHash';
import type { RunGit } from './gitProgram';
import { differencesOf, parseBatch, parseRaw, parseSizes, quoted, split } from './gitOutput';
import { type DiscardedFiles, NotWatched, type Snapshot, type SnapshotTaker } from './snapshot';

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
}

/** State of a work tree: the tree object that we wrote, and the index it came from. */
interface Looked {
  readonly tree: string;
  readonly index: string;
}

/** Takes snapshots of Git work trees. Git reads them through our own repository next to the store, with its own
 *  index, objects, and settings. The user's repository is only read: its index is copied once, to skip unchanged
 *  files, and its objects are looked up. So its index, stash, refs, and objects cannot change. Files that .gitignore
 *  excludes are not seen. Conversions (line ends, LFS) are off: a file's bytes are its bytes. */
export class GitSnapshots implements SnapshotTaker {
  private readonly places = new Map<string, Promise<Place>>();
  /** Places whose index knows the bytes of every file. */
  private readonly exact = new WeakSet<Place>();
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
  async take(folder: string, patienceMs: number): Promise<Snapshot> {
    const until = this.clock.monotonicMs() + patienceMs;
    const root = await this.rootOf(folder, patienceMs);
    const place = await this.placeOf(root, until);
    const looked = await this.inOrder(async (): Promise<Looked> => {
      const tree = await this.writeTree(place, until);
      const index = `${place.index}.${++this.count}`;
      // A folder without files has no index.
      await copyFile(place.index, index).catch(() => undefined);
      return { tree, index };
    });
    return { differences: (patience) => this.differences(place, looked, this.clock.monotonicMs() + patience) };
  }

  async holds(folder: string, { paths, tree }: DiscardedFiles, patienceMs: number): Promise<boolean> {
    const until = this.clock.monotonicMs() + patienceMs;
    const place = await this.placeOf(await this.rootOf(folder, patienceMs), until);
    const names = paths.map((file) => path.relative(place.root, file).split(path.sep).join('/'));
    if (names.some((name) => name === '..' || name.startsWith('../') || path.isAbsolute(name))) return false;
    await this.inOrder(() => this.readConverted(place, until));
    const changed = tree === null ? [] : await this.inOrder(() => this.changedNames(place, until, tree));
    if ((await this.takenOf(place, changed)).length < changed.length) return false;
    for (let from = 0; from < names.length; from += mostNamed) {
      const some = names.slice(from, from + mostNamed);
      const listed = ['--literal-pathspecs', 'ls-files', '-z', '-c', '-o', '--exclude-standard', '--', ...some];
      const known = new Set(await this.inOrder(async () => split(await this.in(place, listed, until))));
      if (!some.every((name) => known.has(name))) return false;
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

  private async rootOf(folder: string, patienceMs: number): Promise<string> {
    await this.cleared();
    const root = (
      await this.git({ args: ['-C', folder, 'rev-parse', '--show-toplevel'], patienceMs, startIn: this.home() })
    )
      .toString()
      .replace(/\r?\n$/, '');
    if (root === '') throw new NotWatched('the folder is in no Git work tree');
    return path.normalize(root);
  }

  /** Deletes what an earlier window left: this window cannot use it. */
  private async cleared(): Promise<void> {
    const home = this.home();
    if (this.begun !== home) await rm(home, { recursive: true, force: true });
    this.begun = home;
    await mkdir(home, { recursive: true });
  }

  private placeOf(root: string, until: number): Promise<Place> {
    const known = this.places.get(root);
    if (known !== undefined) return known;
    const made = this.make(root, until);
    this.places.set(root, made);
    made.catch(() => this.places.delete(root));
    return made;
  }

  private async make(root: string, until: number): Promise<Place> {
    const startIn = this.home();
    const ask = async (...args: readonly string[]): Promise<string> =>
      (await this.git({ args: ['-C', root, 'rev-parse', ...args], patienceMs: this.left(until), startIn }))
        .toString()
        .replace(/\r?\n$/, '');
    const [objects, index, excludes, format] = [
      path.resolve(root, await ask('--git-path', 'objects')),
      path.resolve(root, await ask('--git-path', 'index')),
      path.resolve(root, await ask('--git-path', 'info/exclude')),
      await ask('--show-object-format'),
    ];
    const own = path.join(startIn, createHash('sha256').update(root).digest('hex').slice(0, 16));
    await rm(own, { recursive: true, force: true });
    await this.git({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, own],
      patienceMs: this.left(until),
      startIn,
    });
    await mkdir(path.join(own, 'info'), { recursive: true });
    await writeFile(path.join(own, 'info', 'attributes'), '* -text -eol -filter -ident -working-tree-encoding -diff\n');
    await copyFile(excludes, path.join(own, 'info', 'exclude')).catch(() => undefined);
    const ownIndex = path.join(own, 'index');
    const place: Place = {
      root,
      startIn,
      index: ownIndex,
      env: {
        GIT_DIR: own,
        GIT_WORK_TREE: root,
        GIT_INDEX_FILE: ownIndex,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects),
      },
    };
    await this.copyIndex(place, index, until);
    return place;
  }

  /** Copies the index. If it needs the user's repository next to it (split, sparse), deletes the copy; then every
   *  file is read once. */
  private async copyIndex(place: Place, index: string, until: number): Promise<void> {
    try {
      await copyFile(index, place.index);
      await this.in(place, ['ls-files', '-s', '-z', '--', ':(top,glob).gitattributes'], until);
    } catch {
      await rm(place.index, { force: true });
    }
  }

  private async writeTree(place: Place, until: number): Promise<string> {
    await this.update(
      place,
      await this.takenOf(place, await this.changedNames(place, until)),
      until,
      '--add',
      '--remove',
    );
    return (await this.in(place, ['write-tree', '--missing-ok'], until)).toString().trim();
  }

  /** Files that differ from our index, without other repositories. `all`: also those that are not in it. */
  private async changedNames(place: Place, until: number, part: 'changed' | 'all' = 'all'): Promise<readonly string[]> {
    await rm(`${place.index}.lock`, { force: true });
    const others = part === 'all' ? ['-o', '--exclude-standard'] : [];
    const listed = split(await this.in(place, ['ls-files', '-z', '-m', ...others], until)).filter(
      (name) => !name.endsWith('/'),
    );
    if (listed.length > mostFiles) throw new NotWatched(`more than ${mostFiles} files there are not in Git`);
    return [...new Set(listed)];
  }

  private async update(
    place: Place,
    names: readonly string[],
    until: number,
    ...flags: readonly string[]
  ): Promise<void> {
    const input = names.map((name) => `${name}\0`).join('');
    if (input !== '') await this.in(place, ['update-index', ...flags, '-z', '--stdin'], until, input);
  }

  /** Those that a snapshot holds. Deleted files are included, as deleted. */
  private async takenOf({ root }: Place, names: readonly string[]): Promise<readonly string[]> {
    const taken: string[] = [];
    for (const name of names) {
      const stat = await lstat(path.join(root, name)).catch(() => null);
      if (stat === null || (stat.isFile() && stat.size <= largestKept)) taken.push(name);
    }
    return taken;
  }

  /** Reads the files that the user's Git stores as other bytes (line ends, LFS), mostly of another size: the copied
   *  index knows only those. Once per repository. */
  private async readConverted(place: Place, until: number): Promise<void> {
    if (this.exact.has(place)) return;
    const sizes = parseSizes(await this.in(place, ['ls-files', '--debug', '-z'], until));
    const plain = split(await this.in(place, ['ls-files', '-s', '-z'], until)).flatMap((line) => {
      const [, hash, name] = /^100\d{3} (\w+) 0\t(.*)$/s.exec(line) ?? [];
      return hash === undefined || name === undefined ? [] : [{ hash, name }];
    });
    const stored = await this.storedSizes(
      place,
      plain.map(({ hash }) => hash),
      until,
    );
    const converted = plain.filter(({ name }, at) => stored[at] !== sizes.get(name)).map(({ name }) => name);
    const taken = await this.takenOf(place, converted);
    await this.update(place, taken, until, '--force-remove');
    await this.update(place, taken, until, '--add', '--remove');
    this.exact.add(place);
  }

  private differences(place: Place, before: Looked, until: number): ReturnType<Snapshot['differences']> {
    return this.inOrder(async () => {
      const after = await this.writeTree(place, until);
      const changed = parseRaw(
        await this.in(
          place,
          ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', before.tree, after],
          until,
        ),
      );
      if (changed.length > mostChanged) throw new NotWatched(`more than ${mostChanged} files were changed`);
      const contents = await this.contents(
        place,
        changed.flatMap(({ from, to }) => [from, to]),
        until,
      );
      const sizes = await this.sizesIn(
        place,
        before,
        changed.flatMap(({ name, from }) => (from === null ? [] : [name])),
        until,
      );
      await rm(before.index, { force: true });
      return differencesOf(place.root, changed, contents, sizes);
    });
  }

  /** File sizes on disk. Git stores a converted file (line ends, LFS) as other bytes, mostly with another size. */
  private async sizesIn(
    place: Place,
    { index }: Looked,
    names: readonly string[],
    until: number,
  ): Promise<ReadonlyMap<string, number>> {
    const asked = { ...place, env: { ...place.env, GIT_INDEX_FILE: index } };
    const sizes = new Map<string, number>();
    for (let from = 0; from < names.length; from += mostNamed) {
      const out = await this.in(
        asked,
        ['--literal-pathspecs', 'ls-files', '--debug', '-z', '--', ...names.slice(from, from + mostNamed)],
        until,
      );
      for (const [name, size] of parseSizes(out)) sizes.set(name, size);
    }
    return sizes;
  }

  private async contents(
    place: Place,
    hashes: readonly (string | null)[],
    until: number,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const wanted = [...new Set(hashes.filter((hash) => hash !== null))];
    if (wanted.length === 0) return new Map();
    const sizes = await this.storedSizes(place, wanted, until);
    if (sizes.reduce((sum, size) => sum + (size || 0), 0) > mostBytes)
      throw new NotWatched('the files that were changed are too large together');
    return parseBatch(
      await this.in(place, ['cat-file', '--batch', '--buffer'], until, wanted.map((hash) => `${hash}\n`).join('')),
    );
  }

  /** NaN for an object that is missing. */
  private async storedSizes(place: Place, hashes: readonly string[], until: number): Promise<readonly number[]> {
    const input = hashes.map((hash) => `${hash}\n`).join('');
    return split(await this.in(place, ['cat-file', '--batch-check=%(objectsize)', '--buffer'], until, input), '\n').map(
      Number,
    );
  }

  private in(place: Place, args: readonly string[], until: number, input?: string): Promise<Buffer> {
    return this.git({
      args: ['-C', place.root, ...args],
      env: place.env,
      patienceMs: this.left(until),
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
