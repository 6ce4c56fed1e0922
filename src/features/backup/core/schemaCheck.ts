import type { FileSystem } from '../../../store/engine/fileSystem';
import { readHeader } from '../../../store/open/fileHeader';
import { storeFiles } from '../../../store/open/storeFiles';
import { schemaVersion } from '../../../store/schema/migrations';

/** True if opening the store in this folder would migrate it. Reads the head of the file. Throws the disk's error. */
export function wouldMigrate(fileSystem: FileSystem, store: string): boolean {
  const { main } = storeFiles(store);
  if (fileSystem.stat(main) === undefined) return false;
  const header = readHeader(fileSystem, main);
  return header !== undefined && header.userVersion > 0 && header.userVersion < schemaVersion;
}
