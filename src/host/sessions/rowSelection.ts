/** Which sessions are selected in their view. The editor names selected rows by handles that it makes anew with every drawing: what it says while the
 *  view is drawn is less than is selected, or nothing, and it does not say it again. */
export class RowSelection {
  private said: readonly string[] = [];

  /** The editor says that the selection changed. */
  changed(sessionIds: readonly string[]): void {
    this.said = sessionIds;
  }

  /** The person opened a row, which selects it, whatever the editor makes of it: it says so before. */
  opened(sessionId: string): void {
    this.said = [sessionId];
  }

  /** The selected ones, of those that the view shows (`rows`), where the editor knows only of `known` by now. */
  of<R extends { readonly sessionId: string }>(known: readonly R[], rows: () => readonly R[]): readonly R[] {
    if (known.length >= this.said.length) return known;
    const said = new Set(this.said);
    return rows().filter(({ sessionId }) => said.has(sessionId));
  }
}
