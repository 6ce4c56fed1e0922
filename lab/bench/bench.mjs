/** `npm run bench`: what it takes is in lab/README.md. */
import { runCommand } from '../command.mjs';

await runCommand('lab/bench/bench.ts');
