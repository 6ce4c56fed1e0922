/** Tracks the selected sessions of the view. The editor identifies selected rows by handles that it creates again at
 *  every render. So during a render, it reports fewer rows or none, and does not correct that later. */
export class TreeSelection {
  private selectedIds: readonly string[] = [];

  /** Called when the editor reports a changed selection. */
  changed(sessionIds: readonly string[]): void {
    this.selectedIds = sessionIds;
  }

  /** Called when the user opened a row, which selects it. The editor's own report comes before this. */
  opened(sessionId: string): void {
    this.selectedIds = [sessionId];
  }

  /** The selected rows among those that the view shows (`rows`), if the editor currently knows only `known`. */
  of<R extends { readonly sessionId: string }>(known: readonly R[], rows: () => readonly R[]): readonly R[] {
    if (known.length >= this.selectedIds.length) return known;
    const ids = new Set(this.selectedIds);
    return rows().filter(({ sessionId }) => ids.has(sessionId));
  }
}
