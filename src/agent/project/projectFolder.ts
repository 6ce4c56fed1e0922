import { join } from 'node:path';
import { decodeText } from '../../tools/readFile';
import { holdsSecrets } from '../../tools/secretFiles';
import { FileNotFound, type WorkspaceFiles, type WorkspaceRoot } from '../../tools/workspaceFiles';
import { PathRefused, WorkspacePaths } from '../../tools/workspacePaths';
import { type AgentFolder, largestFile, layouts, mostEntries } from './agentFolder';

/** Reads an open folder's files for agents. Returns nothing for a file that is missing, is not text, is outside of
 *  the folder, or may hold secrets. */
export class ProjectFolder implements AgentFolder {
  readonly origin = 'folder';
  readonly layout = layouts.folder;
  private readonly paths: WorkspacePaths;

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly root: WorkspaceRoot,
    private readonly signal: AbortSignal,
  ) {
    this.paths = new WorkspacePaths(files);
  }

  shown(path: string): string {
    return this.paths.display(join(this.root.path, path));
  }

  async text(path: string): Promise<string | null> {
    const found = await this.find(path, 'file');
    if (found === null || (await this.files.size(found)) > largestFile) return null;
    return decodeText(await this.files.read(found, this.signal));
  }

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
