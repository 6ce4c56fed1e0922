import { SimulatedDisk } from './simulatedDisk';
import { openDatabase } from '../../src/store/open/openDatabase';
import { storeFiles } from '../../src/store/open/storeFiles';
import { migrate } from '../../src/store/schema/migrations';
import { testSqlite } from './sqlite';

let made: Promise<Uint8Array> | undefined;

/** The main file of a store in which nothing was ever written, with the newest schema and no log. A test that begins with it spares the
 *  making of the tables, which takes longer than most of what tests do with them; tests of opening and migrating make their own. */
export function emptyStore(): Promise<Uint8Array> {
  made ??= make();
  return made;
}

/** Puts such a store, durable, on a disk that has none in this folder. */
export async function putEmptyStore(disk: SimulatedDisk, folder: string): Promise<void> {
  const { main, log } = storeFiles(folder);
  if (disk.stat(main) === undefined && disk.stat(log) === undefined) disk.put(main, await emptyStore());
}

async function make(): Promise<Uint8Array> {
  const [disk, folder] = [new SimulatedDisk(), '/store'];
  const { database } = openDatabase({
    sqlite: await testSqlite(),
    fileSystem: disk,
    folder,
    now: () => 0,
  });
  migrate(database);
  database.close();
  return disk.bytesOf(storeFiles(folder).main);
}
