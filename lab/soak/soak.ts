import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packageExtension } from '../../scripts/package.mjs';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { runSoak } from './processSoak';
import { growthIn } from './soakRecord';
import { runVscodeSoak } from './vscodeSoak';

const help = `npm run soak -- [--turns N] [--seed N] [--leak] [--json FILE]
npm run soak -- --vscode [--turns N] [--json FILE]

  --turns   default: 10000, in VS Code 500; at least 100
  --seed    of the random choices; default: 1
  --leak    the control: leaks at each turn and must fail
  --vscode  works in a real VS Code instead, and looks at its extension host and its pages
  --json    writes all figures into FILE, which is relative to the project's root

Works through a long time in minutes and looks for what grows: lab/README.md.`;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string' },
      seed: { type: 'string', default: '1' },
      leak: { type: 'boolean', default: false },
      vscode: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [turns, seed] = [Number(values.turns ?? (values.vscode ? 500 : 10_000)), Number(values.seed)];
  if (!Number.isInteger(turns) || turns < 100 || !Number.isInteger(seed))
    throw new Error('--turns takes a whole number from 100, --seed a whole number.');
  const begun = Date.now();
  const { samples, growth, problems, ...done } = values.vscode
    ? await inVscode(turns)
    : await inProcess(turns, seed, values.leak);
  console.log(JSON.stringify({ ...done, problems, seconds: Math.round((Date.now() - begun) / 1000) }, null, 2));
  for (const { figure, before, after, grows } of growth)
    console.log(
      `${figure}: ${Math.round(before).toLocaleString('en')} → ` +
        `${Math.round(after).toLocaleString('en')}${grows ? '  GROWS' : ''}`,
    );
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ ...done, problems, growth, samples }, null, 2)}\n`);
  return done.different > 0 || problems.length > 0 || growth.some(({ grows }) => grows) ? 1 : 0;
}

async function inProcess(turns: number, seed: number, leaks: boolean) {
  const { unsound, ...result } = await runSoak({ turns, seed, leaks });
  return { ...result, problems: unsound, growth: growthIn(result.samples) };
}

function inVscode(turns: number) {
  return inTemporaryFolder('soak', async (folder) => {
    const say = (line: string): void => console.log(line);
    const { file } = await packageExtension(say, folder);
    const { integrity, ...result } = await runVscodeSoak(turns, file, say);
    return { ...result, problems: integrity === 'ok' ? [] : [integrity] };
  });
}
