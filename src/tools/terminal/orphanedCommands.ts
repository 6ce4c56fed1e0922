import type { Clock } from '../../base/clock';
import { linuxProcesses, sharesPids, startedWith } from './processTable';
import { markerName, ProcessTree } from './processTree';

/** What a command's processes are marked with. The pid tells those of a host that is gone from those of one that lives. */
export function markerOf(hostPid: number, id: string): string {
  return `${hostPid}-${id}`;
}

/** Ends what commands of a host that was killed left running: it could not end them itself. Linux only, where they are found by their marker.
 *  Resolves with how many commands there were. */
export async function endOrphanedCommands(clock: Clock, platform: NodeJS.Platform = process.platform): Promise<number> {
  if (platform !== 'linux') return 0;
  const orphaned = new Set(
    linuxProcesses().flatMap(({ pid }) => {
      const marker = startedWith(pid, markerName);
      return marker !== null && isOrphaned(marker) && sharesPids(pid) ? [marker] : [];
    }),
  );
  await Promise.all([...orphaned].map((marker) => new ProcessTree(null, marker, clock).end()));
  return orphaned.size;
}

/** Ends at once whatever commands of this host started, also what was not seen when they ended. Linux only. */
export function endMarkedBy(hostPid: number, platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') return;
  for (const { pid } of linuxProcesses()) {
    if (startedWith(pid, markerName)?.startsWith(`${hostPid}-cmd-`) !== true || !sharesPids(pid)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
      continue;
    }
  }
}

function isOrphaned(marker: string): boolean {
  const host = /^(\d+)-cmd-/.exec(marker)?.[1];
  // An editor that was itself started by a command carries that command's marker.
  return host !== undefined && marker !== process.env[markerName] && !isRunning(Number(host));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
