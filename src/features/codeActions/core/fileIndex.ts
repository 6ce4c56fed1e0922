/** Index of the open folders' files by file name. Finds a file by the end of its path. */
export class FileIndex {
  private readonly byName = new Map<string, string[]>();

  /** `paths`: as shown to the user, with forward slashes. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const known = this.byName.get(name);
      if (known === undefined) this.byName.set(name, [path]);
      else known.push(path);
    }
  }

  /** Returns the file with this path, or else the only file whose path ends with it. Null: there is none, or more
   *  than one. */
  find(path: string): string | null {
    const named = this.byName.get(path.slice(path.lastIndexOf('/') + 1)) ?? [];
    if (named.includes(path)) return path;
    const [only, another] = named.filter((candidate) => candidate.endsWith(`/${path}`));
    return another === undefined ? (only ?? null) : null;
  }
}
