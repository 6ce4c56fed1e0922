/** What a streamed answer costs the chat view: 50 KB in 250 deltas, one every 20 ms, in a real browser. See README.md. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from '../../../scripts/typescriptModule.mjs';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const { measureStreaming } = await importTypeScript('test/support/webviewPreview/streamingCost.ts');
const rounds = process.argv.includes('--rounds') ? Number(process.argv[process.argv.indexOf('--rounds') + 1]) : 3;
const costs = await measureStreaming(rounds);
if (process.argv.includes('--json')) console.log(JSON.stringify(costs));
else for (const [name, cost] of Object.entries(costs)) console.log(`${name.padEnd(10)} script ${cost.scriptMs.toFixed(0)} ms, layout ${cost.layoutMs.toFixed(0)} ms (${cost.layouts}), style ${cost.styleMs.toFixed(0)} ms, all tasks ${cost.taskMs.toFixed(0)} ms`);
