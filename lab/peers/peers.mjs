/** `npm run peers`: what it takes is in lab/README.md. */
import { runCommand } from '../command.mjs';

await runCommand('lab/peers/peers.ts');
