import * as v from 'valibot';

/** Argument by which menus and views name a session: a row of the sessions view, a message of a page, or the id. */
const named = v.union([
  v.object({ sessionId: v.string(), messageUid: v.optional(v.string()) }),
  v.pipe(
    v.string(),
    v.transform((sessionId) => ({ sessionId, messageUid: undefined })),
  ),
]);
/** Argument of key bindings in the sessions view: they apply to its selection. */
const selection = v.object({ from: v.literal('selection') });

export interface NamedTarget {
  readonly sessionIds: readonly string[];
  readonly messageUid: string | null;
}

/** Sessions that a command was called on: every selected row, or the clicked row or message, or the selection. Null:
 *  none was passed, so the shown session is meant. 'lost': it was called on a row that the editor cannot name.
 *  `args`: the arguments from the editor. For a row, it passes two, which it takes from what it rendered. During a
 *  refresh, it knows no row and passes undefined or null instead. */
export function namedTarget(
  args: readonly unknown[],
  selected: () => readonly { readonly sessionId: string }[],
): NamedTarget | 'lost' | null {
  const [first, rows] = args;
  if (args.length > 1 && (isNothing(first) || (Array.isArray(rows) && rows.some(isNothing)))) return 'lost';
  const several = v.safeParse(v.pipe(v.array(v.unknown()), v.minLength(1)), rows);
  if (several.success) {
    const sessionIds = several.output.flatMap((row) => idOf(row));
    if (sessionIds.length > 0) return { sessionIds, messageUid: null };
  }
  if (v.is(selection, first)) return { sessionIds: selected().map(({ sessionId }) => sessionId), messageUid: null };
  const one = v.safeParse(named, first);
  return one.success ? { sessionIds: [one.output.sessionId], messageUid: one.output.messageUid ?? null } : null;
}

function isNothing(row: unknown): boolean {
  return row === undefined || row === null;
}

function idOf(row: unknown): readonly string[] {
  const parsed = v.safeParse(named, row);
  return parsed.success ? [parsed.output.sessionId] : [];
}
