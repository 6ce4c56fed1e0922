import { expect, it } from 'vitest';
import { failingVersions } from './joinedVersions';
import { failingSchedule, simulated } from './schedules';

/** The day, as in 20261120: each day tries other schedules, the same ones in all runs of that day. */
const seed = Number(process.env['HERMES_SEED']) || Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));
const again = `HERMES_SEED=${seed} npx vitest run test/properties/today.test.ts`;

it('turns keep what was shown, once and in order, in the schedules of this day', async () => {
  expect(await failingSchedule({ runs: 5, seed, where: simulated }), again).toBeNull();
});

it('versions of prompts show and send the text of one version in the schedules of this day', async () => {
  expect(await failingVersions({ runs: 3, seed }), again).toBeNull();
});
