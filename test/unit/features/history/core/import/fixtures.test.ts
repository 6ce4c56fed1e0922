import { describe, expect, test } from 'vitest';
import type { HistoryPlaces } from '../../../../../../src/features/history/core/sources/historyPlaces';
import { importWorld, sound, soundness, storedOutline } from '../../../../../support/history/importWorld';
import { fixtures, placesWith } from '../../../../../support/history/readHistory';

const formats: { readonly [name: string]: Partial<HistoryPlaces> } = {
  'Claude Code': { claude: `${fixtures}/claudeCode` },
  Codex: { codex: `${fixtures}/codex` },
  'Hermes Agent': { hermes: `${fixtures}/hermes` },
  'chat files': { chosen: [`${fixtures}/chatFiles`] },
  'VS Code Chat': { editors: [`${fixtures}/vscodeChat/User`] },
  'Gemini CLI': { gemini: `${fixtures}/gemini` },
  'Qwen Code': { qwen: `${fixtures}/qwen` },
  'exports of ChatGPT and claude.ai': { chosen: [`${fixtures}/webExports`] },
  pi: { pi: `${fixtures}/pi` },
  OpenCode: { opencode: `${fixtures}/opencode` },
  Cline: { cline: `${fixtures}/cline`, editors: [`${fixtures}/cline/User`] },
};

describe.each(Object.entries(formats))('%s', (_, places) => {
  test('becomes rows of the store that every provider accepts', async () => {
    const world = await importWorld();
    const { sessions } = await world.importer.scan(placesWith(places));
    const result = await world.importer.run(sessions);

    expect([
      ...storedOutline(world),
      `in ${result.records.in} = ${result.records.imported} + ${result.records.skipped}`,
    ]).toMatchSnapshot();
    expect(result.records.in).toBe(result.records.imported + result.records.skipped);
    expect(soundness(world)).toEqual(sound);
  });

  test('is imported once, however often', async () => {
    const world = await importWorld();
    const { sessions } = await world.importer.scan(placesWith(places));
    await world.importer.run(sessions);
    const before = storedOutline(world);
    world.clock.now += 10;
    const again = await world.importer.run(sessions);
    world.database.run("UPDATE state_meta SET value = json_set(value, '$.stamp', '') WHERE key LIKE 'import:%'");
    const unstamped = await world.importer.run(sessions);

    expect([again, unstamped].map(({ messages, counts }) => ({ messages, ...counts, unchanged: 0, empty: 0 }))).toEqual(
      [0, 0].map(() => ({
        messages: 0,
        imported: 0,
        extended: 0,
        branched: 0,
        unchanged: 0,
        forgotten: 0,
        empty: 0,
        failed: 0,
      })),
    );
    expect(storedOutline(world)).toEqual(before);
  });
});
