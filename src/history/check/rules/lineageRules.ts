import type { FindingId } from '../findings/finding';

/** A session as the rules of lineage see it. */
export interface LineageFacts {
  readonly id: string;
  readonly title: string | null;
  readonly parentId: string | null;
  readonly isContinuation: boolean;
  /** Ended because a compression continued it. */
  readonly isCompressed: boolean;
  /** Messages that the session says it has; null when it does not say. */
  readonly counted: number | null;
  readonly hasRows: boolean;
}

interface LineageRule {
  readonly id: FindingId;
  /** Sessions in which the damage is, with a detail. */
  find(
    sessions: ReadonlyMap<string, LineageFacts>,
  ): readonly { readonly session: string; readonly detail: string | null }[];
}

const danglingParent: LineageRule = {
  id: 'danglingParent',
  find: (sessions) =>
    [...sessions.values()].flatMap(({ id, parentId }) =>
      parentId !== null && !sessions.has(parentId) ? [{ session: id, detail: parentId }] : [],
    ),
};

const parentCycle: LineageRule = {
  id: 'parentCycle',
  find: (sessions) =>
    [...sessions.values()].flatMap(({ id, parentId }) => {
      const seen = new Set<string>();
      for (let next = parentId; next !== null && !seen.has(next); next = sessions.get(next)?.parentId ?? null) {
        if (next === id) return [{ session: id, detail: parentId }];
        seen.add(next);
      }
      return [];
    }),
};

const endedWithoutChild: LineageRule = {
  id: 'endedWithoutChild',
  find: (sessions) => {
    const continued = new Set([...sessions.values()].flatMap((one) => (one.isContinuation ? [one.parentId] : [])));
    return [...sessions.values()].flatMap(({ id, isCompressed }) =>
      isCompressed && !continued.has(id) ? [{ session: id, detail: null }] : [],
    );
  },
};

const emptyContinuation: LineageRule = {
  id: 'emptyContinuation',
  find: (sessions) =>
    [...sessions.values()].flatMap(({ id, isContinuation, hasRows, parentId }) =>
      isContinuation && !hasRows ? [{ session: id, detail: parentId }] : [],
    ),
};

const twoContinuations: LineageRule = {
  id: 'twoContinuations',
  find: (sessions) => {
    const first = new Map<string, string>();
    return [...sessions.values()].flatMap(({ id, isContinuation, parentId }) => {
      if (!isContinuation || parentId === null) return [];
      const other = first.get(parentId);
      if (other === undefined) first.set(parentId, id);
      return other === undefined ? [] : [{ session: id, detail: other }];
    });
  },
};

/** The session counts messages and has none. */
const lostRows: LineageRule = {
  id: 'lostRows',
  find: (sessions) =>
    [...sessions.values()].flatMap(({ id, counted, hasRows }) =>
      counted !== null && counted > 0 && !hasRows ? [{ session: id, detail: String(counted) }] : [],
    ),
};

export const lineageRules: readonly LineageRule[] = [
  danglingParent,
  parentCycle,
  endedWithoutChild,
  emptyContinuation,
  twoContinuations,
  lostRows,
];
