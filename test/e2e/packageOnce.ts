import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { packageExtension } from '../../scripts/package.mjs';
import { ensureVscode, type VscodeInstall } from '../../scripts/vscodeInstall.mjs';
import { CodeServer } from '../support/vscode';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packaged extension that every test installs. */
    vsix: string;
    /** An extensions folder in which it is installed. */
    installed: string;
    /** The VS Code server, found and tried once per run. */
    vscode: VscodeInstall;
  }
}

/** Packs the extension once per run, unless HERMES_VSIX names one that is packed already, and installs it once: a VS Code of a test gets a
 *  copy. The package is this run's own: another run, or `npm run package`, may pack at the same time. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-e2e-'));
  const vsix = process.env['HERMES_VSIX'] || (await packageExtension((line) => console.log(line), folder)).file;
  const install = await ensureVscode();
  const server = new CodeServer({ install, root: path.join(folder, 'install'), port: 0 });
  server.installVsix(vsix);
  project.provide('vsix', vsix);
  project.provide('installed', server.extensionsDir);
  project.provide('vscode', install);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
