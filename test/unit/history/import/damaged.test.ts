import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HistoryPlaces } from '../../../../src/history/sources/historyPlaces';
import { importWorld, sound, soundness } from '../../../support/history/importWorld';
import { MemoryFiles } from '../../../support/history/memoryFiles';
import { mutated, seededNumbers } from '../../../support/history/mutations';
import { fixtures, placesWith } from '../../../support/history/readHistory';

interface Format {
  readonly name: string;
  readonly places: Partial<HistoryPlaces>;
  readonly path: string;
  readonly sample: string;
}

const formats: readonly Format[] = [
  {
    name: 'Claude Code',
    places: { claude: '/c' },
    path: '/c/projects/p/s.jsonl',
    sample: 'claudeCode/projects/-home-demo-project/odd.jsonl',
  },
  {
    name: 'Claude Code with a compaction',
    places: { claude: '/c' },
    path: '/c/projects/p/s.jsonl',
    sample: 'claudeCode/projects/-home-demo-project/11111111-2222-4333-8444-555555555555.jsonl',
  },
  {
    name: 'Codex',
    places: { codex: '/c' },
    path: '/c/sessions/2026/11/25/rollout-x.jsonl',
    sample: 'codex/sessions/2026/11/25/rollout-2026-11-25T03-36-52-01a210c7-149e-7340-8d7a-e40748d867f4.jsonl',
  },
  { name: 'a chat file', places: { chosen: ['/c'] }, path: '/c/chat.jsonl', sample: 'chatFiles/trajectories.jsonl' },
  {
    name: 'Cline',
    places: { cline: '/c' },
    path: '/c/data/tasks/t/api_conversation_history.json',
    sample: 'cline/User/globalStorage/rooveterinaryinc.roo-cline/tasks/task-1/api_conversation_history.json',
  },
];
const mutations = 100;

/** All states of one file, each imported after the one before it: as a session that changes in every way. */
describe.each(formats)('$name', ({ places, path, sample }) => {
  test('is imported whatever is damaged, and the store stays sound', async () => {
    const pick = seededNumbers(20_261_125);
    const content = readFileSync(`${fixtures}/${sample}`);
    let damaged: Uint8Array = content;
    const current = (): MemoryFiles => new MemoryFiles({ [path]: Buffer.from(damaged) }, 16_384);
    const world = await importWorld({
      list: (folder) => current().list(folder),
      stat: (at) => current().stat(at),
      read: (at, range) => current().read(at, range),
    });
    const wrong: unknown[] = [];
    for (let round = 0; round < mutations; round++) {
      damaged = mutated(content, pick);
      const { sessions } = await world.importer.scan(placesWith(places));
      const { entries, tally } = await world.importer.run(sessions);
      const failed = entries.filter(({ outcome }) => outcome === 'failed');
      if (failed.length > 0 || tally.in !== tally.imported + tally.skipped) wrong.push({ round, tally, failed });
    }

    expect(wrong).toEqual([]);
    expect(soundness(world)).toEqual(sound);
  }, 120_000);
});
