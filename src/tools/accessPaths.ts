import { homedir } from 'node:os';
import * as nodePath from 'node:path';
import { win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AccessPath } from '../transcript/approval';
import { existingAsTyped } from './asTyped';
import { FileNotFound, type WorkspaceFiles } from './workspaceFiles';
import { contains, PathRefused, WorkspacePaths } from './workspacePaths';

/** Names that open a device in every folder, with any extension (“Naming Files, Paths, and Namespaces”, Win32
 *  documentation). */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[.: ]|$)/i;

/** Returns why Windows would open something else at this path than it says, or null. Checked before anything looks at
 *  the path: looking at a network place already sends the user's name and password hash to that machine. `roots`:
 *  open folders, absolute. */
export function windowsPathProblem(written: string, roots: readonly string[]): string | null {
  const text = written.replaceAll('/', '\\');
  if (/^\\\\[.?]\\/.test(text)) return `${written} is the address of a device. Give an ordinary path.`;
  if (text.startsWith('\\\\') && !roots.some((root) => root.startsWith('\\\\') && contains(win32, root, text)))
    return `${written} is on another machine. Only open folders can be there: ask the person to open it as a folder.`;
  const [drive] = /^[a-z]:/i.exec(text) ?? [''];
  const names = text.slice(drive.length).split('\\');
  for (const name of names) {
    if (name.includes(':'))
      return `${written} has a colon in a name, which means a hidden stream of a file on Windows.`;
    if (/[. ]$/.test(name) && name !== '.' && name !== '..')
      return `“${name}” in ${written} ends with a dot or a space, which Windows leaves out. Give the name without it.`;
    if (device.test(name)) return `“${name}” in ${written} is the name of a device on Windows. Choose another name.`;
  }
  // "C:name" is relative to that drive's own current folder.
  return drive !== '' && !/^[a-z]:\\/i.test(text)
    ? `${written} names a drive without a folder. Give the whole path, as in ${drive}\\folder\\file.`
    : null;
}

interface AccessPathOptions {
  readonly path?: nodePath.PlatformPath;
  /** Folder that `~` means. Default: the user's home folder. */
  readonly home?: string;
}

/** Resolves paths as models write them. `path` is the one place meant, with every symbolic link resolved, even when
 *  nothing exists there. The approval policy judges `path`, and the tool then uses it. A tool that acts only on
 *  `path` does exactly what was approved. */
export class AccessPaths {
  private readonly path: nodePath.PlatformPath;
  private readonly home: string;
  private readonly workspace: WorkspacePaths;

  constructor(
    private readonly files: WorkspaceFiles,
    options: AccessPathOptions = {},
  ) {
    this.path = options.path ?? nodePath;
    this.home = options.home ?? homedir();
    this.workspace = new WorkspacePaths(files, this.path);
  }

  /** `folder`: absolute; base for a relative path. Null means the open folders: the first folder that has the path
   *  wins, else the first that has one that looks the same. If none has it, the path belongs to the open folder it
   *  names, otherwise to the first one. Rejects with `PathRefused`, whose sentence is for the model. */
  async resolveAccess(written: string, folder: string | null = null): Promise<AccessPath> {
    const candidates = this.candidates(written, folder);
    const found = await existingAsTyped(this.files, this.path, candidates);
    return this.locate(found ?? candidates.at(-1) ?? written);
  }

  /** Resolves a path that is already absolute. */
  async locate(absolute: string): Promise<AccessPath> {
    const real = await this.realPlace(absolute);
    const inRoot = await this.underRoot(real);
    return inRoot === null
      ? { path: real, shown: this.shownFromHome(real), isInside: false }
      : { path: real, shown: this.workspace.display(inRoot), isInside: true };
  }

  /** Absolute path of the place meant, below its open folder as the user opened it. Rejects as `resolveAccess`. */
  async resolveShown(written: string): Promise<string> {
    const { path } = await this.resolveAccess(written);
    return (await this.underRoot(path)) ?? path;
  }

