import { joinedDraft, type DraftOnItsWay, type DraftPart } from '../../../transcript/draftPart';
import type { Chat } from '../state/chat';
import { refusalOf } from '../connection/chatHost';
import type { UnsavedDraft } from '../connection/viewMemory';

/** Draft of a composer as the host receives it. */
export interface DraftToSave {
  readonly key: string;
  readonly text: string;
  /** Absent: the host keeps the parts it has. */
  readonly parts?: readonly DraftPart[];
  /** Prompts being sent, which come before the text. */
  readonly sent?: readonly DraftOnItsWay[];
  /** Key of the draft that moves to `key` from now on. */
  readonly from?: string;
}

/** Drafts not confirmed to be on disk, by composer key. The view's own memory keeps them at every change, so they
 *  survive a page reload or a host crash. Attachments are not kept there: they may be large, and the host gets them
 *  immediately. */
export class UnsavedDrafts {
  /** Drafts of the page before the reload, until the host has them or they are in the composer again. */
  private left: readonly UnsavedDraft[];
  /** Those that the host has. What is typed before its draft arrives may replace them there. */
  private readonly handedOver = new Set<UnsavedDraft>();
  private hasArrived = false;
  /** Those that the host refused. */
  private notTaken: readonly UnsavedDraft[] = [];
  private readonly own = new Map<string, { readonly draft: UnsavedDraft; readonly note: number }>();
  private notes = 0;
  /** Texts that the host is known to have, by composer key. */
  private readonly known = new Map<string, string>();
  /** Drafts that the host refused to save, by composer key. */
  private readonly refused = new Map<string, DraftToSave>();

  constructor(private readonly chat: Pick<Chat, 'host' | 'memory'>) {
    this.left = chat.memory.recalled.unsaved;
  }

  /** Records the composer's text, with the uid of the prompt it will be, and the prompts being sent from it. */
  remember(key: string, text: string, sent: readonly DraftOnItsWay[], uid?: string): void {
    this.notes++;
    const going = sent.map((prompt) => ({ uid: prompt.uid, text: prompt.text }));
    const base = this.known.get(key);
    const named = { ...(uid === undefined ? {} : { uid }), ...(base === undefined ? {} : { base }) };
    this.put({ key, text, ...named, sent: going }, this.notes);
  }

  /** True when everything recorded of this composer is on disk. */
  isSaved(key: string): boolean {
    return !this.own.has(key);
  }

  /** Called when the host has this text of a composer. */
  hostHas(key: string, text: string): void {
    this.known.set(key, text);
  }

  isKnown(key: string, text: string): boolean {
    return this.known.get(key) === text;
  }

  /** Called when the prompt is on disk. */
  arrived(key: string, uid: string): void {
    const noted = this.own.get(key);
    if (noted !== undefined)
      this.put({ ...noted.draft, sent: noted.draft.sent.filter((prompt) => prompt.uid !== uid) }, noted.note);
  }

  /** Sends the last recorded draft of this composer to the host. Anything recorded until the host has it on disk
   *  stays unsaved. */
  save(draft: DraftToSave): void {
    const { key } = draft;
    // It would replace a draft of the host that the view does not know yet.
    if (!this.hasArrived) return;
    const note = this.own.get(key)?.note;
    this.refused.delete(key);
    void this.give(draft).then((isSaved) => {
      if (isSaved) this.hostHas(key, draft.text);
      if (note === undefined || this.own.get(key)?.note !== note) return;
      if (!isSaved) return void this.refused.set(key, draft);
      this.own.delete(key);
      this.keep();
    });
  }

  /** Sends the host again what it refused. */
  giveAgain(): void {
    for (const draft of [...this.refused.values()]) this.save(draft);
    const { notTaken } = this;
    this.notTaken = [];
    this.handOver(notTaken.filter((draft) => this.left.includes(draft)));
  }

  /** Sends the drafts of the pages before the reload to the host, those of one composer together. A text may have been
   *  sent after it was recorded, so the host gets it as a prompt that it leaves out if it has it. */
  handOver(drafts = this.left): void {
    for (const key of new Set(drafts.map((draft) => draft.key))) {
      const own = drafts.filter((draft) => draft.key === key);
      const text = joinedDraft(own.filter(({ uid }) => uid === undefined).map((draft) => draft.text));
      const sent = own.flatMap((draft) => [
        ...draft.sent,
        ...(draft.uid === undefined || draft.text === '' ? [] : [{ uid: draft.uid, text: draft.text }]),
      ]);
      void this.give({ key, text, sent }).then((isSaved) => {
        if (!isSaved) this.notTaken = [...this.notTaken, ...own];
        else if (this.hasArrived) own.forEach((draft) => this.drop(draft));
        else own.forEach((draft) => this.handedOver.add(draft));
      });
    }
  }

  /** Takes the draft of this composer that the host may not have; from now on the composer holds it. Prompts that
   *  are `stored` by now are left out. A draft from which one of them was sent belongs to their session.
   *  `isUntouched`: nothing was typed since the page was loaded, so the host has what it was handed over. */
  take(key: string, stored: ReadonlySet<string>, isUntouched: boolean): UnsavedDraft | null {
    const isStored = ({ uid }: { readonly uid?: string }): boolean => uid !== undefined && stored.has(uid);
    const drafts = this.left.filter(
      (draft) =>
        (draft.key === key || isStored(draft) || draft.sent.some(isStored)) &&
        !(isUntouched && this.handedOver.has(draft)),
    );
    for (const draft of drafts) this.drop(draft);
    const sent = drafts.flatMap((draft) => draft.sent).filter((prompt) => !isStored(prompt));
    const text = joinedDraft(drafts.filter((draft) => !isStored(draft)).map((draft) => draft.text));
    const base = drafts.find((draft) => draft.key === key)?.base;
    return text === '' && sent.length === 0 ? null : { key, text, sent, ...(base === undefined ? {} : { base }) };
  }

  /** Called when the view has the host's drafts. */
  arrive(): void {
    this.hasArrived = true;
    for (const draft of this.handedOver) this.drop(draft);
    this.handedOver.clear();
  }

  private drop(draft: UnsavedDraft): void {
    this.left = this.left.filter((each) => each !== draft);
    this.keep();
  }

  private put(draft: UnsavedDraft, note: number): void {
    // An empty text never replaces another one, which may be from a page that was not loaded yet. What the host has is
    // the host's: it may have been sent from elsewhere since.
    if (draft.sent.length === 0 && (draft.text === '' || draft.text === draft.base)) this.own.delete(draft.key);
    else this.own.set(draft.key, { draft, note });
    this.keep();
  }

  private keep(): void {
    const unsaved = [...this.left, ...[...this.own.values()].map(({ draft }) => draft)];
    this.chat.memory.remember({ unsaved });
  }

  /** Resolves to true when the draft is on disk. Otherwise the view keeps it, and the store's own notice reports the
   *  problem. */
  private async give(draft: DraftToSave): Promise<boolean> {
    return (await refusalOf(() => this.chat.host.request('saveDraft', draft))) === null;
  }
}
