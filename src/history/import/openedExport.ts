import { readOnly, type ReadingDeps } from '../../store/library/foreignStore';
import { integerOr, textOr, timeOr } from '../../store/session/tables/columns';
import { storeOfExport } from './exportImport';
import type { ExportedConversation, OpenedExport } from './importing';

interface SessionRow {
  readonly id: string;
  readonly parentId: string;
  readonly isSubAgent: boolean;
  readonly title: string;
  readonly messages: number;
  readonly lastActiveAt: number;
}

/** Reads an export of ours into a private store, and lists what is in it. Throws as `storeOfExport`. */
export function openedExport(deps: ReadingDeps, path: string): OpenedExport {
  const copy = storeOfExport(deps, path);
  try {
    const rows = readOnly(deps, copy.folder, (database) =>
      database
        .all('SELECT id, parent_session_id, parent_kind, title, message_count, last_activity_at FROM sessions')
        .map((row): SessionRow => ({
          id: textOr(row, 'id', ''),
          parentId: textOr(row, 'parent_session_id', ''),
          isSubAgent: textOr(row, 'parent_kind', '') === 'delegate',
          title: textOr(row, 'title', ''),
          messages: integerOr(row, 'message_count', 0),
          lastActiveAt: timeOr(row, 'last_activity_at', 0),
        })),
    );
    return { folder: copy.folder, conversations: conversationsOf(copy.sessionIds, rows) };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** Groups sessions by the root of their parents. `ordered`: ids, parents before their children. Pure. */
function conversationsOf(ordered: readonly string[], rows: readonly SessionRow[]): readonly ExportedConversation[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const rootOf = new Map<string, string>();
  const groups = new Map<string, SessionRow[]>();
  for (const id of ordered) {
    const row = byId.get(id);
    if (row === undefined) continue;
    const root = rootOf.get(row.parentId) ?? id;
    rootOf.set(id, root);
    groups.set(root, [...(groups.get(root) ?? []), row]);
  }
  return [...groups.values()]
    .map((group) => ({ group, newest: newestOf(group) }))
    .sort((one, other) => other.newest.lastActiveAt - one.newest.lastActiveAt)
    .map(({ group, newest }) => ({
      sessionIds: group.map(({ id }) => id),
      newestId: newest.id,
      title: newest.title === '' ? null : newest.title,
      lastActiveAt: Math.max(...group.map(({ lastActiveAt }) => lastActiveAt)),
      messages: group.reduce((sum, { messages }) => sum + messages, 0),
    }));
}

/** A group begins with its root, which counts even if it is of a sub-agent. */
function newestOf([root, ...others]: readonly SessionRow[]): SessionRow {
  if (root === undefined) throw new Error('A conversation has at least one session.');
  return others
    .filter(({ isSubAgent }) => !isSubAgent)
    .reduce((newest, row) => (row.lastActiveAt >= newest.lastActiveAt ? row : newest), root);
}
