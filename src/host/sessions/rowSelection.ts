/** Tracks the selected sessions of the view. The editor identifies selected rows by handles that it creates again at
 *  every render. So during a render, it reports fewer rows or none, and does not correct that later. */
export class RowSelection {
  private said: readonly string[] = [];

  /** Called when the editor reports a changed selection. */
  changed(sessionIds: readonly string[]): void {
    this.said = sessionIds;
  }

  /** Called when the user opened a row, which selects it. The editor's own report comes before this. */
  opened(sessionId: string): void {
    this.said = [sessionId];
  }

  /** The selected rows among those that the view shows (`rows`), if the editor currently knows only `known`. */
  of<R extends { readonly sessionId: string }>(known: readonly R[], rows: () => readonly R[]): readonly R[] {
    if (known.length >= this.said.length) return known;
    const said = new Set(this.said);
    return rows().filter(({ sessionId }) => said.has(sessionId));
  }
}
