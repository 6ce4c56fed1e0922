import { t } from './translate';

/** Says that a path leads to a pipe, a device or a folder. */
export function notAFile(path: string): string {
  return t('{path} is not a file, so it can’t be read.', { path });
}
