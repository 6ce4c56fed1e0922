import { expect, it } from 'vitest';
import { Backups } from '../../../../../src/features/backup/core/backups';
import { storeFiles } from '../../../../../src/store/open/storeFiles';
import { SystemProcessTable } from '../../../../../src/store/lock/processLookup';
import { openSessionStore } from '../../../../../src/store/worker/openedStore';
import { seededRandom } from '../../../../support/seededRandom';
import { putEmptyStore } from '../../../../support/emptyStore';
import { SimulatedDisk } from '../../../../support/simulatedDisk';
import { testSqlite } from '../../../../support/sqlite';
import { testTime } from '../../../../support/testStore';
import { converse } from '../../../store/library/libraryWorld';

const place = { store: '/store', backups: '/backups' };
const hour = 3600;

it('a power cut leaves only backups that are whole, and all that were made before', async () => {
  const sqlite = await testSqlite();
  const random = seededRandom(7);
  let now = testTime;
  const cuts: { readonly disk: SimulatedDisk; readonly made: readonly string[]; readonly leaving: string[] }[] = [];
  const made: string[] = [];
  /** Backups that the current call removes. */
  let leaving: string[] = [];
  let isCutting = false;
  const disk: SimulatedDisk = new SimulatedDisk({
    intervene: ({ kind }) => {
      if (isCutting && kind !== 'read' && random() < 0.04)
        cuts.push({ disk: disk.powerCut(random), made: [...made], leaving });
      return undefined;
    },
  });
  const backupsOf = (over: SimulatedDisk): Backups =>
    new Backups(
      {
        sqlite,
        fileSystem: over,
        processes: new SystemProcessTable(),
        now: () => now,
        pause: () => undefined,
        copies: '/copies',
      },
      place,
    );
  await putEmptyStore(disk, place.store);
  for (let n = 0; n < 6; n++) {
    const lock = disk.open(storeFiles(place.store).lock, 'create');
    const opened = openSessionStore(
      { sqlite, fileSystem: disk, now: () => now },
      { folder: place.store, fence: lock.identity(), salvage: false },
    );
    converse(opened.operations, `s${n}`, `${String(random())} `.repeat(3000));
    // Far enough apart that older ones are removed as well.
    now += 30 * hour;
    leaving = [];
    isCutting = true;
    const { backup, removed } = backupsOf(disk).make({ reason: 'scheduled', limitBytes: 200_000 });
    isCutting = false;
    made.push(backup.id);
    leaving.push(...removed);
    for (const id of removed) made.splice(made.indexOf(id), 1);
    opened.close();
    lock.close();
  }
  const wrong: unknown[] = [];
  for (const cut of cuts) {
    const backups = backupsOf(cut.disk);
    const { damaged, backups: listed } = backups.list();
    const ids = listed.map(({ id }) => id);
    const problems = [...damaged, ...backups.verify(null)];
    const lost = cut.made.filter((id) => !ids.includes(id) && !cut.leaving.includes(id));
    if (problems.length > 0 || lost.length > 0) wrong.push({ problems, lost });
  }
  expect({ wrong, enough: cuts.length > 20 }).toEqual({ wrong: [], enough: true });
});
