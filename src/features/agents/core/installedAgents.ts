import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { programOnPath } from '../../../base/windowsPrograms';
import type { RegisteredAgent } from './agentRegistry';

/** A known agent whose command was found. `isOwn` false: another program may have the same name ("hermes", "goose"). */
interface FoundAgent {
  readonly agent: RegisteredAgent;
  readonly path: string;
  readonly isOwn: boolean;
}

/** Bytes at the beginning of a script in which the file that it starts is named. */
const scriptHead = 4096;

/** Known agents whose command is on the PATH, with its absolute path. */
export function installedAgents(
  agents: readonly RegisteredAgent[],
  environment: NodeJS.ProcessEnv,
): readonly FoundAgent[] {
  return agents.flatMap((agent) => {
    const path = commandOnPath(agent.command, environment);
    if (path === null) return [];
    return [{ agent, path, isOwn: agent.package !== null && isOfPackage(path, agent.package.name) }];
  });
}

/** Absolute path of a command on the PATH; null when there is none. */
export function commandOnPath(command: string, environment: NodeJS.ProcessEnv): string | null {
  if (process.platform === 'win32') return programOnPath(command, environment, isProgram);
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, command);
    if (folder !== '' && isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** npm links a command to a file of its package. On Windows, and with pnpm, a script names that file. */
function isOfPackage(path: string, name: string): boolean {
  const folder = `/node_modules/${name}/`;
  try {
    if (realpathSync(path).replaceAll('\\', '/').includes(folder)) return true;
    const head = Buffer.alloc(scriptHead);
    const file = openSync(path, 'r');
    try {
      return head.toString('utf8', 0, readSync(file, head)).replaceAll('\\', '/').includes(folder);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
