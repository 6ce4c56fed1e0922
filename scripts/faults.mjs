/**
 * Lets every fault befall every recorded answer at every event boundary: `npm run faults -- [--json FILE] [--streams
 * DIR] [--sample N] [--seed S]`. DIR holds further recordings (`openai/*.jsonl`, `anthropic/*.jsonl`, one `data:`
 * payload per line); `--sample` runs N cases chosen by seed. Fails when anything delivered is not stored, once and in
 * order, or the next turn is not accepted.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    streams: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const given = values.streams === undefined ? undefined : path.resolve(values.streams);
const json = values.json === undefined ? undefined : path.resolve(values.json);
process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const { ownStreams, runFaultMatrix, streamsIn } = await importTypeScript('test/faults/index.ts');
const result = await runFaultMatrix({
  streams: [...ownStreams(), ...(given === undefined ? [] : streamsIn(given))],
  seed: Number(values.seed),
  ...(values.sample === undefined ? {} : { sample: Number(values.sample) }),
  say: (line) => console.log(line),
});
console.log(JSON.stringify(result, null, 2));
if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
if (result.violations > 0 || result.cases === 0) process.exitCode = 1;
