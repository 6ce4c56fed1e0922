import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The path with its links resolved; the path itself when nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The same, but of a path where nothing is with the links of the folders above it resolved. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
