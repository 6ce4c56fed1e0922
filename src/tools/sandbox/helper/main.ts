import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import type { HelperAnswers, HelperReply, HelperRequest, HelperTools } from './messages';

// A process of its own, begun in an empty folder: the library guards the folder it is started in by rules of its own, with files that people would
// see come and go, and its proxies must not share a process with the editor. All limits come from the window.

/** No allowed name may lead to this machine itself, or to the service that tells a cloud machine its keys. */
const thisMachine = [
  '127.0.0.0/8',
  '0.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  '::/128',
  'fe80::/10',
  'fd00:ec2::254/128',
];

/** How long reports of a command that has ended are waited for. */
const reportPatienceMs = 60;

/** The library gives out sockets and mount points that are to be taken back when a command has ended. */
const running = new Set<string>();

async function start({ ripgrep, seccomp, proxy }: HelperTools): Promise<HelperAnswers['start']> {
  if (!SandboxManager.isSupportedPlatform()) return { problems: [`there is none for ${process.platform}`] };
  const ripgrepConfig = ripgrep === null ? undefined : { command: ripgrep };
  const { errors } = SandboxManager.checkDependencies(ripgrepConfig);
  if (errors.length > 0) return { problems: errors };
  // Without it the library would go on, and let commands reach sockets of the machine.
  if (seccomp !== null && !existsSync(seccomp))
    return { problems: [`a part of the extension is missing (${seccomp}); install it again`] };
  const [bwrapPath, socatPath] = [found('bwrap'), found('socat')];
  await SandboxManager.initialize(
    {
      ...(bwrapPath === undefined ? {} : { bwrapPath }),
      ...(socatPath === undefined ? {} : { socatPath }),
      ...(ripgrepConfig === undefined ? {} : { ripgrep: ripgrepConfig }),
      ...(seccomp === null ? {} : { seccomp: { applyPath: seccomp } }),
      network: {
        allowedDomains: [],
        deniedDomains: [],
        deniedResolvedAddresses: thisMachine,
        ...(Object.keys(proxy).length === 0 ? {} : { parentProxy: proxy }),
      },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    },
    undefined,
    true,
  );
  return { problems: [] };
}

/** By its absolute path: a command is started with a PATH of its own, on which the workspace may have put another program of that name. */
function found(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

async function wrap({
  id,
  shell,
  command,
  limits,
  hosts,
}: Extract<HelperRequest, { kind: 'wrap' }>): Promise<HelperAnswers['wrap']> {
  const filesystem = {
    denyRead: limits.hidden.map(literal),
    allowRead: limits.shown.map(literal),
    allowWrite: limits.writable.map(literal),
    denyWrite: limits.kept.map(orNoName).map(literal),
  };
  const { argv } = await SandboxManager.wrapWithSandboxArgv(command, shell, { filesystem }, undefined, undefined, {
    commandId: id,
    commandText: command,
  });
  running.add(id);
  if (hosts.length > 0) SandboxManager.registerCommandNetworkLists(id, { allowedDomains: [...hosts] });
  const [program = shell, ...args] = argv;
  return { program, args };
}

async function stoppedSoFar(id: string): Promise<HelperAnswers['stopped']> {
  // What was stopped is told over a socket, and may lie in it still.
  await setTimeout(reportPatienceMs);
  return {
    stopped: SandboxManager.getSandboxViolationStore()
      .getViolationsForCommand(id)
      .map(({ line }) => line),
  };
}

async function ended(id: string): Promise<HelperAnswers['ended']> {
  if (!running.delete(id)) return { stopped: [] };
  const { stopped } = await stoppedSoFar(id);
  SandboxManager.unregisterCommandNetworkLists(id);
  SandboxManager.cleanupAfterCommand();
  return { stopped };
}

/** A missing folder is guarded by a name in it that is never there: an empty folder stands there while the command runs. */
function orNoName(path: string): string {
  return existsSync(path) ? path : join(path, 'none');
}

function literal(path: string): { path: string; literal: true } {
  return { path, literal: true };
}

function answer(
  request: HelperRequest,
): Promise<HelperAnswers[keyof HelperAnswers]> | HelperAnswers[keyof HelperAnswers] {
  switch (request.kind) {
    case 'start':
      return start(request.tools);
    case 'wrap':
      return wrap(request);
    case 'stopped':
      return stoppedSoFar(request.id);
    case 'ended':
      return ended(request.id);
  }
}

process.on('message', (message: { readonly number: number; readonly request: HelperRequest }) => {
  const reply = (told: HelperReply): void => void process.send?.(told);
  const { number } = message;
  Promise.resolve()
    .then(() => answer(message.request))
    .then(
      (told) => reply({ number, answer: told }),
      (error: unknown) => reply({ number, failure: error instanceof Error ? error.message : String(error) }),
    );
});

// The window is gone, also where it was killed.
process.on('disconnect', () => {
  void SandboxManager.reset().finally(() => process.exit(0));
});
