import { type Dirent, existsSync } from 'node:fs';
import { chmod, readdir, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Everything below a folder but folders, by relative paths. */
export interface ListedFiles {
  readonly names: readonly string[];
  /** Targets of those that are links, which are not followed. */
  readonly links: ReadonlyMap<string, string>;
}

/** Lists the files below a folder, including hidden and ignored ones. Leaves out those of `node_modules`, and all
 *  folders inside `.git`. A folder that cannot be read is listed by its own name; `mends`: after it was tried to make
 *  it readable, because a command may have taken that right away. */
export async function listFiles(folder: string, { mends = false } = {}): Promise<ListedFiles> {
  const names: string[] = [];
  const links = new Map<string, string>();
  const list = async (below: string): Promise<void> => {
    const path = join(folder, below);
    const read = (): Promise<Dirent[]> => readdir(path, { withFileTypes: true });
    const mended = async (): Promise<Dirent[]> => {
      // A folder above it may be readable without leading to what is in it.
      await chmod(path, 0o700).catch(async () => {
        if (below !== '') await chmod(dirname(path), 0o700);
        await chmod(path, 0o700);
      });
      return read();
    };
    const entries = await read()
      .catch((error: unknown) => (mends ? mended() : Promise.reject(error)))
      .catch(() => null);
    if (entries === null) {
      if (below !== '' && existsSync(path)) names.push(below.slice(0, -1));
      return;
    }
    for (const entry of entries) {
      const name = `${below}${entry.name}`;
      if (entry.isSymbolicLink()) links.set(name, await readlink(join(folder, name)).catch(() => ''));
      if (!entry.isDirectory()) names.push(name);
    }
    const folders = entries.filter((entry) => entry.isDirectory() && isListed(below, entry));
    await Promise.all(folders.map(({ name }) => list(`${below}${name}/`)));
  };
  await list('');
  return { names, links };
}

function isListed(below: string, { name }: Dirent): boolean {
  return name !== 'node_modules' && !/(^|\/)\.git\/$/.test(below);
}
