import type { SessionSummary } from '../../transcript/session';

export type GroupKind = 'pinned' | 'today' | 'week' | 'older' | 'archived' | 'trash';

/** A session in the view, with its branches below it. */
export interface SessionTreeEntry {
  readonly kind: 'session';
  /** Newest segment; commands apply to it. */
  readonly sessionId: string;
  readonly summary: SessionSummary;
  /** Group of its whole thread. */
  readonly group: GroupKind;
  readonly branches: readonly SessionTreeEntry[];
}

export interface SessionGroup {
  readonly kind: 'group';
  readonly group: GroupKind;
  readonly entries: readonly SessionTreeEntry[];
  /** True when older sessions were not read. They would be in this group or a later one. */
  readonly hasMore: boolean;
}

/** Part of a list, newest first. */
export interface ListPart {
  readonly sessions: readonly SessionSummary[];
  readonly hasMore: boolean;
}

export interface SessionLists {
  /** Sessions that are neither archived nor in the trash, including pinned ones. */
  readonly active: ListPart;
  readonly archived: ListPart;
  readonly trash: ListPart;
}

/** Non-empty groups of the sessions view, in order. A branch is listed below its origin, unless the origin is in
 *  another list, or only the branch is pinned. The newest activity of a thread decides its group. `now` in seconds
 *  since the epoch; days are those of the local time zone. */
export function sessionGroups(lists: SessionLists, now: number): readonly SessionGroup[] {
  const today = startOfDay(now, 0);
  // Seven days including today, not the calendar week: on a Monday, that would be one day.
  const week = startOfDay(now, 6);
  const dayOf = (activity: number): GroupKind => (activity >= today ? 'today' : activity >= week ? 'week' : 'older');
  const active = threads(lists.active.sessions, (root, activity) => (root.pinned ? 'pinned' : dayOf(activity)));
  const byDay = (['pinned', 'today', 'week', 'older'] as const).map((group) => ({
    group,
    entries: active.filter((entry) => entry.group === group),
  }));
  const lastDay = byDay.findLast(({ group, entries }) => group !== 'pinned' && entries.length > 0)?.group ?? 'older';
  const groups: readonly Omit<SessionGroup, 'kind'>[] = [
    ...byDay.map(({ group, entries }) => ({ group, entries, hasMore: lists.active.hasMore && group === lastDay })),
    { group: 'archived', entries: threads(lists.archived.sessions, () => 'archived'), hasMore: lists.archived.hasMore },
    { group: 'trash', entries: threads(lists.trash.sessions, () => 'trash'), hasMore: lists.trash.hasMore },
  ];
  return groups
    .filter(({ entries, hasMore }) => entries.length > 0 || hasMore)
    .map((group) => ({ kind: 'group', ...group }));
}

/** Conversations outside the list from which its branches were made. */
export function missingOrigins(sessions: readonly SessionSummary[]): readonly string[] {
  const known = new Set(sessions.map(({ conversationId }) => conversationId));
  return [
    ...new Set(
      sessions.flatMap(({ branchOf }) =>
        branchOf === null || known.has(branchOf.conversationId) ? [] : [branchOf.conversationId],
      ),
    ),
  ];
}

/** Seconds until the next local day after `now` begins. */
export function secondsToMidnight(now: number): number {
  return startOfDay(now, -1) - now;
}

/** Start of the local day `daysBack` days before that of `now`. Counts calendar days: some have 23 or 25 hours. */
function startOfDay(now: number, daysBack: number): number {
  const date = new Date(now * 1000);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack).getTime() / 1000;
}

/** Sessions with their branches below them. The thread with the newest activity is first. */
function threads(
  sessions: readonly SessionSummary[],
  groupOf: (root: SessionSummary, activity: number) => GroupKind,
): readonly SessionTreeEntry[] {
  const byConversation = new Map(sessions.map((summary) => [summary.conversationId, summary]));
  const below = new Map<string, SessionSummary[]>();
  const roots: SessionSummary[] = [];
  for (const summary of byConversation.values()) {
    const origin = originOf(summary, byConversation);
    if (origin === null) roots.push(summary);
    else below.set(origin, [...(below.get(origin) ?? []), summary]);
  }
  const activityOf = (summary: SessionSummary): number =>
    Math.max(summary.lastActiveAt, ...(below.get(summary.conversationId) ?? []).map(activityOf));
  const newestFirst = (list: readonly SessionSummary[]) =>
    list
      .map((summary) => ({ summary, activity: activityOf(summary) }))
      .sort((one, other) => other.activity - one.activity);
  const entry = (summary: SessionSummary, group: GroupKind): SessionTreeEntry => ({
    kind: 'session',
    sessionId: summary.id,
    summary,
    group,
    branches: newestFirst(below.get(summary.conversationId) ?? []).map(({ summary: branch }) => entry(branch, group)),
  });
  return newestFirst(roots).map(({ summary, activity }) => entry(summary, groupOf(summary, activity)));
}

/** Conversation that a session is listed below. Null: top level. */
function originOf(summary: SessionSummary, known: ReadonlyMap<string, SessionSummary>): string | null {
  const origin = summary.branchOf === null ? undefined : known.get(summary.branchOf.conversationId);
  if (origin === undefined || (summary.pinned && !origin.pinned)) return null;
  // A damaged file may contain branches of each other; then this one goes to the top level.
  const passed = new Set<string>();
  for (
    let next: SessionSummary | undefined = origin;
    next !== undefined;
    next = next.branchOf === null ? undefined : known.get(next.branchOf.conversationId)
  ) {
    if (next === summary) return null;
    if (passed.has(next.conversationId)) break;
    passed.add(next.conversationId);
  }
  return origin.conversationId;
}
