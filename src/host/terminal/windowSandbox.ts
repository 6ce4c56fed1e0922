import { chmodSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../base/log';
import { Confinement, type ConfinementDeps } from '../../tools/sandbox/confinement';
import { Sandbox } from '../../tools/sandbox/sandbox';
import type { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import type { HelperTools } from '../../tools/sandbox/helper/messages';
import type { Environment } from '../../tools/terminal/loginEnvironment';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';

export interface WindowSandboxDeps extends Pick<
  Required<ConfinementDeps>,
  'setting' | 'own' | 'denied' | 'folders' | 'onRemovedFiles'
> {
  readonly distFolder: string;
  /** Folder of the editor, which brings ripgrep. */
  readonly appRoot: string;
  readonly writtenOrders: WrittenOrders;
  /** Environment of the user's shell, which names the proxy to use. */
  readonly environment: () => Promise<Environment>;
  readonly log: Log;
}

/** Creates the sandbox of this window on this machine. */
export function windowSandbox({
  distFolder,
  appRoot,
  environment,
  log,
  setting,
  own,
  denied,
  folders,
  onRemovedFiles,
  writtenOrders,
}: WindowSandboxDeps): {
  readonly sandbox: Sandbox;
  readonly confinement: Confinement;
} {
  let ripgrep: Promise<string | null> | null = null;
  const findOnce = (): Promise<string | null> =>
    (ripgrep ??= findRipgrep(ripgrepCandidates(appRoot, process.platform, process.arch)));
  const tools = async (): Promise<HelperTools> => ({
    ripgrep: await findOnce(),
    seccomp: seccompProgram(distFolder),
    proxy: proxyOf(await environment()),
  });
  const sandbox = new Sandbox({
    file: join(distFolder, 'sandboxHelper.js'),
    temporary: tmpdir(),
    platform: process.platform,
    tools,
    log,
    environment: Object.fromEntries(
      ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR'].flatMap((name) =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
  });
  const isWritten = (path: string): Promise<boolean> => writtenOrders.has(path);
  return {
    sandbox,
    confinement: new Confinement({
      sandbox,
      setting,
      own,
      denied,
      path: async () => (await environment())['PATH'] ?? '',
      folders,
      isWritten,
      noteOwn: (files) => writtenOrders.noteOwn(files),
      onRemovedFiles,
      home: homedir(),
      temporary: tmpdir(),
      platform: process.platform,
    }),
  };
}

/** Null when there is none for this machine: its sockets are then reachable, but files and hosts are not. */
function seccompProgram(distFolder: string): string | null {
  if (process.platform !== 'linux' || (process.arch !== 'x64' && process.arch !== 'arm64')) return null;
  const file = join(distFolder, 'seccomp', process.arch, 'apply-seccomp');
  try {
    // Installing an extension does not keep the executable bit on every system.
    chmodSync(file, 0o755);
  } catch {
    // An installation that cannot be changed is either right already, or fails visibly when the sandbox is tested.
  }
  return file;
}

function proxyOf(environment: Environment): HelperTools['proxy'] {
  const named = (name: string): string | undefined => environment[name] ?? environment[name.toLowerCase()];
  const [http, https, noProxy] = [named('HTTP_PROXY'), named('HTTPS_PROXY'), named('NO_PROXY')];
  return {
    ...(http === undefined ? {} : { http }),
    ...(https === undefined ? {} : { https }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}
