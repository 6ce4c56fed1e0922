/**
 * Breaks off answers of other agents, and of ours, and looks for what was shown: `npm run peers -- [--agents claude,codex,…] [--trials 5]
 * [--kinds kill,stop,cut,start,cost] [--json FILE] [--docs]`. `start` measures start and memory, `cost` what turns write (strace). `--docs` puts the tables
 * and the chart into docs/proof.md; with `--from FILE,FILE` it does so from what `--json` wrote in earlier runs. Installs the agents from npm,
 * each in a folder below the system's temporary folder (`--programs` names another), and gives each a home of its own and a model on this
 * machine. Where the system allows it (root on Linux), they have a network that reaches nothing else. What was shown is read from the screen of
 * a terminal (tmux), for Hermes in VS Code (`hermes-vscode`) from its chat. An agent that does not install or start is left out, with the
 * reason.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureChromium } from './chromiumInstall.mjs';
import { packageExtension } from './package.mjs';
import { writeReport } from './peersReport.mjs';
import { importTypeScript } from './typescriptModule.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const { values } = parseArgs({
  options: {
    agents: { type: 'string' },
    trials: { type: 'string', default: '5' },
    kinds: { type: 'string', default: 'kill,stop,cut,start,cost' },
    json: { type: 'string' },
    programs: { type: 'string', default: path.join(os.tmpdir(), 'hermes-peers') },
    docs: { type: 'boolean', default: false },
    from: { type: 'string' },
    apart: { type: 'boolean', default: false },
  },
});
const json = values.json === undefined ? undefined : path.resolve(values.json);
const earlier = values.from?.split(',').flatMap((file) => JSON.parse(fs.readFileSync(file, 'utf8')));
const programs = path.resolve(values.programs);
process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
if (earlier !== undefined) {
  writeReport(process.cwd(), earlier);
  process.exit();
}
const peers = await importTypeScript('test/peers/peers.ts');
const trials = Number(values.trials);
if (!Number.isInteger(trials) || trials < 1) throw new Error('--trials takes a whole number');
if (!peers.Terminal.isThere) throw new Error('The screens are read with tmux: install it (apt install tmux).');
const wanted = values.agents?.split(',');
const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const ours = { name: 'hermes', label: 'Hermes', version };
const inVscode = { name: 'hermes-vscode', label: 'Hermes in VS Code', version };
const vsix = path.join(programs, 'hermes.vsix');
const chosen = [inVscode, ours, ...peers.peerAgents].filter(
  ({ name }) => wanted === undefined || wanted.includes(name),
);

if (!values.apart) {
  for (const agent of chosen) if (agent !== ours && agent !== inVscode) install(agent);
  if (chosen.includes(inVscode)) await packageForVscode();
  // Again, where only this machine can be reached.
  const again = [
    process.execPath,
    fileURLToPath(import.meta.url),
    ...process.argv.slice(2),
    '--apart',
    '--programs',
    programs,
  ];
  if (json !== undefined) again.push('--json', json);
  const isolated = ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...again];
  const canIsolate = spawnSync('unshare', ['-n', 'true']).status === 0;
  if (!canIsolate)
    console.log('Without a network of its own (unshare): the agents are only told to reach this machine alone.');
  const [command, ...args] = canIsolate ? isolated : again;
  process.exit(spawnSync(command, args, { stdio: 'inherit' }).status ?? 1);
}

const results = [];
for (const agent of chosen) {
  for (const kind of values.kinds.split(',')) {
    // Its start and memory are VS Code's: docs/benchmarks.md has what the extension adds.
    if ((kind === 'start' || kind === 'cost') && agent === inVscode) continue;
    const done = [];
    const problems = [];
    for (let n = 0; n < (kind === 'cost' ? 1 : trials); n++) {
      try {
        done.push(await tried(agent, kind));
      } catch (error) {
        problems.push(error.message);
      }
    }
    results.push({ agent: agent.name, label: agent.label, version: agent.version, kind, trials: done, problems });
    console.log(
      `${agent.label} ${agent.version}, ${kind}: ${done.length === 0 ? `not measured: ${problems[0]}` : kind === 'cost' || kind === 'start' ? JSON.stringify(done) : sentence(done)}`,
    );
    if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  }
}
if (values.docs) writeReport(process.cwd(), results);
process.exit(results.some(({ trials: done }) => done.length > 0) ? 0 : 1);

function tried(agent, kind) {
  if (kind === 'cost') return agent === ours ? peers.ourCost() : peers.peerCost(agent, programs);
  if (kind === 'start') return agent === ours ? peers.ourStart() : peers.peerStart(agent, programs);
  if (agent === inVscode) return peers.ourVscodeTrial(kind, vsix);
  return agent === ours ? peers.ourTrial(kind) : peers.trial(agent, programs, kind);
}

async function packageForVscode() {
  await ensureVscode();
  await ensureChromium();
  const { file } = await packageExtension((line) => console.log(line), programs);
  fs.renameSync(file, vsix);
}

function install({ name, package: packageName, version, label }) {
  const folder = path.join(programs, name);
  if (fs.existsSync(path.join(folder, 'node_modules/.bin'))) return;
  fs.mkdirSync(folder, { recursive: true });
  console.log(`Installing ${label} ${version} …`);
  const npm = [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    folder,
    `${packageName}@${version}`,
  ];
  const run = spawnSync('npm', npm, { encoding: 'utf8' });
  if (run.status !== 0) console.log(`${label} cannot be installed: ${run.stderr.trim().split('\n')[0]}`);
}

function sentence(done) {
  const sum = (of) => done.reduce((all, one) => all + of(one), 0);
  const shown = sum((one) => one.shown);
  const sent = done.every(({ sentAgain }) => sentAgain === null)
    ? ''
    : `, ${sum(({ sentAgain }) => sentAgain)} sent again`;
  return `${done.length} trials, ${shown} characters shown, ${sum(({ lost }) => lost)} lost${sent}, ${sum(({ retries }) => retries)} retries`;
}
