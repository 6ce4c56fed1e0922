import type { SessionSummary } from '../../transcript/session';

export const groupKinds = ['pinned', 'today', 'week', 'older', 'archived', 'trash'] as const;
export type GroupKind = (typeof groupKinds)[number];

/** A session in the view, with the sessions that were branched from it below. */
export interface SessionEntry {
  readonly kind: 'session';
  /** What commands act on: the newest segment. */
  readonly sessionId: string;
  readonly summary: SessionSummary;
  /** The group that its thread stands in. */
  readonly group: GroupKind;
  readonly branches: readonly SessionEntry[];
}

export interface SessionGroup {
  readonly kind: 'group';
  readonly group: GroupKind;
  readonly entries: readonly SessionEntry[];
  /** There are older ones that were not read. They would stand here, or behind. */
  readonly hasMore: boolean;
}

/** Part of a list, newest first. */
export interface ListPart {
  readonly sessions: readonly SessionSummary[];
  readonly hasMore: boolean;
}

export interface SessionLists {
  /** Neither archived nor in the trash, pinned ones among them. */
  readonly active: ListPart;
  readonly archived: ListPart;
  readonly trash: ListPart;
}

/** The groups of the sessions view that hold something, in order. A branch stands below what it was branched from, unless that one is in
 *  another list, or the branch is pinned and the other is not; such a thread stands where its newest activity belongs.
 *  `now` in seconds since the epoch; days are those of the local time zone. */
export function sessionGroups(lists: SessionLists, now: number): readonly SessionGroup[] {
  const today = startOfDay(now, 0);
  // Seven days with today, not the calendar's week: on a Monday that would be one day.
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

/** Conversations that a list's branches were branched from and that are not in it. */
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

/** Seconds until the local day after `now` begins. */
export function secondsToMidnight(now: number): number {
  return startOfDay(now, -1) - now;
}

/** Where the local day `daysBack` days before that of `now` begins. Days are counted by the calendar: some have 23 or 25 hours. */
function startOfDay(now: number, daysBack: number): number {
  const date = new Date(now * 1000);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack).getTime() / 1000;
}

/** Sessions with their branches below them; the thread with the newest activity comes first. */
function threads(
  sessions: readonly SessionSummary[],
  groupOf: (root: SessionSummary, activity: number) => GroupKind,
): readonly SessionEntry[] {
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
  const entry = (summary: SessionSummary, group: GroupKind): SessionEntry => ({
    kind: 'session',
    sessionId: summary.id,
    summary,
    group,
    branches: newestFirst(below.get(summary.conversationId) ?? []).map(({ summary: branch }) => entry(branch, group)),
  });
  return newestFirst(roots).map(({ summary, activity }) => entry(summary, groupOf(summary, activity)));
}

/** The conversation that a session stands below; null for one that stands by itself. */
function originOf(summary: SessionSummary, known: ReadonlyMap<string, SessionSummary>): string | null {
  const origin = summary.branchOf === null ? undefined : known.get(summary.branchOf.conversationId);
  if (origin === undefined || (summary.pinned && !origin.pinned)) return null;
  // A damaged file may hold branches of each other: the one that is looked at then stands by itself.
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
