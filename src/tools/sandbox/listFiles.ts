import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything below a folder but folders, by relative paths. */
export interface ListedFiles {
  readonly names: readonly string[];
  /** Targets of those that are links, which are not followed. */
  readonly links: ReadonlyMap<string, string>;
}

/** Lists the files below a folder, including hidden and ignored ones. Leaves out those of `node_modules`, and all
 *  folders inside `.git`. */
export type ListFiles = (folder: string) => Promise<ListedFiles>;

/** Folders that cannot be read are left out: a command could not read them either. */
export const listFiles: ListFiles = async (folder) => {
  const names: string[] = [];
  const links = new Map<string, string>();
  const list = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
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
};

function isListed(below: string, { name }: Dirent): boolean {
  return name !== 'node_modules' && !/(^|\/)\.git\/$/.test(below);
}
