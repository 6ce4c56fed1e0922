/** `node lab/peers/inside.mjs --programs <folder>`: what it takes is in lab/README.md. */
import { runCommand } from '../command.mjs';

await runCommand('lab/peers/insideHermes.ts');
