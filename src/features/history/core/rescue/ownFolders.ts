/** Tests if a folder is one of `folders`, or below one. Windows does not tell letters apart by case. */
export function ownFolders(folders: readonly string[], platform: NodeJS.Platform): (folder: string) => boolean {
  const comparable = (path: string): string => (platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path);
  const own = folders.map((folder) => comparable(folder).replace(/\/+$/, ''));
  return (folder) => own.some((one) => `${comparable(folder)}/`.startsWith(`${one}/`));
}
