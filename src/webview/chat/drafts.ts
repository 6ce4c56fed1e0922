import { batch, signal, type ReadonlySignal } from '@preact/signals';
import type { DraftPart, MentionPart } from '../../protocol/transcriptWords';
import { noParts, partsAhead } from './draftParts';
import { followText } from './mentionText';
import { newSessionDraft } from './viewMemory';

/** Time as the view needs it. */
export interface Timers {
  nowMs(): number;
  /** Calls back once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Milliseconds without a keystroke after which the host is given the draft. */
const saveDelay = 300;

export interface DraftSink {
  /** Durable, by the host. Without `parts`, those that it has stay. */
  save(key: string, text: string, parts?: readonly DraftPart[]): void;
  /** In the view's own memory, at every change. What goes along is not kept there: it may be large, and the host is given it at once. */
  remember(draft: { readonly key: string; readonly text: string; readonly sent: boolean }): void;
}

/** The composer's text and what goes along with it. Every change is remembered at once by the view, and by the host shortly after or when the
 *  view is left; what goes along is given to the host at once. */
export class Drafts {
  private readonly current = signal('');
  private readonly along = signal(noParts);
  /** Mentions whose words were deleted: undoing that brings them back. */
  private gone: readonly MentionPart[] = [];
  private key: string;
  private earlierKeys: readonly string[] = [];
  private cancelSave: (() => void) | null = null;
  /** What the host has, as far as this view knows. */
  private saved = '';
  private savedParts = noParts;

  constructor(
    private readonly sink: DraftSink,
    private readonly timers: Timers,
    key: string,
  ) {
    this.key = key;
  }

  get text(): ReadonlySignal<string> {
    return this.current;
  }

  get parts(): ReadonlySignal<readonly DraftPart[]> {
    return this.along;
  }

  get place(): string {
    return this.key;
  }

  edit(text: string): void {
    const before = this.current.peek();
    if (text === before) return;
    const followed = followText(before, text, this.along.peek(), this.gone);
    this.gone = followed.gone;
    this.along.value = followed.parts;
    this.current.value = text;
    this.sink.remember({ key: this.key, text, sent: false });
    this.cancelSave?.();
    this.cancelSave = this.timers.after(saveDelay, () => this.flush());
  }

  /** From now on these go along. */
  take(parts: readonly DraftPart[]): void {
    if (parts === this.along.peek()) return;
    this.along.value = parts;
    this.save();
  }

  /** Gives the host what it does not have yet. */
  flush(): void {
    if (this.cancelSave !== null) this.save();
  }

  /** Another place is shown, and what was typed since that was asked for was meant for it: it goes along, behind the draft that is there. */
  carryTo(key: string, text: string, parts: readonly DraftPart[]): void {
    const typed = this.current.peek();
    const along = this.along.peek();
    // At once, so that whoever types on does not have the text taken away under the caret.
    batch(() => {
      this.edit('');
      this.take(noParts);
      this.show(key, text, parts);
      if (typed !== '') this.edit(text === '' ? typed : `${text}\n\n${typed}`);
      if (along.length > 0) this.take([...parts, ...along]);
    });
  }

  /** Another place's draft takes over; the one before is saved first. */
  show(key: string, text: string, parts: readonly DraftPart[] = noParts): void {
    // Where no session is shown yet, another view that began one has emptied the draft that both had.
    if (this.key === newSessionDraft && key !== this.key && this.current.peek() !== '') this.save();
    this.flush();
    this.key = key;
    this.earlierKeys = [];
    this.gone = [];
    this.saved = text;
    this.savedParts = parts;
    this.current.value = text;
    this.along.value = parts;
    this.sink.remember({ key, text, sent: true });
  }

  /** The host's draft of this place, into which a prompt that was taken back may have been put. It goes ahead of what is there by now. */
  putBack(stored: string, storedParts: readonly DraftPart[] = noParts): void {
    const ahead = partsAhead(storedParts, this.savedParts);
    const prompt = this.textAhead(stored);
    if (prompt === null && ahead.length === 0) return;
    const typed = this.current.peek();
    const text = prompt === null ? typed : typed.trim() === '' ? prompt : `${prompt}\n\n${typed}`;
    this.submitted(this.key, text, ahead.length === 0 ? this.along.peek() : [...ahead, ...this.along.peek()]);
  }

  /** The place has another key from now on: the session goes on in its next segment. Whoever is typing goes on typing. */
  moved(key: string): void {
    const earlier = [...this.earlierKeys, this.key];
    this.submitted(key, this.current.peek());
    this.earlierKeys = earlier;
  }

  /** Whether this is the place that is shown, be it under an earlier key. */
  isAt(key: string): boolean {
    return key === this.key || this.earlierKeys.includes(key);
  }

  /** What was in the composer is a prompt on disk now, in the session of `key`; `rest` was typed meanwhile, and `restParts` do not go along with
   *  that prompt. */
  submitted(key: string, rest: string, restParts: readonly DraftPart[] = this.along.peek()): void {
    if (key !== this.key) {
      this.send(this.key, '', noParts);
      this.savedParts = noParts;
    }
    this.key = key;
    this.gone = [];
    this.current.value = rest;
    this.along.value = restParts;
    this.save();
  }

  /** What the host put ahead of the text that it was given; null where there is nothing new. */
  private textAhead(stored: string): string | null {
    const { saved } = this;
    const isKnown = stored === saved || stored === this.current.peek();
    const behind = saved.trim() === '' ? '' : `\n\n${saved}`;
    // Another view of the same session may have given the host what this one never had; it is that view's to show.
    return isKnown || !stored.endsWith(behind) ? null : stored.slice(0, stored.length - behind.length);
  }

  private save(): void {
    this.cancelSave?.();
    this.cancelSave = null;
    this.saved = this.current.peek();
    this.send(this.key, this.saved, this.along.peek());
    this.savedParts = this.along.peek();
    this.sink.remember({ key: this.key, text: this.saved, sent: true });
  }

  private send(key: string, text: string, parts: readonly DraftPart[]): void {
    const areKnown = parts === this.savedParts || (parts.length === 0 && this.savedParts.length === 0);
    if (areKnown) this.sink.save(key, text);
    else this.sink.save(key, text, parts);
  }
}
