import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates and returns the folder for private copies below a shared temporary folder. Only this user can enter it, and
 *  the sandbox hides it from commands. Throws if it belongs to somebody else. */
export function privateFolder(temporary = tmpdir()): string {
  const user = process.getuid?.();
  const folder = join(temporary, `hermes-private-${user ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (user !== undefined && found.uid !== user))
    throw new Error(`${folder} belongs to another user.`);
  if (user !== undefined) chmodSync(folder, 0o700);
  return folder;
}
