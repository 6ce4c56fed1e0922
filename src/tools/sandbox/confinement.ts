import { existsSync, readdirSync } from 'node:fs';
import type { SandboxState } from '../../transcript/sandboxState';
import { filesToGuard, type ListFiles, realPath } from './foundFiles';
import { limitsOf, narrowed } from './limits';
import type { Sandbox } from './sandbox';
import type { SandboxSetting } from './sandboxSetting';
import { missingOrders, setAside, type IsWritten, type SetAside } from './setAside';
import { shownPath, stoppedActions, unreadableActions } from './stopped';

export interface ConfinementDeps {
  readonly sandbox: Pick<Sandbox, 'state' | 'confine'>;
  readonly setting: () => SandboxSetting;
  readonly folders: () => readonly string[];
  /** Rejects when they cannot be listed. */
  readonly list: ListFiles;
  /** Folders of the extension and the editor that commands may neither read nor change (`kept`), and those with
   *  their programs, which commands may not change. */
  readonly own: () => { readonly kept: readonly string[]; readonly programs: readonly string[] };
  /** Files that the user's rules deny to read (`hidden`) or to change (`kept`). Rejects when it cannot tell. Default:
   *  none. */
  readonly denied?: () => Promise<{ readonly hidden: readonly string[]; readonly kept: readonly string[] }>;
  readonly isWritten: IsWritten;
  /** Called when a command has ended and files that were created meanwhile were moved out of the open folders, or
   *  could not be moved. */
  readonly onSetAside: (files: SetAside, command: string) => void;
  readonly home: string;
  readonly temporary: string;
  readonly platform: NodeJS.Platform;
}

/** Outcome of a confined command, besides its own output. */
export interface ConfinedEnd {
  /** Actions that the sandbox blocked: "write to ~/.npmrc". */
  readonly stopped: readonly string[];
  /** Files created meanwhile that only the user may allow, by their names in the open folder. They are now in
   *  `aside`. */
  readonly takenOut: readonly string[];
  readonly aside: string;
}

export interface ConfinedRun {
  readonly program: string;
  readonly args: readonly string[];
  /** For a failed command: hidden files that its output mentions, in the same form as `stopped`. */
  unreadIn(output: string): readonly string[];
  /** All actions that the sandbox has blocked so far. */
  stopped(): Promise<readonly string[]>;
  /** Call when the command has ended, even if it never started. Every call returns the same result. */
  ended(): Promise<ConfinedEnd>;
}

export interface ConfineOptions {
  readonly hosts: readonly string[];
  /** Folder in which it runs. */
  readonly folder: string;
  /** Folder for the files that are moved out. */
  readonly aside: string;
  /** Further files: `denyRead` may be neither read nor changed, `denyWrite` may not be changed. Absolute paths. */
  readonly denyRead?: readonly string[];
  readonly denyWrite?: readonly string[];
}

/** Confines the commands of this window. */
export class Confinement {
  constructor(private readonly deps: ConfinementDeps) {}

  get isRequired(): boolean {
    return this.deps.setting() === 'required';
  }

  async state(): Promise<SandboxState> {
    return this.deps.setting() === 'off' ? { kind: 'off' } : this.deps.sandbox.state();
  }

  /** Rejects with the reason when the command cannot be confined. */
  async confine(
    command: string,
    shell: string,
    { hosts, folder, aside, denyRead = [], denyWrite = [] }: ConfineOptions,
  ): Promise<ConfinedRun> {
    const { home, sandbox } = this.deps;
    const folders = this.deps.folders().map(realPath);
    const missing = missingOrders(folders);
    const denied = await this.deps.denied?.();
    const limits = narrowed(
      await this.limits(folders),
      [...present(denyRead), ...(denied?.hidden ?? [])],
      [...present(denyWrite), ...(denied?.kept ?? [])],
    );
    const confined = await sandbox.confine(command, shell, limits, hosts);
    let ended: Promise<ConfinedEnd> | null = null;
    const end = async (): Promise<ConfinedEnd> => {
      const lines = await confined.ended();
      const { taken, left } = await setAside(missing, aside, this.deps.isWritten);
      if (taken.length + left.length > 0) this.deps.onSetAside({ taken, left }, command);
      return {
        stopped: stoppedActions(lines, limits, { home, folder }),
        takenOut: taken.map(({ path }) => shownPath(path, { home, folder })),
        aside,
      };
    };
    return {
      program: confined.program,
      args: confined.args,
      stopped: async () => stoppedActions(await confined.stopped(), limits, { home, folder }, Infinity),
      unreadIn: (output) => unreadableActions(output, limits.hidden, { home, folder }),
      ended: () => (ended ??= end()),
    };
  }

  private async limits(folders: readonly string[]): Promise<ReturnType<typeof limitsOf>> {
    const { home, platform, temporary, own, list } = this.deps;
    const found = await Promise.all(folders.map((folder) => filesToGuard(folder, list)));
    const all = (pick: 'kept' | 'hidden' | 'writable'): readonly string[] => found.flatMap((each) => each[pick]);
    return limitsOf({
      home,
      platform,
      folders,
      temporary: realPath(temporary),
      own: present(own().kept),
      programs: present(own().programs),
      found: { kept: all('kept'), hidden: all('hidden'), writable: all('writable') },
      homeEntries: namesIn(home),
      exists: existsSync,
    });
  }
}

function present(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path)).map(realPath);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
