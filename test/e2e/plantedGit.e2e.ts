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
/** Forms that the editor's Git runs without further action of the user; those of `alone` if the folder itself is in no
 *  repository, because the editor opens no repository by itself within another one. */
const names = {
  inside: [
    'commondir to a folder of the project',
    'commondir to the temporary folder',
    'commondir that is renamed into its place',
    'a missing file that the configuration includes',
    'a missing monitor that the configuration names',
    'config.worktree where worktrees have their own',
    'a .gitmodules that names a new repository',
    'in an entry of the index that names a repository',
  ],
  alone: [
    'a new repository',
    'a new repository below',
    'a .git file to a prepared folder',
    'a .git file to the temporary folder',
    'a .git link',
    'moved from the temporary folder as a whole',
  ],
};
const forms: readonly PlantedForm[] = plantedForms.flatMap((form) => {
  if (names.inside.includes(form.name)) return [form];
  return names.alone.includes(form.name) ? [{ ...form, repository: 'none' as const }] : [];
});

describe.skipIf(sandboxProblem() !== undefined)("the editor's own Git", () => {
  const base = fs.realpathSync(fs.mkdtempSync('/tmp/hermes-planted-'));
  const [folder, log, git] = [path.join(base, 'work'), path.join(base, 'git.log'), path.join(base, 'git')];
  /** Repository of the user beside those of the tries. */
  const own = path.join(folder, 'own');
  let server: ModelServer;
  let workbench: Workbench;
  let panel: ChatPanel;
  let count = 0;
  beforeAll(async () => {
    server = await startModelServer();
    fs.mkdirSync(own, { recursive: true });
    spawnSync('git', ['init', '-q', own]);
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    fs.writeFileSync(git, `#!/bin/sh\necho "$PWD $*" >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
    fs.writeFileSync(log, '');
  });
  const running = sharedVscode(() => ({
    settings: {
      'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
      'hermes.model': 'Local/test-model',
    },
    machineSettings: { 'git.path': git },
  }));
  beforeAll(async () => {
    workbench = await running().open(folder);
    panel = await ChatPanel.open(workbench);
    await chooseMode(panel, 'Edit Automatically');
    await lookedAt(own);
  });
  afterAll(async () => {
    await server.close();
    fs.rmSync(base, { recursive: true, force: true });
  });

  const looks = (project: string): number => fs.readFileSync(log, 'utf8').split(`${project} status `).length;
  /** Waits until the editor has looked at a repository. */
  const lookedAt = (project: string): Promise<unknown> =>
    waitFor(`the editor to look at ${project}`, () => looks(project) > 1);
  /** Waits until the editor has seen everything that happened before. */
  const later = async (): Promise<void> => {
    const before = looks(own);
    fs.writeFileSync(path.join(own, 'changed'), String(++count));
    await waitFor('the editor to look once more', () => looks(own) > before);
  };
  /** A folder with what the user has. */
  const placesOf = async (form: PlantedForm, many: number): Promise<readonly PlantedPlace[]> => {
    const places = Array.from({ length: many }, (): PlantedPlace => {
      const home = path.join(base, `own${++count}`);
      const project = path.join(folder, `t${count}`);
      const [temporary, program, mark] = ['tmp', 'planted', 'mark'].map((name) => path.join(home, name));
      return { home, project, temporary: `${temporary}`, program: `${program}`, mark: `${mark}` };
    });
    for (const { project, temporary } of places)
      for (const each of [project, temporary]) fs.mkdirSync(each, { recursive: true });
    // The editor watches a new folder from some moment on.
    await later();
    for (const place of places) {
      preparePlace(place, form);
      if (form.repository !== 'none') await lookedAt(place.project);
    }
    return places;
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
    for (const { project, mark, ...place } of await placesOf(form, 1)) {
      for (const command of form.commands({ project, mark, ...place }))
        spawnSync('bash', ['-c', command], { cwd: project });
      fs.writeFileSync(path.join(project, 'touched'), '');
      await waitFor('the program to run', () => fs.existsSync(mark));
      fs.rmSync(project, { recursive: true, force: true });
    }
  });

  test.for(forms)('does not run what a confined command planted: $name', async (form) => {
    const places = await placesOf(form, tries);
    const calls = reply();
    for (const place of places) {
      // It goes on for longer than the editor waits.
      const script = [...form.commands(place), 'for i in 1 2 3 4 5 6; do sleep 0.5; echo $i > again; done'].join('\n');
      fs.writeFileSync(path.join(place.project, 'plant.sh'), `${script}\n`);
      const cwd = path.basename(place.project);
      calls.calls('run_command', { command: 'bash plant.sh', cwd }, { id: `c${cwd}` });
    }
    const said = `Planted ${count}.`;
    server.script(calls, reply().says(said));
    await panel.send('Plant it.');
    await panel.waitForAnswer(said, (answer) => answer === said);
    await settled(panel);
    const tried = server.requests
      .at(-1)
      ?.outline.filter((line) => /^tool ct\d+: (Exit code|Ended by signal)/.test(line));
    const ran = await whichRan(places);
    console.log(`${form.name}: ${ran.length} of ${tries}`);
    expect([ran, tried?.length]).toEqual([[], tries]);
  });
});
