/** Files of the open folders by their last name, to find the one that is meant by the end of its path. */
export class FileIndex {
  private readonly byName = new Map<string, string[]>();

  /** `paths`: as people read them, with forward slashes. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const known = this.byName.get(name);
      if (known === undefined) this.byName.set(name, [path]);
      else known.push(path);
    }
  }

  /** The file that has this path, else the only one whose path ends with it; null where there is none, or where there are several. */
  find(path: string): string | null {
    const named = this.byName.get(path.slice(path.lastIndexOf('/') + 1)) ?? [];
    if (named.includes(path)) return path;
    const [only, another] = named.filter((candidate) => candidate.endsWith(`/${path}`));
    return another === undefined ? (only ?? null) : null;
  }
}
