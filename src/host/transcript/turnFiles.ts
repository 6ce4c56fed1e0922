import type { TurnFile } from '../../protocol/transcriptProtocol';
import type { FileChange } from '../../store/fileChanges';

/** Files that a turn's calls changed, each once, in the order of their first change. */
export function turnFiles(changes: readonly FileChange[], folder: string | null): readonly TurnFile[] {
  const byPath = new Map<string, readonly FileChange[]>();
  for (const change of changes) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  return [...byPath].map(([path, ofFile]) => ({
    path: shownPath(path, folder),
    kind: kindOf(ofFile),
    reviewed: reviewOf(ofFile),
  }));
}

function shownPath(path: string, folder: string | null): string {
  if (folder === null) return path;
  const inside = path.startsWith(folder) && /^[/\\]/.test(path.slice(folder.length));
  return inside ? path.slice(folder.length + 1).replaceAll('\\', '/') : path;
}

function kindOf(changes: readonly FileChange[]): TurnFile['kind'] {
  const before = changes[0]?.before;
  const after = changes.at(-1)?.after;
  if (after === undefined) return 'unknown';
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'edited';
}

function reviewOf(changes: readonly FileChange[]): TurnFile['reviewed'] {
  const kinds = new Set(changes.map(({ reviewed }) => reviewed?.kind ?? null));
  if (kinds.size > 1) return 'partly';
  return changes[0]?.reviewed?.kind ?? null;
}
