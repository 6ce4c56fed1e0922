import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { OpenForeignDatabase } from '../../../../../../src/features/history/core/sources/reading/foreignDatabase';
import type { HistoryFiles } from '../../../../../../src/features/history/core/sources/reading/historyFiles';
import { importWorld, sound, soundness } from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { openInMemory } from '../../../../../support/history/openForeign';
import { mutated, seededNumbers } from '../../../../../support/history/mutations';
import { fixtures, placesWith } from '../../../../../support/history/readHistory';
import { formats } from '../../../../../support/history/formats';

/** For each sample, more than 1,000 in all. */
const mutations = 60;

/** All states of one file, each imported after the one before it: as a session that changes in every way. */
describe.each(formats)('$name', ({ places, path, samples }) => {
  test.each(samples)('is imported whatever is damaged, and the store stays sound: %s', async (sample) => {
    const pick = seededNumbers(20_261_125);
    const content = readFileSync(`${fixtures}/${sample}`);
    let damaged: Uint8Array = content;
    const current = (): MemoryFiles => new MemoryFiles({ [path]: Buffer.from(damaged) }, 16_384);
    const open: OpenForeignDatabase = (at) => openInMemory({ main: Buffer.from(damaged), log: Buffer.alloc(0) })(at);
    const files: HistoryFiles = {
      list: (folder) => current().list(folder),
      stat: (at) => current().stat(at),
      read: (at, range) => current().read(at, range),
    };
    const world = await importWorld(files, open);
    const wrong: unknown[] = [];
    for (let round = 0; round < mutations; round++) {
      damaged = mutated(content, pick);
      const { sessions } = await world.importer.scan(placesWith(places));
      const { entries, records } = await world.importer.run(sessions);
      const failed = entries.filter(({ outcome }) => outcome === 'failed');
      if (failed.length > 0 || records.in !== records.imported + records.skipped)
        wrong.push({ round, records, failed });
    }

    expect(wrong).toEqual([]);
    const { problems, refused } = soundness(world);
    // What a damaged file says twice, or cuts off, is imported as it is, and found.
    const ofImport = problems.filter(({ id }) => id !== 'doubledRow' && id !== 'cutArguments');
    expect({ problems: ofImport, refused }).toEqual(sound);
  });
});
