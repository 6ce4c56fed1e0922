import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { rounded } from './figures';
import { growthPart } from './growthPart';
import { importFilesPart } from './importFilesPart';
import { importPart } from './importPart';
import type { Aim, Part } from './part';
import { removePrograms } from './programs';
import { promptPart } from './promptPart';
import { searchPart } from './searchPart';
import { startPart } from './start/startPart';
import { longPart } from './store/longPart';
import { sessionsPart } from './store/sessionsPart';
import { storePart } from './store/storePart';
import { syncPart } from './sync/syncPart';
import { closeBrowser } from './view/benchView';
import { answersPart, firstPaintPart, floodPart, keysPart, streamedPart, turnsPart } from './view/viewParts';
import { writesPart } from './writes/writesPart';

interface ListedPart {
  readonly name: string;
  readonly title: string;
  readonly part: Part;
  /** What `--size` counts. */
  readonly size: string;
  /** `--quick` without names leaves it out: it waits for seconds that cannot be cut. */
  readonly isSlow?: true;
}

const parts: readonly ListedPart[] = [
  { name: 'store', title: 'The store, against a native SQLite', part: storePart, size: 'messages' },
  { name: 'sessions', title: 'A store of many sessions, one of them long', part: sessionsPart, size: 'sessions' },
  { name: 'long', title: 'Work on a long session while another answer is stored', part: longPart, size: 'turns' },
  { name: 'search', title: 'Search over many files', part: searchPart, size: 'files' },
  { name: 'import', title: 'Import of a state.db of Hermes Agent', part: importPart, size: 'megabytes' },
  { name: 'importFiles', title: 'Import of session files', part: importFilesPart, size: 'megabytes' },
  { name: 'growth', title: 'Hostile text of four times the size', part: growthPart, size: 'characters' },
  { name: 'sync', title: 'Sync with a PostgreSQL on this machine', part: syncPart, size: 'messages', isSlow: true },
  { name: 'writes', title: 'What turns write to the disk', part: writesPart, size: 'turns', isSlow: true },
  { name: 'prompt', title: "A prompt's way to the model", part: promptPart, size: 'turns' },
  { name: 'view.firstPaint', title: 'First paint of a long session', part: firstPaintPart, size: 'turns' },
  {
    name: 'view.streamed',
    title: 'An answer of 50 KB that streams',
    part: streamedPart,
    size: 'rounds',
    isSlow: true,
  },
  { name: 'view.flood', title: 'Two thousand deltas a second', part: floodPart, size: 'deltas' },
  { name: 'view.keys', title: 'Typing while an answer streams', part: keysPart, size: 'keys' },
  { name: 'view.turns', title: 'What turns leave in the page', part: turnsPart, size: 'turns', isSlow: true },
  { name: 'view.answers', title: 'Very long answers', part: answersPart, size: 'characters', isSlow: true },
  { name: 'start', title: 'Activation in a real VS Code', part: startPart, size: 'starts', isSlow: true },
];

const help = `npm run bench -- [NAME …] [--quick] [--size N] [--json FILE]

  NAME     what to measure; default: everything. "view" stands for all that begin with "view."
  --quick  fewer and smaller measurements; without a NAME it leaves out those with a *
  --size   how much, in the unit of the part
  --json   writes all figures into FILE, which is relative to the project's root

${parts.map(({ name, title, size, isSlow }) => `  ${name.padEnd(17)}${isSlow ? '*' : ' '} ${title} (${size})`).join('\n')}

What is measured, and the aims: docs/benchmarks.md.`;

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      size: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const chosen = choose(positionals, values.quick);
  const size = values.size === undefined ? null : Number(values.size);
  if (size !== null && !(Number.isInteger(size) && size > 0)) throw new Error('--size takes a whole number.');
  const started = performance.now();
  const figures: Record<string, object> = {};
  const aims: (Aim & { readonly met: boolean })[] = [];
  try {
    for (const { name, title, part } of chosen) {
      console.log(`\n${title}`);
      const begun = performance.now();
      const measured = await part({ quick: values.quick, size });
      console.log(`  (${name}: ${rounded((performance.now() - begun) / 1000)} s)`);
      if (measured === null) continue;
      figures[name] = measured.figures;
      aims.push(...measured.aims.map((aim) => ({ ...aim, met: aim.value <= aim.most })));
    }
  } finally {
    await closeBrowser();
    await removePrograms();
  }
  console.log('\nAims');
  for (const { aim, value, most, met } of aims) console.log(`  ${met ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  const seconds = rounded((performance.now() - started) / 1000);
  console.log(`\nTook ${seconds} s.`);
  if (values.json !== undefined) {
    const machine = {
      cpus: os.cpus().length,
      model: os.cpus()[0]?.model ?? null,
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      platform: process.platform,
      node: process.version,
    };
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine, quick: values.quick, seconds, ...figures, aims }, null, 2)}\n`,
    );
  }
  return 0;
}

function choose(names: readonly string[], quick: boolean): readonly ListedPart[] {
  if (names.length === 0) return parts.filter(({ isSlow }) => !quick || isSlow !== true);
  const named = (name: string): readonly ListedPart[] =>
    parts.filter((part) => part.name === name || part.name.startsWith(`${name}.`));
  const unknown = names.filter((name) => named(name).length === 0);
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. \`npm run bench -- --help\` lists all.`);
  return names.flatMap(named);
}
