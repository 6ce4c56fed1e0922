import * as nodePath from 'node:path';
import { existingAsTyped } from './asTyped';
import { type WorkspaceFiles, type WorkspaceRoot, FileNotFound } from './workspaceFiles';

/** Thrown for a path that a tool may not touch. The reason is for the model. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused';
}

/** Converts paths as models write them to absolute paths inside the open folders, and back to the short form shown
 *  to users. Refuses a path that leads outside, by `..`, by being absolute, or through a symbolic link. */
export class WorkspacePaths {
  constructor(
    private readonly files: WorkspaceFiles,
    private readonly path: nodePath.PlatformPath = nodePath,
  ) {}

  /** Absolute path of an existing file or folder inside an open folder. Rejects with `PathRefused` or
   *  `FileNotFound`. */
  async resolveExisting(written: string): Promise<string> {
    const roots = this.files.roots();
    if (roots.length === 0)
      throw new PathRefused(
        'No folder is open in the editor, so there are no files to work with. Ask the person to open a folder.',
      );
    const candidates = this.candidates(written, roots);
    const inside = candidates.filter((candidate) => roots.some((root) => contains(this.path, root.path, candidate)));
    if (inside.length === 0)
      throw new PathRefused(
        `${written} is outside the open folder${roots.length === 1 ? '' : 's'} ` +
          `(${roots.map((root) => root.path).join(', ')}).`,
      );
    const found = await existingAsTyped(this.files, this.path, inside);
    if (found === null) throw new FileNotFound(written);
    const real = await this.files.realPath(found);
    const realRoots = await Promise.all(roots.map((root) => this.files.realPath(root.path)));
    if (!realRoots.some((root) => contains(this.path, root, real)))
      throw new PathRefused(`${written} is a link that leads outside the open folders.`);
    return found;
  }

  /** Relative to its folder, preceded by the folder's name when several are open. Always with forward slashes. */
  display(absolute: string): string {
    const roots = this.files.roots();
    const root = roots.find((candidate) => contains(this.path, candidate.path, absolute));
    if (root === undefined) return absolute;
    const relative = this.path.relative(root.path, absolute).split(this.path.sep).join('/');
    const prefix = roots.length > 1 ? `${root.name}/` : '';
    return relative === '' ? (roots.length > 1 ? root.name : '.') : `${prefix}${relative}`;
  }

  private candidates(written: string, roots: readonly WorkspaceRoot[]): readonly string[] {
    const cleaned = written.trim().replace(/^file:\/\//, '');
    if (this.path.isAbsolute(cleaned)) return [this.path.normalize(cleaned)];
    const [first = '', ...rest] = cleaned.split(/[\\/]/);
    const named = roots.filter((root) => root.name === first).map((root) => this.path.resolve(root.path, ...rest));
    return [...roots.map((root) => this.path.resolve(root.path, cleaned)), ...named];
  }
}

/** True when `candidate` is `folder` or inside it. Both absolute; case sensitivity follows the platform. */
export function contains(path: nodePath.PlatformPath, folder: string, candidate: string): boolean {
  const relative = path.relative(folder, candidate);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}
