import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { DiskPathLookup } from '../../tools/approval/pathLookup';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';

/** The lookup of paths on this machine. */
export function diskLookup(roots: WorkspaceFiles['roots']): DiskPathLookup {
  return new DiskPathLookup(roots, homedir(), realpathSync(tmpdir()));
}
