import type { ForeignSession } from '../sources/foreign';
import type { HistoryFiles } from '../sources/reading/historyFiles';
import type { ScanGroup } from './importing';

/** Sessions by source and folder, the group with the newest session first. */
export async function scanGroups(
  sessions: readonly ForeignSession[],
  files: Pick<HistoryFiles, 'stat'>,
): Promise<readonly ScanGroup[]> {
  const groups = new Map<string, ForeignSession[]>();
  for (const session of sessions) {
    const key = JSON.stringify([session.source, session.folder]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [session]);
    else known.push(session);
  }
  const sizes = new Map<string, number>();
  for (const path of new Set(sessions.map(({ location }) => location.path)))
    sizes.set(path, (await files.stat(path).catch(() => null))?.size ?? 0);
  return [...groups.values()].flatMap((members) => groupOf(members, sizes)).sort((a, b) => (b.to ?? 0) - (a.to ?? 0));
}

function groupOf(members: readonly ForeignSession[], sizes: ReadonlyMap<string, number>): readonly ScanGroup[] {
  const [first] = members;
  if (first === undefined) return [];
  const times = members.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]).filter((time) => time !== null);
  const paths = new Set(members.map(({ location }) => location.path));
  return [
    {
      source: first.source,
      folder: first.folder,
      sessions: members.length,
      messages: members.some(({ messageCount }) => messageCount === null)
        ? null
        : members.reduce((sum, { messageCount }) => sum + (messageCount ?? 0), 0),
      bytes: [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0),
      from: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
      to: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
    },
  ];
}
