function rowsOf(scroller: HTMLElement | null): readonly HTMLElement[] {
  return [...(scroller?.querySelectorAll<HTMLElement>('button[data-result]') ?? [])];
}

/** Focuses the result with this uid, or the first one. */
export function focusResult(scroller: HTMLElement | null, uid: string | null): void {
  const rows = rowsOf(scroller);
  const row = rows.find((element) => element.dataset['result'] === uid) ?? rows[0];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

/** Returns the result a key leads to from the focused one; 'field' above the first, null for a key that does not
 *  move. */
export function resultAfter(
  scroller: HTMLElement | null,
  from: Element | null,
  key: string,
): HTMLElement | 'field' | null {
  const rows = rowsOf(scroller);
  const at = rows.findIndex((element) => element === from);
  switch (key) {
    case 'ArrowDown':
      return rows[Math.min(rows.length - 1, at + 1)] ?? null;
    case 'ArrowUp':
      return at <= 0 ? 'field' : (rows[at - 1] ?? null);
    case 'Home':
      return rows[0] ?? null;
    case 'End':
      return rows.at(-1) ?? null;
    case 'Escape':
      return 'field';
    default:
      return null;
  }
}
