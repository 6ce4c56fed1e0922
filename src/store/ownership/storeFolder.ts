import { basename, dirname, join } from 'node:path';

/** VS Code's name for a workspace's storage: on a desktop an MD5 in hex, in a browser a 32-bit number in hex with
 *  its sign (measured on code-server: `27bddbce`). A second host of the same folder gets the suffix `-1`, `-2`, …. */
const suffixedWorkspace = /^([0-9a-f]{32}|-?[0-9a-f]{1,8})-\d+$/;

/** Returns the folder of the one history of a folder, given the storage folder from VS Code
 *  (`…/workspaceStorage/<hash>[-N]/<publisher.name>`). While another host holds `<hash>`, VS Code gives a second
 *  host of the same folder `<hash>-1` and so on: two storages, but one history, so the suffix is removed. Any other
 *  path (global storage, a folder from the settings) stays as it is. */
export function storeFolderOf(storageFolder: string): string {
  const parts = workspacePartsOf(storageFolder);
  const hash = parts ? suffixedWorkspace.exec(parts.workspace)?.[1] : undefined;
  return parts && hash !== undefined ? join(parts.root, hash, parts.extension) : storageFolder;
}

function workspacePartsOf(
  folder: string,
): { readonly root: string; readonly workspace: string; readonly extension: string } | null {
  const workspaceFolder = dirname(folder);
  const root = dirname(workspaceFolder);
  if (basename(root) !== 'workspaceStorage') return null;
  return { root, workspace: basename(workspaceFolder), extension: basename(folder) };
}
