import type { DraftOnItsWay } from '../../../protocol/transcriptTypes';
import type { UnsavedDraft } from '../connection/viewMemory';

/** Drafts not confirmed to be on disk, by composer key. The view's own memory keeps them at every change, so they
 *  survive a page reload or a host crash. Attachments are not kept there: they may be large, and the host gets them
 *  immediately. */
export class UnsavedDrafts {
  /** Drafts of the page before the reload, until the host has them or they are in the composer again. */
  private left: readonly UnsavedDraft[];
  private readonly own = new Map<string, { readonly draft: UnsavedDraft; readonly note: number }>();
  private notes = 0;

  constructor(
    recalled: readonly UnsavedDraft[],
    private readonly remember: (drafts: UnsavedDraft[]) => void,
  ) {
    this.left = recalled;
  }

  /** Records the composer's text and the prompts being sent from it. */
  note(key: string, text: string, sent: readonly DraftOnItsWay[]): void {
    this.notes++;
    this.put({ key, text, sent: sent.map(({ uid, text: words }) => ({ uid, text: words })) }, this.notes);
  }

  /** Called when the prompt is on disk. */
  arrived(key: string, uid: string): void {
    const noted = this.own.get(key);
    if (noted !== undefined)
      this.put({ ...noted.draft, sent: noted.draft.sent.filter((prompt) => prompt.uid !== uid) }, noted.note);
  }

  /** Called when the host received the last recorded draft of this composer; `saved` resolves to true when that is
   *  on disk. Anything recorded since is not. */
  async given(key: string, saved: Promise<boolean>): Promise<void> {
    const note = this.own.get(key)?.note;
    if (!(await saved) || note === undefined || this.own.get(key)?.note !== note) return;
    this.own.delete(key);
    this.keep();
  }

  /** Sends the drafts of the page before the reload to the host. */
  handOver(save: (draft: UnsavedDraft) => Promise<boolean>): void {
    for (const draft of this.left) {
      void save(draft).then((isSaved) => {
        if (isSaved) this.drop(draft);
      });
    }
  }

  /** Takes the draft of this composer that the host does not have; from now on the composer holds it. */
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
    // An empty text never replaces another one, which may be from a page that was not loaded yet.
    if (draft.text === '' && draft.sent.length === 0) this.own.delete(draft.key);
    else this.own.set(draft.key, { draft, note });
    this.keep();
  }

  private keep(): void {
    this.remember([...this.left, ...[...this.own.values()].map(({ draft }) => draft)]);
  }
}
