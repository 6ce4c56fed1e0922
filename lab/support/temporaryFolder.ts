import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Works in a folder that is removed afterwards. */
export async function inTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `hermes-${name}-`));
  try {
    return await work(folder);
  } finally {
    // A program that was killed may be writing its last file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Folders of a product without an editor: one for its store and one that is open, with a file in it. */
export function productFolders(root: string): { readonly storage: string; readonly project: string } {
  const folders = { storage: join(root, 'storage'), project: join(root, 'project') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(join(folders.project, 'README.md'), '# Parcels\n');
  return folders;
}
