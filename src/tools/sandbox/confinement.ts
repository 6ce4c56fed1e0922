import { existsSync } from 'node:fs';
import { dirname, join, basename, isAbsolute, relative } from 'node:path';
import { errorMessage } from '../../base/errorMessage';
import type { SandboxState } from '../../transcript/sandboxState';
import { treatmentOf } from '../pathTreatment';
import { filesToGuard, namesToTakeOut } from './foundFiles';
import { realPath, realPlace } from '../../base/realPath';
import type { HelperAnswers, Limits } from './helper/messages';
import { type FoundFiles, limitsOf, narrowed } from './limits';
import { listFiles, type ListedFiles } from './listFiles';
import type { Sandbox, SandboxSetting } from './sandbox';
import type { RemovedFiles } from './git/gitGuard';
import { isThere, removeInstructionFiles, type IsWritten } from './removedFiles';

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
  /** Files that the user's rules deny to read (`hidden`) or to change (`kept`). Rejects when it cannot tell. Default:
   *  none. */
  readonly denied?: () => Promise<{ readonly hidden: readonly string[]; readonly kept: readonly string[] }>;
  readonly isWritten: IsWritten;
  /** Called with files of this kind that are there while no command runs: with this content they are the user's own,
   *  also when a command restores them later. */
  readonly noteOwn: (files: readonly string[]) => Promise<void>;
  /** Called when a command has ended and files that were created meanwhile were moved out of the open folders, or
   *  could not be moved. */
  readonly onRemovedFiles: (files: RemovedFiles, command: string) => void;
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
  /** Such files that could not be moved. */
  readonly left: readonly string[];
  /** True when it had to be ended, because something appeared that makes Git run a program. */
  readonly wasEnded: boolean;
}

export interface ConfinedRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Aborted when the command has to be killed at once. */
  readonly danger: AbortSignal;
  /** For a failed command: hidden files that its output mentions, in the same form as `stopped`. */
  unreadIn(output: string): readonly string[];
  /** All actions that the sandbox has blocked so far. */
  stopped(): Promise<readonly string[]>;
  /** Call when the command has ended, even if it never started. Every call returns the same result. Never rejects:
   *  what could not be checked counts as left. */
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
  /** Files that commands of this window left behind, or folders that could not be checked. */
  private readonly left = new Set<string>();
  /** Commands that have started and whose end has not been looked at. */
  private running = 0;
  private noted: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: ConfinementDeps) {}

  /** True while there is a file that a command left behind and that only the user may allow. */
  get hasLeftovers(): boolean {
    for (const path of this.left) if (!isThere(path)) this.left.delete(path);
    return this.left.size > 0;
  }

  get isRequired(): boolean {
    return this.deps.setting() === 'required';
  }

  async state(): Promise<SandboxState> {
    return this.deps.setting() === 'off' ? { kind: 'off' } : this.deps.sandbox.state();
  }

  /** Rejects with the reason when the command cannot be confined. */
  async confine(command: string, shell: string, options: ConfineOptions): Promise<ConfinedRun> {
    this.running++;
    return this.limited(command, shell, options).catch((error: unknown) => {
      this.running--;
      throw error;
    });
  }

  private async limited(
    command: string,
    shell: string,
    { hosts, folder, aside, denyRead = [], denyWrite = [] }: ConfineOptions,
  ): Promise<ConfinedRun> {
    const { home, sandbox, temporary } = this.deps;
    const folders = this.deps.folders().map(realPath);
    const list = (): Promise<readonly ListedFiles[]> => Promise.all(folders.map((each) => listFiles(each)));
    const isAlone = this.running === 1 && !this.hasLeftovers;
    const listing = isAlone ? list() : this.noted.then(list);
    // Another command starts only afterwards: it could make such files.
    if (isAlone) this.noted = listing.then((files) => this.noteOwn(folders, files));
    const before = await listing;
    await this.noted;
    const found = await this.found(folders, before);
    const denied = await this.deps.denied?.();
    const asked = narrowed(
      await this.limits(folders, found),
      [...present(denyRead), ...(denied?.hidden ?? [])],
      [...present(denyWrite), ...(denied?.kept ?? [])],
    );
    const above = writableAbove(folders, realPath(temporary));
    const git = { folders: [...folders, ...found.writable], above, home, aside };
    const danger = new AbortController();
    const confined = await sandbox.confine(command, shell, asked, hosts, git, () => danger.abort());
    const limits = { ...asked, kept: [...asked.kept, ...confined.kept] };
    const shown = ({ path }: { readonly path: string }): string => shownPath(path, { home, folder });
    let ended: Promise<ConfinedEnd> | null = null;
    const end = async (): Promise<ConfinedEnd> => {
      const reported = await confined.ended().catch(unknownEnd(folders));
      const after = await Promise.all(folders.map((each) => listFiles(each, { mends: true })));
      const made = folders.flatMap((each, index) =>
        namesToTakeOut(before[index] ?? none, after[index] ?? none).map((name) => join(each, name)),
      );
      const orders = await removeInstructionFiles(made, aside, this.deps.isWritten);
      const taken = [...reported.removed.taken, ...orders.taken];
      const left = [...reported.removed.left, ...orders.left];
      for (const { path } of left) this.left.add(path);
      if (taken.length + left.length > 0) this.deps.onRemovedFiles({ taken, left }, command);
      return {
        stopped: stoppedActions(reported.stopped, limits, { home, folder }),
        takenOut: taken.map(shown),
        aside,
        left: left.map(shown),
        wasEnded: danger.signal.aborted,
      };
    };
    return {
      program: confined.program,
      args: confined.args,
      danger: danger.signal,
      stopped: async () => stoppedActions(await confined.stopped(), limits, { home, folder }, Infinity),
      unreadIn: (output) => unreadableActions(output, limits.hidden, { home, folder }),
      ended: () => (ended ??= end().finally(() => this.running--)),
    };
  }

  private async noteOwn(folders: readonly string[], files: readonly ListedFiles[]): Promise<void> {
    const names = folders.flatMap((folder, index) =>
      (files[index]?.names ?? []).filter((name) => treatmentOf(name).isTakenOut).map((name) => join(folder, name)),
    );
    await this.deps.noteOwn(names);
  }

  private async found(folders: readonly string[], files: readonly ListedFiles[]): Promise<FoundFiles> {
    const found = await Promise.all(folders.map((folder, index) => filesToGuard(folder, files[index] ?? none)));
    const all = (pick: keyof FoundFiles): readonly string[] => found.flatMap((each) => each[pick]);
    return { kept: all('kept'), hidden: all('hidden'), writable: all('writable') };
  }

  private async limits(folders: readonly string[], found: FoundFiles): Promise<Limits> {
    const { home, platform, temporary, own, path, places } = this.deps;
    return limitsOf({
      home,
      platform,
      folders,
      temporary: realPath(temporary),
      own: present(own().kept),
      programs: present(own().programs),
      found,
      path: await path(),
      ...(places === undefined ? {} : { places }),
    });
  }
}

