import { isAbsolute, relative, resolve } from 'node:path';

/** Remotes whose machine settings may come from the `devcontainer.json` of the repository. */
const containers: readonly (string | undefined)[] = ['dev-container', 'attached-container', 'codespaces'];

/** True when the settings of the machine may be the repository's. `remoteName`: `vscode.env.remoteName`. */
export function hasRepositorysSettings(remoteName: string | undefined): boolean {
  return containers.includes(remoteName);
}

/** Tells if a path of the machine's settings may be a place that the repository filled. */
export function isInRepository(remoteName: string | undefined, folders: readonly string[]): (path: string) => boolean {
  return (path) =>
    hasRepositorysSettings(remoteName) &&
    folders.some((folder) => {
      const way = relative(folder, resolve(path));
      return !/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way);
    });
}
