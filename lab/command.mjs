/** Runs a command of lab/, which is written in TypeScript, from the project's root. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from '../scripts/packagesInstall.mjs';
import { importTypeScript } from '../scripts/typescriptModule.mjs';

/** @param {string} entry a module from the project's root with `main`, which takes the arguments and returns the exit
 *  code */
export async function runCommand(entry) {
  process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
  ensurePackages();
  const { main } = await importTypeScript(entry);
  process.exit(await main(process.argv.slice(2)));
}
