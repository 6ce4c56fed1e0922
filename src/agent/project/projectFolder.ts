import { join } from 'node:path';
import { decodeText } from '../../tools/readFile';
import { holdsSecrets } from '../../tools/secretFiles';
import { FileNotFound, type WorkspaceFiles, type WorkspaceRoot } from '../../tools/workspaceFiles';
import { PathRefused, WorkspacePaths } from '../../tools/workspacePaths';

/** Larger ones are no rules, whatever they are called. In bytes. */
const largest = 512 * 1024;
const mostEntries = 100;

/** Files of one open folder that say something to agents. What is missing, is no text, leads out
 *  of the folder or to a file that may hold secrets reads as nothing. */
export class ProjectFolder {
  private readonly paths: WorkspacePaths;

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly root: WorkspaceRoot,
    private readonly signal: AbortSignal,
  ) {
    this.paths = new WorkspacePaths(files);
  }

  /** As it is shown to people and models. */
  shown(path: string): string {
    return this.paths.display(join(this.root.path, path));
  }

  async text(path: string): Promise<string | null> {
    const found = await this.find(path, 'file');
    if (found === null || (await this.files.size(found)) > largest) return null;
    return decodeText(await this.files.read(found, this.signal));
  }

  /** Names of what lies in a folder, sorted; not more than can be meant. */
  async names(path: string, kind: 'file' | 'directory'): Promise<readonly string[]> {
    const found = await this.find(path, 'directory');
    if (found === null) return [];
    const entries = await this.files.list(found, this.signal);
    return entries
      .filter((entry) => entry.kind === kind)
      .map(({ name }) => name)
      .toSorted()
      .slice(0, mostEntries);
  }

  private async find(path: string, kind: 'file' | 'directory'): Promise<string | null> {
    try {
      const found = await this.paths.resolveExisting(join(this.root.path, path));
      if ((await this.files.kindOf(found)) !== kind) return null;
      return (await holdsSecrets(this.files, found)) ? null : found;
    } catch (error) {
      if (error instanceof FileNotFound || error instanceof PathRefused) return null;
      throw error;
    }
  }
}
