/** Selected rows, and the row where the selection began. all: every row that passes the filter, loaded or not. */
export interface RowSelection {
  readonly from: string | null;
  /** The focused row, from which keys move. */
  readonly current: string | null;
  readonly uids: ReadonlySet<string>;
  readonly all: boolean;
}

export const nothingSelected: RowSelection = { from: null, current: null, uids: new Set(), all: false };

/** Selects one row, as a click or an arrow key does. Pure. */
export function selectOne(uid: string): RowSelection {
  return { from: uid, current: uid, uids: new Set([uid]), all: false };
}

/** Selects from where the selection began to `uid`, in the order of the loaded rows. Pure. */
export function extendTo(selection: RowSelection, uid: string, rows: readonly string[]): RowSelection {
  const from = selection.from ?? uid;
  const [a, b] = [rows.indexOf(from), rows.indexOf(uid)];
  if (b === -1) return selection;
  if (a === -1) return selectOne(uid);
  return { from, current: uid, uids: new Set(rows.slice(Math.min(a, b), Math.max(a, b) + 1)), all: false };
}

/** Adds the row, or removes it if it was selected. Pure. */
export function toggleRow(selection: RowSelection, uid: string): RowSelection {
  const uids = new Set(selection.uids);
  if (!uids.delete(uid)) uids.add(uid);
  return { from: uid, current: uid, uids, all: false };
}

export function selectAll(selection: RowSelection, rows: readonly string[]): RowSelection {
  return { ...selection, uids: new Set(rows), all: true };
}
