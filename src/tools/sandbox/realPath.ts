import { realpathSync } from 'node:fs';

/** The path with its links resolved; the path itself when nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
