/** `npm run soak`: what it takes is in lab/README.md. */
import { runCommand } from '../command.mjs';

await runCommand('lab/soak/soak.ts');
