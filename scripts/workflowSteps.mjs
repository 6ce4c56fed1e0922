/**
 * Runs the `run:` steps of a job of .github/workflows/ci.yml in a clean clone of the last commit, with a home folder
 * and an environment of its own, as a runner of GitHub does. Steps that use an action are listed and not run: the clone
 * and this Node stand in for them. `node scripts/workflowSteps.mjs [--job linux] [--only "Install packages,Lint"]
 * [--list]`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const workflow = path.join(root, '.github/workflows/ci.yml');

/**
 * @param {string} text a workflow
 * @param {string} job
 * @returns {{ env: Record<string, string>, steps: { name: string, run?: string, reason?: string }[] }} `reason`: why a
 * step is not run here
 */
export function stepsOf(text, job) {
  const { env = {}, jobs } = parse(text);
  const found = jobs[job];
  if (found === undefined) throw new Error(`There is no job ${job}; there are ${Object.keys(jobs).join(', ')}`);
  const steps = found.steps.map(({ name, uses, run, if: condition, env: own }) => {
    if (run === undefined) return { name: name ?? uses, reason: `uses ${uses}` };
    if (condition !== undefined) return { name, reason: `only if ${condition}` };
    if (/\$\{\{/.test(run) || own !== undefined)
      throw new Error(`${name} needs a value of GitHub: read it in the script`);
    return { name, run };
  });
  // A value that GitHub fills in is missing here: the script takes its default.
  const values = Object.entries({ ...env, ...found.env })
    .map(([key, value]) => [key, String(value)])
    .filter(([, value]) => !value.includes('${{'));
  return { env: Object.fromEntries(values), steps };
}

/** Names that are chosen, in the order of the job. */
function choose(steps, only) {
  if (only === undefined) return steps;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !steps.some((step) => step.name === name && step.run !== undefined));
  if (unknown.length > 0) throw new Error(`No step that runs a command is named ${unknown.join(', ')}; see --list`);
  return steps.map((step) => (names.includes(step.name) ? step : { name: step.name, reason: 'not chosen' }));
}

/** @param {string} folder @param {Record<string, string>} env */
function environment(folder, env) {
  const home = path.join(folder, 'home');
  const programs = path.join(folder, 'bin');
  for (const made of [home, programs]) fs.mkdirSync(made);
  // A runner has sudo; a container of root's may not.
  if (process.getuid?.() === 0)
    fs.writeFileSync(path.join(programs, 'sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  return {
    PATH: [programs, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    HOME: home,
    TMPDIR: os.tmpdir(),
    LANG: 'C.UTF-8',
    CI: 'true',
    // What a runner restores from its cache.
    npm_config_cache: cache,
    ...env,
  };
}

function runSteps({ env, steps }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-workflow-'));
  // A test asks as another user who may read the clone, as on a runner.
  fs.chmodSync(folder, 0o755);
  const clone = path.join(folder, 'clone');
  try {
    execFileSync('git', ['clone', '-q', '--no-hardlinks', root, clone]);
    const given = environment(folder, env);
    for (const { name, run, reason } of steps) {
      if (run === undefined) {
        console.log(`-- ${name}: not run, ${reason}`);
        continue;
      }
      console.log(`\n== ${name}`);
      const started = Date.now();
      // As GitHub runs `bash` without a `shell:` of the step, plus pipefail.
      const { status, error } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
        cwd: clone,
        env: given,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      if (error) throw error;
      if (status !== 0) throw new Error(`"${name}" ended with exit code ${status}`);
      console.log(`== ${name}: done in ${Math.round((Date.now() - started) / 1000)} s`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { job: { type: 'string', default: 'linux' }, only: { type: 'string' }, list: { type: 'boolean' } },
  });
  try {
    const job = stepsOf(fs.readFileSync(workflow, 'utf8'), values.job);
    if (values.list) for (const { name, reason } of job.steps) console.log(reason ? `${name} (${reason})` : name);
    else runSteps({ ...job, steps: choose(job.steps, values.only) });
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
