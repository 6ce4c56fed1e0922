import type { DraftOnItsWay } from '../../../protocol/transcriptTypes';
import type { UnsavedDraft } from '../connection/viewMemory';

/** Drafts that the host has not said are on disk, by place. The view's own memory keeps them, at every change, so that a page that is reloaded, or
 *  whose host died, still has them. What goes along with a draft is not kept there: it may be large, and the host is given it at once. */
export class UnsavedDrafts {
  /** Of the page before, until the host has them or they are in the composer again. */
  private left: readonly UnsavedDraft[];
  private readonly own = new Map<string, { readonly draft: UnsavedDraft; readonly note: number }>();
  private notes = 0;

  constructor(
    recalled: readonly UnsavedDraft[],
    private readonly remember: (drafts: UnsavedDraft[]) => void,
  ) {
    this.left = recalled;
  }

  /** The composer of this place holds this text, and these prompts are on their way from it. */
  note(key: string, text: string, sent: readonly DraftOnItsWay[]): void {
    this.notes++;
    this.put({ key, text, sent: sent.map(({ uid, text: words }) => ({ uid, text: words })) }, this.notes);
  }

  /** The prompt is on disk. */
  arrived(key: string, uid: string): void {
    const noted = this.own.get(key);
    if (noted !== undefined)
      this.put({ ...noted.draft, sent: noted.draft.sent.filter((prompt) => prompt.uid !== uid) }, noted.note);
  }

  /** The host was given what was noted last of this place; `saved` says whether it is on disk. What was noted since is not. */
  async given(key: string, saved: Promise<boolean>): Promise<void> {
    const note = this.own.get(key)?.note;
    if (!(await saved) || note === undefined || this.own.get(key)?.note !== note) return;
    this.own.delete(key);
    this.keep();
  }

  /** Gives the host what the page before could not be sure of. */
  handOver(save: (draft: UnsavedDraft) => Promise<boolean>): void {
    for (const draft of this.left) {
      void save(draft).then((isSaved) => {
        if (isSaved) this.drop(draft);
      });
    }
  }

  /** What the host still does not have of this place: it is in the composer from now on. */
  take(key: string): UnsavedDraft | null {
    const draft = this.left.find((each) => each.key === key) ?? null;
    if (draft !== null) this.drop(draft);
    return draft;
  }

  private drop(draft: UnsavedDraft): void {
    this.left = this.left.filter((each) => each !== draft);
    this.keep();
  }

  private put(draft: UnsavedDraft, note: number): void {
    // An empty text never takes the place of another one: it may be that of a page that was not loaded yet.
    if (draft.text === '' && draft.sent.length === 0) this.own.delete(draft.key);
    else this.own.set(draft.key, { draft, note });
    this.keep();
  }

  private keep(): void {
    this.remember([...this.left, ...[...this.own.values()].map(({ draft }) => draft)]);
  }
}
