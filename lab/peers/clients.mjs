/** `node lab/peers/clients.mjs --programs <folder>`: what it takes is in lab/README.md. */
import { runCommand } from '../command.mjs';

await runCommand('lab/peers/clients.ts');