/** Folders above the open ones in which commands may write, and the temporary folder. Git searches them for a
 *  repository too. */
function writableAbove(folders: readonly string[], temporary: string): readonly string[] {
  const above = new Set([temporary]);
  for (const folder of folders)
    for (let at = dirname(folder); at !== dirname(at); at = dirname(at))
      if (isBelow(at, temporary) || folders.some((other) => isBelow(at, other))) above.add(at);
  return [...above];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function unknownEnd(folders: readonly string[]): (error: unknown) => HelperAnswers['ended'] {
  return (error) => ({
    stopped: [],
    removed: { taken: [], left: folders.map((path) => ({ path, reason: errorMessage(error) })) },
  });
}

function present(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path)).map(realPath);
}

interface ShownFolders {
  readonly home: string;
  /** Folder in which the command ran. */
  readonly folder: string;
}

/** Blocked actions, in the words of a row: "write to ~/.npmrc", "connect to example.com". Returns the first `most`.
 *  The library reports every write, so writes that the limits allow are left out. */
export function stoppedActions(
  lines: readonly string[],
  limits: Pick<Limits, 'writable' | 'kept'>,
  folders: ShownFolders,
  most = 5,
): readonly string[] {
  const actions = lines.flatMap((line) => {
    const host = /^deny network-outbound (\S+?)(:\d+)?( \(.*\))?$/.exec(line)?.[1];
    if (host !== undefined) return [`connect to ${host}`];
    const written = /^deny (?!file-read)\S+ (\/.*)$/.exec(line)?.[1];
    if (written === undefined) return [];
    const file = realPlace(written);
    const isAllowed =
      limits.writable.some((place) => contains(place, file)) && !limits.kept.some((place) => contains(place, file));
    return isAllowed ? [] : [`write to ${shownPath(file, folders)}`];
  });
  const each = [...new Set(actions)];
  return most === Infinity ? each : joinedByFolder(each).slice(0, most);
}

/** Several writes below one folder become one action: "write to 3 files in ~/.npm". */
function joinedByFolder(actions: readonly string[]): readonly string[] {
  const verb = 'write to ';
  const writes = actions.flatMap((action) => (action.startsWith(verb) ? [action.slice(verb.length)] : []));
  // The home folder and the root say nothing.
  const folders = writes.map((path) => dirname(path)).filter((folder) => !['~', '/', '.'].includes(folder));
  const outer = folders.filter((folder) => !folders.some((other) => other !== folder && contains(other, folder)));
  const joined = actions.map((action) => {
    const folder = outer.find((each) => action.startsWith(`${verb}${each}/`));
    const count = writes.filter((path) => folder !== undefined && path.startsWith(`${folder}/`)).length;
    return folder === undefined || count < 2 ? action : `${verb}${count} files in ${folder}`;
  });
  return [...new Set(joined)];
}

/** Hidden files that a failed command mentions and could not read: "read .env". The library does not report reads,
 *  so the output must name the file. */
export function unreadableActions(output: string, hidden: readonly string[], folders: ShownFolders): readonly string[] {
  const isNamed = (path: string): boolean => {
    const shown = shownPath(path, folders);
    // Other folders of the home folder have common words as names.
    const names =
      isAbsolute(shown) || (shown.startsWith('~') && !basename(path).startsWith('.'))
        ? [path, shown]
        : [path, shown, basename(path)];
    return names.some((name) => mentions(output, name));
  };
  return hidden
    .filter(isNamed)
    .slice(0, 5)
    .map((path) => `read ${shownPath(path, folders)}`);
}

/** True when the name appears as a separate word, or as the start of a longer path. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!/[\w.~-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

/** Readable path: relative to the folder, or to the home folder. */
function shownPath(path: string, { home, folder }: ShownFolders): string {
  if (path !== folder && contains(folder, path)) return relative(folder, path);
  return contains(home, path) ? join('~', relative(home, path)) : path;
}

function contains(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === '' || (!inside.startsWith('..') && !isAbsolute(inside));
}
