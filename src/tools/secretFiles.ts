import type { AccessPath } from '../transcript/approval';
import { AccessPaths } from './accessPaths';
import { isSecret, judgedName } from './sensitivePaths';
import type { WorkspaceFiles } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';

/** Whether the text of a file must not reach a model unasked: by the name it is reached by, or by that of the file behind its links. A file whose
 *  real place cannot be found counts as one. `absolute`: resolved, not as somebody wrote it. */
export async function holdsSecrets(files: WorkspaceFiles, absolute: string): Promise<boolean> {
  if (isSecret(new WorkspacePaths(files).display(absolute))) return true;
  try {
    return isSecret(judgedName(await new AccessPaths(files).locate(absolute)));
  } catch {
    return true;
  }
}

/** Whether a rule of the person denies reading what lies there. `place`: with links resolved, as `AccessPaths.locate` tells it. */
export type DeniesReading = (place: AccessPath) => boolean;

export type WithheldFor = 'rule' | 'secrets';

export interface ReadDenials {
  readonly files: WorkspaceFiles;
  readonly deniesReading: DeniesReading;
}

/** Why a tool that does not ask the person must not show what is in a file; null where it may. `absolute`: resolved, not as somebody wrote it. */
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
