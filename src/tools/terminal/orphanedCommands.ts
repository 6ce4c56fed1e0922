import type { Clock } from '../../base/clock';
import { linuxProcesses, sharesPids, startedWith } from './processTable';
import { markerName, ProcessTree } from './processTree';

/** Marker of a command's processes. The pid distinguishes commands of a dead host from those of a live one. */
export function markerOf(hostPid: number, id: string): string {
  return `${hostPid}-${id}`;
}

/** Ends commands that a killed host left running, because it could not end them itself. Linux only, where the marker
 *  identifies them. Resolves with the number of commands. */
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

/** Kills all processes that commands of this host started, including those not seen when the commands ended. Linux
 *  only. */
export function endMarkedBy(hostPid: number, platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') return;
  for (const { pid } of linuxProcesses()) {
    if (startedWith(pid, markerName)?.startsWith(`${hostPid}-cmd-`) !== true || !sharesPids(pid)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process ended meanwhile.
      continue;
    }
  }
}

function isOrphaned(marker: string): boolean {
  const host = /^(\d+)-cmd-/.exec(marker)?.[1];
  // An editor that a command started has that command's marker.
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
