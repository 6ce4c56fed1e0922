import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a machine says about itself. Everything is null where it says nothing. */
export interface MachineFacts {
  /** Whether a file exists. */
  readonly exists: (path: string) => boolean;
  readonly read: (path: string) => string | null;
  /** The path without symbolic links; of what does not exist yet, that of its nearest folder. */
  readonly resolve: (path: string) => string;
  /** The editor's name for where this window's extensions run: "dev-container", "wsl", "ssh-remote". */
  readonly remoteName: string | undefined;
}

const containerRemotes: readonly string[] = ['dev-container', 'attached-container'];
const containerFiles = ['/.dockerenv', '/run/.containerenv'];
const containerGroup = /(^|[/:-])(docker|containerd|kubepods|libpod|lxc|buildkit)([/.:_-]|$)/m;

/** Whether a folder is deleted together with the container that this runs in: it lies on the container's own layer, and not on anything that
 *  is mounted from outside. False outside of containers, and where the system does not say what is mounted. */
export function diesWithContainer(folder: string, facts: MachineFacts): boolean {
  if (!isContainer(facts)) return false;
  const mounts = facts.read('/proc/self/mountinfo');
  return mounts !== null && mountPointOf(facts.resolve(folder), mounts) === '/';
}

export function isContainer({ exists, read, remoteName }: MachineFacts): boolean {
  if (remoteName !== undefined && containerRemotes.includes(remoteName)) return true;
  return containerFiles.some(exists) || containerGroup.test(read('/proc/1/cgroup') ?? '');
}

/** The nearest mount point above a path: field 5 of a line, with spaces and the like as `\040` (man 5 proc). A later mount hides an earlier one
 *  at the same place, which changes nothing here. */
export function mountPointOf(path: string, mountinfo: string): string | null {
  const points = mountinfo.split('\n').flatMap((line) => {
    const [, , , , point, , ...rest] = line.split(' ');
    if (point === undefined) return [];
    // What lies in memory is gone with the container as well.
    const isTemporary = rest[rest.indexOf('-') + 1] === 'tmpfs' || rest[rest.indexOf('-') + 1] === 'overlay';
    return isTemporary && point !== '/'
      ? []
      : [point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))];
  });
  const above = points.filter((point) => point === '/' || path === point || path.startsWith(`${point}/`));
  return above.sort((one, other) => other.length - one.length)[0] ?? null;
}

/** The machine that this runs on. */
export function thisMachineFacts(remoteName: string | undefined): MachineFacts {
  return {
    remoteName,
    exists: existsSync,
    read: (path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return null;
      }
    },
    resolve: (path) => {
      for (let at = path; ; at = dirname(at)) {
        try {
          return realpathSync(at);
        } catch {
          if (dirname(at) === at) return path;
        }
      }
    },
  };
}