  /** Gives a real path the name of its open folder that the user knows, even when the folder itself is reached through
   *  a link. Null when it is in none. */
  private async underRoot(real: string): Promise<string | null> {
    for (const root of this.files.roots()) {
      const realRoot = await this.realPlace(root.path);
      if (contains(this.path, realRoot, real)) return this.path.resolve(root.path, this.path.relative(realRoot, real));
    }
    return null;
  }

  /** Candidates, best first. If none exists, the last one is used. */
  private candidates(written: string, folder: string | null): readonly string[] {
    const cleaned = this.cleaned(written);
    const roots = this.files.roots();
    const folders = roots.map((root) => root.path);
    const problem = this.isWindows ? windowsPathProblem(cleaned, folders) : null;
    if (problem !== null) throw new PathRefused(problem);
    if (cleaned === '~' || /^~[\\/]/.test(cleaned)) return [this.path.join(this.home, cleaned.slice(1))];
    if (this.path.isAbsolute(cleaned)) return [this.path.resolve(cleaned)];
    if (folder !== null) return [this.path.resolve(folder, cleaned)];
    const [first] = roots;
    if (first === undefined)
      throw new PathRefused(
        'No folder is open in the editor. Give an absolute path, or ask the person to open a folder.',
      );
    const [name = '', ...rest] = cleaned.split(/[\\/]/);
    const named =
      roots.length > 1
        ? roots.filter((root) => root.name === name).map((root) => this.path.resolve(root.path, ...rest))
        : [];
    const below = roots.map((root) => this.path.resolve(root.path, cleaned));
    return [...below, ...(named.length > 0 ? named : [this.path.resolve(first.path, cleaned)])];
  }

  private cleaned(written: string): string {
    const text = written.trim();
    if (text.includes('\0')) throw new PathRefused('The path contains a null character.');
    if (text === '') return '.';
    if (!/^file:/i.test(text)) return text;
    try {
      return fileURLToPath(text, { windows: this.isWindows });
    } catch {
      throw new PathRefused(`${text} is not an address of a file on this machine. Give a path.`);
    }
  }

  /** Compares by separator: the object that an import gives is not `path.win32` on Windows either. */
  private get isWindows(): boolean {
    return this.path.sep === '\\';
  }

  /** Real place of a path: the real path of the nearest existing parent, plus the missing rest. */
  private async realPlace(absolute: string): Promise<string> {
    const missing: string[] = [];
    let present = absolute;
    for (;;) {
      try {
        return this.path.join(await this.files.realPath(present), ...missing);
      } catch (error) {
        const code = codeOf(error);
        if (code === 'ELOOP') throw new PathRefused(`${absolute} is a link that leads back to itself.`);
        if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      }
      const parent = this.path.dirname(present);
      if (parent === present) return absolute;
      await this.refuseDanglingLink(parent, this.path.basename(present));
      missing.unshift(this.path.basename(present));
      present = parent;
    }
  }

  /** Refuses a link whose target is missing. It has no real path, but writing to it creates the target, wherever
   *  that is. */
  private async refuseDanglingLink(parent: string, name: string): Promise<void> {
    if ((await this.files.kindOf(parent)) !== 'directory') return;
    const names = (await this.files.list(parent, new AbortController().signal)).map((entry) => entry.name);
    const same = names.some((each) => foldedName(each) === foldedName(name));
    // On a case-sensitive file system, a name with different case is a different file.
    if (same && !(await this.isAnotherFile(names, parent, name)))
      throw new PathRefused(
        `${this.path.join(parent, name)} is a link to something that does not exist. Work with the file it ` +
          'should lead to instead.',
      );
  }

  private async isAnotherFile(names: readonly string[], parent: string, name: string): Promise<boolean> {
    if (names.includes(name)) return false;
    const [other] = names.filter((candidate) => foldedName(candidate) === foldedName(name));
    return other !== undefined && (await this.files.kindOf(this.path.join(parent, other))) !== null;
  }

  private shownFromHome(real: string): string {
    return contains(this.path, this.home, real) && real !== this.home
      ? `~/${this.path.relative(this.home, real).split(this.path.sep).join('/')}`
      : real;
  }
}

function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function codeOf(error: unknown): unknown {
  if (error instanceof FileNotFound) return 'ENOENT';
  return error instanceof Error && 'code' in error ? error.code : null;
}
