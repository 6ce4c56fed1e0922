import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureChromium } from '../../scripts/chromiumInstall.mjs';
import { packageExtension } from '../../scripts/package.mjs';
import { ensureVscode } from '../../scripts/vscodeInstall.mjs';
import { peerAgents, type PeerAgent } from './agents';
import { ourTrial } from './ours';
import { ourCost, ourStart } from './oursCost';
import { ourVscodeTrial } from './oursInVscode';
import { peerCost, peerStart } from './peerCost';
import { writeReport, type PeerResult } from './report';
import { Terminal } from './terminal';
import { trial } from './trial';
import type { PeerCost, PeerStart, TrialKind, TrialResult } from './trialResult';

const help = `npm run peers -- [--agents NAME,…] [--kinds KIND,…] [--trials N] [--programs FOLDER] [--json FILE] [--docs]
npm run peers -- --docs --from FILE,…

  --agents    default: all (hermes-vscode, hermes, ${peerAgents.map(({ name }) => name).join(', ')})
  --kinds     kill, stop, cut: what becomes of a shown answer; start: time and memory of a start; cost: what turns write
              to the disk (strace). Default: all
  --trials    of each kind; default: 5
  --programs  folder in which the agents are installed from npm; default: below the system's temporary folder
  --json      writes the results into FILE, which is relative to the project's root
  --docs      puts the tables and the chart into docs/proof.md
  --from      takes results that --json wrote earlier, and measures nothing

What is measured: docs/proof.md.`;

/** Something that is measured: another agent, or ours. */
interface Measured {
  readonly name: string;
  readonly label: string;
  readonly version: string;
  trial(kind: TrialKind): Promise<TrialResult>;
  /** Not of ours in VS Code, whose start and memory are VS Code's: docs/benchmarks.md has what the extension adds. */
  start?(): Promise<PeerStart>;
  cost?(): Promise<PeerCost>;
}

export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      agents: { type: 'string' },
      kinds: { type: 'string', default: 'kill,stop,cut,start,cost' },
      trials: { type: 'string', default: '5' },
      programs: { type: 'string', default: join(tmpdir(), 'hermes-peers') },
      json: { type: 'string' },
      docs: { type: 'boolean', default: false },
      from: { type: 'string' },
      // Where only this machine can be reached; the command adds it itself.
      apart: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (values.from !== undefined) {
    writeReport(values.from.split(',').flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as PeerResult[]));
    return 0;
  }
  const trials = Number(values.trials);
  if (!Number.isInteger(trials) || trials < 1) throw new Error('--trials takes a whole number.');
  if (!Terminal.isThere) throw new Error('The screens are read with tmux: install it (apt install tmux).');
  const programs = resolve(values.programs);
  const wanted = values.agents?.split(',');
  const isWanted = ({ name }: { readonly name: string }): boolean => wanted === undefined || wanted.includes(name);
  if (!values.apart) {
    for (const agent of peerAgents.filter(isWanted)) install(agent, programs);
    if (isWanted({ name: 'hermes-vscode' })) await packageForVscode(programs);
    return runApart([...args, '--programs', programs]);
  }
  const results: PeerResult[] = [];
  for (const agent of agents(programs).filter(isWanted))
    for (const kind of values.kinds.split(',')) {
      const measure = measurement(agent, kind);
      if (measure === undefined) continue;
      results.push(await measured(agent, kind, measure, kind === 'cost' ? 1 : trials));
      if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
    }
  if (values.docs) writeReport(results);
  return results.some((result) => result.trials.length > 0) ? 0 : 1;
}

function agents(programs: string): readonly Measured[] {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  return [
    {
      name: 'hermes-vscode',
      label: 'Hermes in VS Code',
      version,
      trial: (kind) => ourVscodeTrial(kind, packageIn(programs)),
    },
    { name: 'hermes', label: 'Hermes', version, trial: ourTrial, start: ourStart, cost: ourCost },
    ...peerAgents.map((agent) => ({
      name: agent.name,
      label: agent.label,
      version: agent.version,
      trial: (kind: TrialKind) => trial(agent, programs, kind),
      start: () => peerStart(agent, programs),
      cost: () => peerCost(agent, programs),
    })),
  ];
}

function measurement(agent: Measured, kind: string): (() => Promise<TrialResult | PeerStart | PeerCost>) | undefined {
  switch (kind) {
    case 'start':
      return agent.start;
    case 'cost':
      return agent.cost;
    case 'kill':
    case 'stop':
    case 'cut':
      return () => agent.trial(kind);
    default:
      throw new Error(`--kinds takes kill, stop, cut, start and cost, not ${kind}.`);
  }
}

/** An agent that does not install or start has no trials, and the reasons in their place. */
async function measured(
  { name, label, version }: Measured,
  kind: string,
  measure: () => Promise<TrialResult | PeerStart | PeerCost>,
  trials: number,
): Promise<PeerResult> {
  const done: (TrialResult | PeerStart | PeerCost)[] = [];
  const problems: string[] = [];
  for (let n = 0; n < trials; n++) {
    try {
      done.push(await measure());
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  const said = done.length === 0 ? `not measured: ${problems[0]}` : done.map((one) => JSON.stringify(one)).join(' ');
  console.log(`${label} ${version}, ${kind}: ${said}`);
  return { agent: name, label, version, kind, trials: done, problems } as PeerResult;
}

/** Runs the command again in a network that reaches nothing but this machine, where the system allows it (root on
 *  Linux). */
function runApart(args: readonly string[]): number {
  const again = [process.execPath, 'lab/peers/peers.mjs', ...args, '--apart'];
  const isolated = ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...again];
  const canIsolate = spawnSync('unshare', ['-n', 'true']).status === 0;
  if (!canIsolate)
    console.log('Without a network of its own (unshare): the agents are only told to reach this machine alone.');
  const [command = '', ...rest] = canIsolate ? isolated : again;
  return spawnSync(command, rest, { stdio: 'inherit' }).status ?? 1;
}

function packageIn(programs: string): string {
  return join(programs, 'hermes.vsix');
}

async function packageForVscode(programs: string): Promise<void> {
  mkdirSync(programs, { recursive: true });
  await ensureVscode();
  await ensureChromium();
  const { file } = await packageExtension((line) => console.log(line), programs);
  renameSync(file, packageIn(programs));
}

function install({ name, package: packageName, version, label }: PeerAgent, programs: string): void {
  const folder = join(programs, name);
  if (existsSync(join(folder, 'node_modules/.bin'))) return;
  mkdirSync(folder, { recursive: true });
  console.log(`Installing ${label} ${version} …`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const run = spawnSync('npm', ['install', ...options, `${packageName}@${version}`], { encoding: 'utf8' });
  if (run.status !== 0) console.log(`${label} cannot be installed: ${run.stderr.trim().split('\n')[0]}`);
}
