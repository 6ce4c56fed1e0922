import { t } from '../../base/translate';
import type { SyncView } from '../common/syncView';
import type { StoreStatus } from './storeStatus';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

const topic = 'container';
const shownKey = 'containerNoticeRead';

interface ContainerNoticeDeps {
  /** Current folder of this window's history. */
  readonly folder: () => string;
  readonly facts: MachineFacts;
  /** True when the chat shows no session. */
  readonly isEmptyState: () => boolean;
  readonly storeStatus: Pick<StoreStatus, 'offer'>;
  /** Remembers that the notice was shown. */
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> };
  readonly chooseFolder: () => Promise<void>;
  readonly sync: Pick<SyncView, 'current' | 'isOffered' | 'run'>;
}

/** Shows a notice once, after the first prompt, when sessions are stored inside a container and are deleted with it,
 *  and how to keep them: in a mounted folder, or also on a server. */
export class ContainerNotice {
  private isOffered = false;
  private judged: { readonly folder: string; readonly dies: boolean } | null = null;

  constructor(private readonly deps: ContainerNoticeDeps) {}

  /** Called when the chat may show another state, or the history has another folder. */
  update(): void {
    const { storeStatus, chooseFolder, sync, memory, isEmptyState } = this.deps;
    this.isOffered &&= !isEmptyState();
    if (!this.isOffered && !isEmptyState() && memory.get(shownKey) !== true && this.dies()) {
      this.isOffered = true;
      void memory.update(shownKey, true);
    }
    if (!this.isOffered || sync.current !== null || !this.dies()) return storeStatus.offer(topic, []);
    storeStatus.offer(topic, [
      {
        sentence: t(
          'Your sessions are stored in this container and are deleted with it. To keep them, mount a folder in the container and choose it.',
        ),
        choices: [
          { label: t('Choose Folder…'), run: chooseFolder },
          ...(sync.isOffered ? [{ label: t('Set Up Sync'), run: () => sync.run('setUp') }] : []),
          { label: t('Dismiss'), run: async () => ((this.isOffered = false), this.update()) },
        ],
      },
    ]);
  }

  private dies(): boolean {
    const folder = this.deps.folder();
    if (this.judged?.folder !== folder) this.judged = { folder, dies: diesWithContainer(folder, this.deps.facts) };
    return this.judged.dies;
  }
}

/** Facts about a machine. Null: unknown. */
export interface MachineFacts {
  /** True when the file exists. */
  readonly exists: (path: string) => boolean;
  readonly read: (path: string) => string | null;
  /** Resolves symbolic links. For a path that does not exist, returns its nearest existing folder, resolved. */
  readonly resolve: (path: string) => string;
  /** The editor's name for the environment of this window's extensions: "dev-container", "wsl", "ssh-remote". */
  readonly remoteName: string | undefined;
}

const containerRemotes: readonly string[] = ['dev-container', 'attached-container'];
const containerFiles = ['/.dockerenv', '/run/.containerenv'];
const containerGroup = /(^|[/:-])(docker|containerd|kubepods|libpod|lxc|buildkit)([/.:_-]|$)/m;

/** True when a folder is deleted together with the current container: it is on the container's own layer, not on a
 *  mount from outside. False outside containers, and where the system does not list its mounts. */
export function diesWithContainer(folder: string, facts: MachineFacts): boolean {
  if (!isContainer(facts)) return false;
  const mounts = facts.read('/proc/self/mountinfo');
  return mounts !== null && mountPointOf(facts.resolve(folder), mounts) === '/';
}

export function isContainer({ exists, read, remoteName }: MachineFacts): boolean {
  if (remoteName !== undefined && containerRemotes.includes(remoteName)) return true;
  return containerFiles.some(exists) || containerGroup.test(read('/proc/1/cgroup') ?? '');
}

/** Nearest mount point above a path: field 5 of a line, with spaces and the like escaped as `\040` (man 5 proc). A
 *  later mount hides an earlier one at the same place, which makes no difference here. */
export function mountPointOf(path: string, mountinfo: string): string | null {
  const points = mountinfo.split('\n').flatMap((line) => {
    const [, , , , point, , ...rest] = line.split(' ');
    if (point === undefined) return [];
    // Data in memory is lost with the container too.
    const isTemporary = rest[rest.indexOf('-') + 1] === 'tmpfs' || rest[rest.indexOf('-') + 1] === 'overlay';
    return isTemporary && point !== '/'
      ? []
      : [point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))];
  });
  const above = points.filter((point) => point === '/' || path === point || path.startsWith(`${point}/`));
  return above.sort((one, other) => other.length - one.length)[0] ?? null;
}

/** Facts about the current machine. */
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
