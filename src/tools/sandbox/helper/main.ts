import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { errorMessage } from '../../../base/errorMessage';
import { GitGuard } from '../git/gitGuard';
import type { HelperAlarm, HelperAnswers, HelperReply, HelperRequest, HelperTools } from './messages';

// Runs as a separate process in an empty folder. The library guards its start folder with additional rules, and its
// files there would be visible to users. Its proxies must not share a process with the editor. All limits come from the
// window.

/** No allowed name may lead to this machine, or to the service that gives a cloud machine its keys. */
const thisMachine = [
  '127.0.0.0/8',
  '0.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  '::/128',
  'fe80::/10',
  'fd00:ec2::254/128',
];

/** Milliseconds to wait for late reports about a command. */
const reportTimeoutMs = 60;

/** Limits that a command has from its start and cannot raise: 8,192 processes and threads, and files of 16 GB (32 GB
 *  in shells that count blocks of 1 KB). A lower limit of the machine stays. dash has `-p` for `-u`. On the command's
 *  own first line, so that the shell's line numbers stay right. */
const resources = 'ulimit -u 8192 2>/dev/null || ulimit -p 8192 2>/dev/null; ulimit -f 33554432 2>/dev/null; ';
/** Memory has no limit, because programs such as sanitizers reserve far more than they use. When it is used up, Linux
 *  ends these processes first. Outside of the sandbox, which would report the write. */
const endedFirst = process.platform === 'linux' ? 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; ' : '';

/** Commands whose sockets and mount points the library must release when they end. */
const running = new Set<string>();
const guard = new GitGuard();

async function start({ ripgrep, seccomp, proxy }: HelperTools): Promise<HelperAnswers['start']> {
  if (!SandboxManager.isSupportedPlatform()) return { problems: [`there is none for ${process.platform}`] };
  const ripgrepConfig = ripgrep === null ? undefined : { command: ripgrep };
  const { errors } = SandboxManager.checkDependencies(ripgrepConfig);
  if (errors.length > 0) return { problems: errors };
  // Without it the library would continue, and let commands reach sockets of the machine.
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

/** Finds a program's absolute path. A command starts with its own PATH, on which the workspace may have put another
 *  program of that name. */
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
  git,
}: Extract<HelperRequest, { kind: 'wrap' }>): Promise<HelperAnswers['wrap']> {
  const alarm: HelperAlarm = { danger: id };
  const kept = git === null ? [] : guard.begin(id, git, () => void process.send?.(alarm));
  const filesystem = {
    denyRead: limits.hidden.map(literal),
    allowRead: limits.shown.map(literal),
    allowWrite: limits.writable.map(literal),
    denyWrite: [...limits.kept, ...kept].map(orNoName).map(literal),
  };
  const limited = resources + command;
  const { argv } = await SandboxManager.wrapWithSandboxArgv(limited, shell, { filesystem }, undefined, undefined, {
    commandId: id,
    commandText: command,
  }).catch((error: unknown) => {
    guard.end(id);
    throw error;
  });
  running.add(id);
  if (hosts.length > 0) SandboxManager.registerCommandNetworkLists(id, { allowedDomains: [...hosts] });
  const [program = shell, ...args] = argv;
  const last = args.pop() ?? '';
  return { program, args: [...args, endedFirst + last], kept };
}

async function stoppedSoFar(id: string): Promise<HelperAnswers['stopped']> {
  // Reports arrive over a socket and may still be in transit.
  await setTimeout(reportTimeoutMs);
  return {
    stopped: SandboxManager.getSandboxViolationStore()
      .getViolationsForCommand(id)
      .map(({ line }) => line),
  };
}

async function ended(id: string): Promise<HelperAnswers['ended']> {
  const removed = guard.end(id);
  if (!running.delete(id)) return { stopped: [], removed };
  const { stopped } = await stoppedSoFar(id);
  SandboxManager.unregisterCommandNetworkLists(id);
  SandboxManager.cleanupAfterCommand();
  return { stopped, removed };
}

/** Guards a missing folder through a name in it that never exists: an empty folder exists there while the command
 *  runs. On macOS a path is guarded whether it exists or not. */
function orNoName(path: string): string {
  return process.platform === 'darwin' || existsSync(path) ? path : join(path, 'none');
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
  const reply = (payload: HelperReply): void => void process.send?.(payload);
  const { number } = message;
  Promise.resolve()
    .then(() => answer(message.request))
    .then(
      (payload) => reply({ number, answer: payload }),
      (error: unknown) => reply({ number, failure: errorMessage(error) }),
    );
});

// The window is gone, even if it was killed.
process.on('disconnect', () => {
  guard.dispose();
  const exit = (): never => process.exit(0);
  SandboxManager.reset().then(exit, exit);
});
