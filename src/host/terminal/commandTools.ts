import { chmodSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../base/log';
import { AccessPaths } from '../../tools/accessPaths';
import { discardsOf } from '../../tools/approval/discards';
import { sandboxedLookup } from '../../tools/approval/pathLookup';
import { Confinement, type ConfinementDeps } from '../../tools/sandbox/confinement';
import { Sandbox } from '../../tools/sandbox/sandbox';
import type { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import type { HelperTools } from '../../tools/sandbox/helper/messages';
import type { Environment } from '../../tools/terminal/loginEnvironment';
import type { TerminalDeps } from '../../tools/terminal/commandRun';
import { terminalTools } from '../../tools/terminal/runCommandTool';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { diskLookup } from '../approvals/settingsPolicy';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';

interface WindowSandboxDeps extends Pick<
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

interface CommandToolsDeps extends Omit<TerminalDeps, 'resolveFolder' | 'discards' | 'confinement' | 'platform'> {
  readonly files: WorkspaceFiles;
  readonly sandbox: WindowSandboxDeps;
}

/** Creates the tools that run commands, and their sandbox, in a window or without one. */
export function commandTools({ files, sandbox: given, ...deps }: CommandToolsDeps) {
  const { distFolder, appRoot, writtenOrders, environment, log, ...limits } = given;
  const { platform } = process;
  let ripgrep: Promise<string | null> | null = null;
  const sandbox = new Sandbox({
    file: join(distFolder, 'sandboxHelper.js'),
    temporary: tmpdir(),
    platform,
    tools: async () => ({
      ripgrep: await (ripgrep ??= findRipgrep(ripgrepCandidates(appRoot, platform, process.arch))),
      seccomp: seccompProgram(distFolder),
      proxy: proxyOf(await environment()),
    }),
    log,
    environment: Object.fromEntries(
      ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR'].flatMap((name) =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
  });
  const confinement = new Confinement({
    ...limits,
    sandbox,
    path: async () => (await environment())['PATH'] ?? '',
    isWritten: (path) => writtenOrders.has(path),
    noteOwn: (own) => writtenOrders.noteOwn(own),
    home: homedir(),
    temporary: tmpdir(),
    platform,
  });
  const paths = new AccessPaths(files);
  const lookup = sandboxedLookup(diskLookup(() => files.roots()));
  const tools = terminalTools({
    ...deps,
    confinement,
    resolveFolder: (written) => paths.resolveAccess(written ?? '.'),
    discards: (command, folder) => discardsOf(command, folder, lookup),
    platform,
  });
  return { sandbox, confinement, tools };
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
