import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { sandboxProblem } from '../../scripts/sandboxInstall.mjs';
import { reply, startModelServer, type ModelServer } from '../support/modelServer';
import { plantedForms, type PlantedForm, type PlantedPlace, preparePlace } from '../support/plantedGit';
import { waitFor, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { sharedVscode, test } from './vscodeTest';
import { chooseMode, settled } from './workPanel';

/** Tries of each form. */
const tries = Number(process.env['HERMES_PLANTED_TRIES'] ?? 1);
/** Forms that the editor's Git runs without further action of the user. */
const names = [
  'commondir to a folder of the project',
  'commondir to the temporary folder',
  'commondir that is renamed into its place',
  'a missing file that the configuration includes',
  'a missing monitor that the configuration names',
  'config.worktree where worktrees have their own',
  'a new repository',
  'a new repository below',
  'a .git file to a prepared folder',
  'a .git file to the temporary folder',
  'a .git link',
  'a .gitmodules that names a new repository',
  'moved from the temporary folder as a whole',
  'in an entry of the index that names a repository',
];
const forms: readonly PlantedForm[] = plantedForms.filter(({ name }) => names.includes(name));

if (sandboxProblem() === undefined) {
  describe("the editor's own Git", () => {
    const base = fs.realpathSync(fs.mkdtempSync('/tmp/hermes-planted-'));
    const [folder, log, git] = [path.join(base, 'work'), path.join(base, 'git.log'), path.join(base, 'git')];
    let server: ModelServer;
    let workbench: Workbench;
    let panel: ChatPanel;
    let count = 0;
    beforeAll(async () => {
      server = await startModelServer();
      fs.mkdirSync(folder);
      const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
      fs.writeFileSync(git, `#!/bin/sh\necho "$PWD $*" >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
      fs.writeFileSync(log, '');
    });
    const running = sharedVscode(() => ({
      settings: {
        'hermes.providers': [
          { name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] },
        ],
        'hermes.model': 'Local/test-model',
      },
      machineSettings: { 'git.path': git },
    }));
    beforeAll(async () => {
      workbench = await running().open(folder);
      panel = await ChatPanel.open(workbench);
      await chooseMode(panel, 'Edit Automatically');
    });
    afterAll(async () => {
      await server.close();
      fs.rmSync(base, { recursive: true, force: true });
    });

    /** Waits until the editor has looked at a repository. */
    const lookedAt = (project: string): Promise<unknown> =>
      waitFor(`the editor to look at ${project}`, () => fs.readFileSync(log, 'utf8').includes(`${project} status `));
    /** A folder with what the user has. */
    const placeOf = async (form: PlantedForm): Promise<PlantedPlace> => {
      const own = path.join(base, `own${++count}`);
      const place: PlantedPlace = {
        home: own,
        project: path.join(folder, `t${count}`),
        temporary: path.join(own, 'tmp'),
        program: path.join(own, 'planted'),
        mark: path.join(own, 'mark'),
      };
      fs.mkdirSync(place.temporary, { recursive: true });
      fs.mkdirSync(place.project);
      preparePlace(place, form);
      if (form.repository !== 'none') await lookedAt(place.project);
      return place;
    };
    /** A repository of the user that the editor opens after everything that it saw before. */
    const later = async (): Promise<void> => {
      const project = path.join(folder, `later${++count}`);
      spawnSync('git', ['init', '-q', project]);
      await lookedAt(project);
      fs.rmSync(project, { recursive: true });
    };
    const whichRan = async (places: readonly PlantedPlace[]): Promise<readonly string[]> => {
      await later();
      for (const { project } of places) fs.writeFileSync(path.join(project, 'touched'), '');
      await later();
      const marks = places.map(({ mark }) => mark).filter((mark) => fs.existsSync(mark));
      for (const { project } of places) fs.rmSync(project, { recursive: true, force: true });
      return marks;
    };

    test.for(forms)('runs it without the sandbox: $name', async (form) => {
      const place = await placeOf(form);
      for (const command of form.commands(place)) spawnSync('bash', ['-c', command], { cwd: place.project });
      fs.writeFileSync(path.join(place.project, 'touched'), '');
      await waitFor('the program to run', () => fs.existsSync(place.mark));
      fs.rmSync(place.project, { recursive: true, force: true });
    });

    test.for(forms)('does not run what a confined command planted: $name', async (form) => {
      const places: PlantedPlace[] = [];
      for (let at = 0; at < tries; at++) {
        const place = await placeOf(form);
        places.push(place);
        // It goes on for longer than the editor waits.
        const script = [...form.commands(place), 'for i in 1 2 3 4 5 6; do sleep 0.5; echo $i > again; done'].join(
          '\n',
        );
        fs.writeFileSync(path.join(place.project, 'plant.sh'), `${script}\n`);
        const said = `Planted ${count}.`;
        server.script(
          reply().calls(
            'run_command',
            { command: 'bash plant.sh', cwd: path.basename(place.project) },
            { id: `c${count}` },
          ),
          reply().says(said),
        );
        await panel.send('Plant it.');
        await panel.waitForAnswer(said, (answer) => answer === said);
        await settled(panel);
      }
      const ran = await whichRan(places);
      console.log(`${form.name}: ${ran.length} of ${tries}`);
      expect(ran).toEqual([]);
    });
  });
}
