import fs from 'node:fs';
import path from 'node:path';
import { EXTENSION_ID } from '../support/extensionId';
import { afterAll, afterEach, beforeAll, inject, test as plain } from 'vitest';
import {
  copyStateDb,
  projectRoot,
  type Settings,
  VscodeSession,
  type VscodeSessionOptions,
  type Workbench,
} from '../support/vscode';

export { EXTENSION_ID } from '../support/extensionId';

interface Fixtures {
  /** Starts a VS Code with the packaged extension installed; it ends with the test. */
  startVscode: (options?: VscodeSessionOptions) => Promise<VscodeSession>;
}

/** A test that gets its VS Code from `startVscode`. When it fails, pictures, logs and stores are kept in .vscode-test/evidence/<test name>/. */
export const test = plain.extend<Fixtures>({
  startVscode: async ({ task }, use) => {
    const sessions: VscodeSession[] = [];
    await use(async (options = {}) => {
      const session = await VscodeSession.start(withExtension(options));
      sessions.push(session);
      return session;
    });
    for (const [index, session] of sessions.entries()) {
      if (task.result?.state === 'fail') await keepEvidence(session, `${task.name}-${index + 1}`);
      await session.dispose();
    }
  },
});

/** The extension as this run installed it once. Where helper extensions stand beside it, it is installed behind them: VS Code keeps a list. */
function withExtension(options: VscodeSessionOptions): VscodeSessionOptions {
  const own =
    options.vsix !== undefined || options.extensions !== undefined
      ? { vsix: [inject('vsix')] }
      : { installed: inject('installed') };
  return { install: inject('vscode'), caches: inject('browserCaches'), ...own, ...options };
}

async function keepEvidence(session: VscodeSession, name: string): Promise<void> {
  const folder = path.join(projectRoot(), '.vscode-test/evidence', name.replace(/[^\w-]+/g, '-'));
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'server.log'), session.server.output);
  fs.writeFileSync(path.join(folder, 'extension.log'), session.extensionLog(EXTENSION_ID));
  fs.writeFileSync(path.join(folder, 'extensionHost.log'), session.extensionHostLog());
  for (const [index, storage] of session.workspaceStorageFolders(EXTENSION_ID).entries()) {
    if (!fs.existsSync(path.join(storage, 'state.db'))) continue;
    const copy = copyStateDb(storage);
    fs.cpSync(copy, path.join(folder, `store-${index + 1}`), { recursive: true });
    fs.rmSync(copy, { recursive: true, force: true });
  }
  for (const [index, workbench] of session.workbenches.entries()) {
    fs.writeFileSync(path.join(folder, `console-${index + 1}.log`), workbench.console.join('\n'));
    if (!workbench.page.isClosed()) await workbench.screenshot(folder, `window-${index + 1}`);
  }
}

/** One VS Code for all tests of a file, where each of them leaves it usable for the next. */
export function sharedVscode(options: () => VscodeSessionOptions): () => VscodeSession {
  let session: VscodeSession | undefined;
  const running = (): VscodeSession => {
    if (session === undefined) throw new Error('VS Code has not started');
    return session;
  };
  beforeAll(async () => {
    session = await VscodeSession.start(withExtension(options()));
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepEvidence(running(), task.name);
  });
  afterAll(async () => {
    await session?.dispose();
  });
  return running;
}

/** The window of a shared VS Code, loaded anew on this folder, or on none. `settings`: set before, or taken away where undefined. */
export async function windowOn(vscode: VscodeSession, folder?: string, settings: Settings = {}): Promise<Workbench> {
  vscode.settings.update(settings);
  const [window] = vscode.workbenches;
  if (window === undefined) return vscode.open(folder);
  await window.open(folder);
  return window;
}
