import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { packageExtension } from '../../scripts/package.mjs';
import { ensureVscode, type VscodeInstall } from '../../scripts/vscodeInstall.mjs';
import { EXTENSION_ID } from '../support/extensionId';
import { CodeServer, VscodeSession, within } from '../support/vscode';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packaged extension that every test installs. */
    vsix: string;
    /** An extensions folder in which it is installed. */
    installed: string;
    /** The VS Code server, found and tried once per run. */
    vscode: VscodeInstall;
    /** What a browser keeps that has loaded and compiled VS Code. */
    browserCaches: string;
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
  project.provide('browserCaches', await filledCaches(install, server.extensionsDir, folder));
  project.provide('vsix', vsix);
  project.provide('installed', server.extensionsDir);
  project.provide('vscode', install);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}

/** The caches of a browser that loaded VS Code twice: Chromium keeps the compiled code of what it meets again. */
async function filledCaches(install: VscodeInstall, installed: string, folder: string): Promise<string> {
  const filled = path.join(folder, 'caches');
  await using session = await VscodeSession.start({ install, installed, root: path.join(folder, 'session') });
  const window = await session.open();
  await session.waitForActivation(EXTENSION_ID);
  await window.open();
  await session.waitForActivation(EXTENSION_ID);
  // A browser that keeps none is slower; nothing else depends on it.
  await within(20_000, () => session.browser.keepsCompiledCode);
  await session.browser.close();
  session.browser.copyCaches(filled);
  return filled;
}
