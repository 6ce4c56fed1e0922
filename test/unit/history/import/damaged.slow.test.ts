import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HistoryPlaces } from '../../../../src/history/sources/historyPlaces';
import type { OpenForeignDatabase } from '../../../../src/history/sources/reading/foreignDatabase';
import type { HistoryFiles } from '../../../../src/history/sources/reading/historyFiles';
import { importWorld, sound, soundness } from '../../../support/history/importWorld';
import { MemoryFiles } from '../../../support/history/memoryFiles';
import { openInMemory } from '../../../support/history/openForeign';
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
  {
    name: 'a compressed rollout of Codex',
    places: { codex: '/c' },
    path: '/c/sessions/2026/11/25/rollout-x.jsonl.zst',
    sample: 'codex/sessions/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst',
  },
  {
    name: 'pi',
    places: { pi: '/c' },
    path: '/c/sessions/p/2026-11-25T03-38-09-782Z_s.jsonl',
    sample: 'pi/sessions/--home-demo-project--/2026-11-25T03-38-09-782Z_01a210c8-43ec-73cf-8523-970260993f9d.jsonl',
  },
  {
    name: 'VS Code Chat',
    places: { editors: ['/c'] },
    path: '/c/globalStorage/emptyWindowChatSessions/s.json',
    sample: 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions/flat-1.json',
  },
  {
    name: 'a journal of VS Code Chat',
    places: { editors: ['/c'] },
    path: '/c/globalStorage/emptyWindowChatSessions/s.jsonl',
    sample: 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions/journal-1.jsonl',
  },
  { name: 'Hermes Agent', places: { hermes: '/c' }, path: '/c/state.db', sample: 'hermes/profiles/compacted/state.db' },
];
/** For each format, more than 1,000 in all. */
const mutations = 105;

/** All states of one file, each imported after the one before it: as a session that changes in every way. */
describe.each(formats)('$name', ({ places, path, sample }) => {
  test('is imported whatever is damaged, and the store stays sound', async () => {
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
      const { entries, tally } = await world.importer.run(sessions);
      const failed = entries.filter(({ outcome }) => outcome === 'failed');
      if (failed.length > 0 || tally.in !== tally.imported + tally.skipped) wrong.push({ round, tally, failed });
    }

    expect(wrong).toEqual([]);
    expect(soundness(world)).toEqual(sound);
  }, 120_000);
});
