import type { ProcessIdentity } from './lockRecord';
import type { ProcessTable } from './processLookup';

/** Milliseconds without a heartbeat after which an owner whose process cannot be seen counts as gone (it beats every
 *  15 s). */
const heartbeatTimeoutMs = 60_000;

/** The pid namespace of the machine itself, not of a container: the same number on every Linux (PROC_PID_INIT_INO). */
const machineNamespace = 'pid:[4026531836]';

/** `visible`: true when this process can see if the owner lives; otherwise only elapsed time decides. */
type OwnerVerdict = { readonly verdict: 'alive' | 'gone'; readonly visible: boolean };

/** Decides if the process that wrote a lock still lives. Returns `gone` only on proof, or after the heartbeat
 *  timeout if no proof is possible. */
export function judgeOwner(owner: ProcessIdentity, processes: ProcessTable, heartbeatAgeMs: number): OwnerVerdict {
  const self = processes.self();
  const silent = heartbeatAgeMs > heartbeatTimeoutMs ? 'gone' : 'alive';
  if (isEarlierBoot(owner, self)) return { verdict: 'gone', visible: true };
  if (owner.host !== self.host || owner.boot !== self.boot || owner.pidNamespace !== self.pidNamespace)
    return { verdict: silent, visible: false };

  const found = processes.find(owner.pid);
  if (found === undefined) return { verdict: 'gone', visible: true };
  // Without start times, a pid in use may belong to another process that got the number.
  if (owner.startedAt === null || found.startedAt === null) return { verdict: silent, visible: false };
  return { verdict: owner.startedAt === found.startedAt ? 'alive' : 'gone', visible: true };
}

/** True when the same machine (not a container on it) has been restarted since. */
function isEarlierBoot(owner: ProcessIdentity, self: ProcessIdentity): boolean {
  return (
    owner.machine !== null &&
    owner.machine === self.machine &&
    owner.host === self.host &&
    owner.pidNamespace === machineNamespace &&
    self.pidNamespace === machineNamespace &&
    owner.boot !== null &&
    self.boot !== null &&
    owner.boot !== self.boot
  );
}
