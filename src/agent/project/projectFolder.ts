import { join } from 'node:path';
import type { WorkspaceFiles, WorkspaceRoot } from '../../tools/workspaceFiles';
import { PathRefused, WorkspacePaths } from '../../tools/workspacePaths';
import { layouts } from './agentFolder';
import { type Leave, LeftOut, ReadableFolder } from './readableFolder';

/** Reads an open folder's files for agents, none from outside of the open folders. */
export class ProjectFolder extends ReadableFolder {
  readonly origin = 'folder';
  readonly layout = layouts.folder;
  private readonly paths: WorkspacePaths;

  constructor(
    files: WorkspaceFiles,
    private readonly root: WorkspaceRoot,
    signal: AbortSignal,
    left: Leave,
  ) {
    super(files, signal, left);
    this.paths = new WorkspacePaths(files);
  }

  override shown(path: string): string {
    return this.paths.display(join(this.root.path, path));
  }

  protected override async find(path: string, kind: 'file' | 'directory'): Promise<string | null> {
    const found = await this.paths.resolveExisting(join(this.root.path, path)).catch((error: unknown) => {
      throw error instanceof PathRefused ? new LeftOut('outside') : error;
    });
    return (await this.files.kindOf(found)) === kind ? found : null;
  }
}
