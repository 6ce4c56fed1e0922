import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookAsUser, plantedForms, type PlantedPlace, preparePlace, userEnvironment } from '../support/plantedGit';
import { SandboxWorld } from '../support/sandboxWorld';

describe('Git outside of the sandbox', { timeout: 120_000 }, () => {
  let world: SandboxWorld;
  let place: PlantedPlace;
  beforeAll(async () => {
    world = await SandboxWorld.start();
  });
  afterAll(() => world.dispose());
  beforeEach(() => {
    const { home, project, temporary, base } = world;
    for (const folder of [home, temporary]) rmSync(folder, { recursive: true, force: true });
    for (const folder of [project, temporary, world.editor]) mkdirSync(folder, { recursive: true });
    place = { home, project, temporary, program: join(base, 'bin/planted'), mark: join(base, 'mark') };
    rmSync(place.mark, { force: true });
  });

  const outside = (command: string): void =>
    void spawnSync('bash', ['-c', command], { cwd: place.project, env: userEnvironment(place) });

  describe.each(plantedForms)('$group: $name', (form) => {
    it('runs the program if the commands are not confined', () => {
      preparePlace(place, form);
      for (const command of form.commands(place)) outside(command);
      const said = lookAsUser(place, form);
      expect([existsSync(place.mark), said]).toEqual([true, expect.anything()]);
    });

    it('does not run the program if they are', async () => {
      preparePlace(place, form);
      for (const [at, command] of form.commands(place).entries()) await world.run(`echo > ran${at}; ${command}`);
      lookAsUser(place, form);
      const ran = form.commands(place).map((_, at) => existsSync(join(place.project, `ran${at}`)));
      expect([existsSync(place.mark), ran.includes(false)]).toEqual([false, false]);
    });
  });
});
