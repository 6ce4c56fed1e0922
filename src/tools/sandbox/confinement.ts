import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxState } from '../../transcript/sandboxState';
import { filesToGuard, namesToTakeOut, realPath } from './foundFiles';
import { limitsOf, narrowed } from './limits';
import { listFiles, type ListedFiles } from './listFiles';
import type { Sandbox } from './sandbox';
import type { SandboxSetting } from './sandboxSetting';
import { setAside, type IsWritten, type SetAside } from './setAside';
import { shownPath, stoppedActions, unreadableActions } from './stopped';

export interface ConfinementDeps {
  readonly sandbox: Pick<Sandbox, 'state' | 'confine'>;
  readonly setting: () => SandboxSetting;
  readonly folders: () => readonly string[];
  /** See `limitsOf`. Default: the table's. */
  readonly places?: readonly string[];
  /** PATH of commands. */
  readonly path: () => Promise<string>;
  /** Folders of the extension and the editor that commands may neither read nor change (`kept`), and those with
   *  their programs, which commands may not change. */
  readonly own: () => { readonly kept: readonly string[]; readonly programs: readonly string[] };
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

const none: ListedFiles = { names: [], links: new Map() };

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
    const before = await Promise.all(folders.map(listFiles));
    const limits = narrowed(await this.limits(folders, before), present(denyRead), present(denyWrite));
    const confined = await sandbox.confine(command, shell, limits, hosts);
    let ended: Promise<ConfinedEnd> | null = null;
    const end = async (): Promise<ConfinedEnd> => {
      const lines = await confined.ended();
      const after = await Promise.all(folders.map(listFiles));
      const made = folders.flatMap((each, index) =>
        namesToTakeOut(before[index] ?? none, after[index] ?? none).map((name) => join(each, name)),
      );
      const { taken, left } = await setAside(made, aside, this.deps.isWritten);
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

  private async limits(
    folders: readonly string[],
    files: readonly ListedFiles[],
  ): Promise<ReturnType<typeof limitsOf>> {
    const { home, platform, temporary, own, path, places } = this.deps;
    const found = await Promise.all(folders.map((folder, index) => filesToGuard(folder, files[index] ?? none)));
    const all = (pick: 'kept' | 'hidden' | 'writable'): readonly string[] => found.flatMap((each) => each[pick]);
    return limitsOf({
      home,
      platform,
      folders,
      temporary: realPath(temporary),
      own: present(own().kept),
      programs: present(own().programs),
      found: { kept: all('kept'), hidden: all('hidden'), writable: all('writable') },
      path: await path(),
      ...(places === undefined ? {} : { places }),
    });
  }
}

function present(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path)).map(realPath);
}
