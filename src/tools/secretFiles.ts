import type { AccessPath } from '../transcript/approval';
import { AccessPaths } from './accessPaths';
import { isSecret, judgedName } from './pathTreatment';
import type { WorkspaceFiles } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';

/** True when a file's text needs approval before a model sees it: by its name, or by the name of its link target.
 *  Also true when its real place cannot be found. `absolute`: resolved, not as written by the caller. */
export async function holdsSecrets(files: WorkspaceFiles, absolute: string): Promise<boolean> {
  if (isSecret(new WorkspacePaths(files).display(absolute))) return true;
  try {
    return isSecret(judgedName(await new AccessPaths(files).locate(absolute)));
  } catch {
    return true;
  }
}

/** True when a rule of the user denies reading there. `place`: with links resolved, as returned by
 *  `AccessPaths.locate`. */
export type DeniesReading = (place: AccessPath) => boolean;

export type WithheldFor = 'rule' | 'secrets';

export interface ReadDenials {
  readonly files: WorkspaceFiles;
  readonly deniesReading: DeniesReading;
}

/** Reason why a tool that does not ask for approval must not show a file's content; null when it may. `absolute`:
 *  resolved, not as written by the caller. */
export async function withheldFor(
  { files, deniesReading }: ReadDenials,
  absolute: string,
): Promise<WithheldFor | null> {
  // A file whose real place cannot be found is withheld below.
  const place = await new AccessPaths(files).locate(absolute).catch(() => null);
  if (place !== null && deniesReading(place)) return 'rule';
  return (await holdsSecrets(files, absolute)) ? 'secrets' : null;
}

export const withheldByRule = 'withheld: a rule denies reading it';
