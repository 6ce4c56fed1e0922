import type { ForeignSession } from '../sources/foreign';

/** Sessions newest first, except that a session follows the one it came from: lineage names only stored sessions. A
 *  family is as new as its newest member. */
export function importOrder(found: readonly ForeignSession[]): readonly ForeignSession[] {
  const byKey = new Map(found.map((session) => [keyOf(session, session.id), session]));
  const rootOf = (session: ForeignSession): ForeignSession => {
    const seen = new Set<ForeignSession>();
    let root = session;
    for (
      let parent = parentIn(byKey, root);
      parent !== undefined && !seen.has(parent);
      parent = parentIn(byKey, root)
    ) {
      seen.add(parent);
      root = parent;
    }
    return root;
  };
  const families = new Map<ForeignSession, ForeignSession[]>();
  for (const session of new Set(found)) {
    const root = rootOf(session);
    families.set(root, [...(families.get(root) ?? []), session]);
  }
  return [...families.values()]
    .map((members) => ({ members, newest: Math.max(...members.map(timeOf)) }))
    .sort((a, b) => b.newest - a.newest)
    .flatMap(({ members }) => parentsFirst(members, byKey));
}

/** Seconds since the epoch: the last sign of life; 0 when the source does not say. */
export function timeOf({ endedAt, startedAt }: ForeignSession): number {
  return endedAt ?? startedAt ?? 0;
}

function parentsFirst(
  members: readonly ForeignSession[],
  byKey: ReadonlyMap<string, ForeignSession>,
): readonly ForeignSession[] {
  const ordered = new Set<ForeignSession>();
  const begun = new Set<ForeignSession>();
  const visit = (session: ForeignSession): void => {
    if (begun.has(session)) return;
    begun.add(session);
    const parent = parentIn(byKey, session);
    if (parent !== undefined && members.includes(parent)) visit(parent);
    ordered.add(session);
  };
  for (const session of [...members].sort((a, b) => timeOf(b) - timeOf(a))) visit(session);
  return [...ordered];
}

function parentIn(byKey: ReadonlyMap<string, ForeignSession>, session: ForeignSession): ForeignSession | undefined {
  return session.lineage === null ? undefined : byKey.get(keyOf(session, session.lineage.parentId));
}

function keyOf({ source }: ForeignSession, id: string): string {
  return JSON.stringify([source, id]);
}
