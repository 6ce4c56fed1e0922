import * as v from 'valibot';

/** What menus and views name a session by: rows of the sessions view, messages of a page, or its id. */
const named = v.union([
  v.object({ sessionId: v.string(), messageUid: v.optional(v.string()) }),
  v.pipe(
    v.string(),
    v.transform((sessionId) => ({ sessionId, messageUid: undefined })),
  ),
]);
/** What the keys of the sessions view carry: they mean its selection. */
const selection = v.object({ from: v.literal('selection') });

export interface NamedTarget {
  readonly sessionIds: readonly string[];
  readonly messageUid: string | null;
}

/** The sessions that a command was given: every selected row, the row or message that was clicked, or what is selected; null when it was
 *  given none and means the session that is shown; 'lost' when it was called on a row that the editor cannot name. `args` is what the editor
 *  passes to a command: for a row two arguments, which it makes of what it drew. While it draws a view anew it knows no row, and passes nothing
 *  in its place. */
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
