import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { joinedDraft, type DraftOnItsWay, type DraftPart, type MentionPart } from '../../../protocol/transcriptTypes';
import { afterSubmission } from './composerText';
import { noParts, partsAhead, partsLeft } from './draftParts';
import { followText } from './mentionText';
import { asGiven, behindSent, type SentPrompt } from './sentPrompts';
import { newSessionDraft } from '../connection/viewMemory';

/** Time as the view needs it. */
export interface Timers {
  nowMs(): number;
  /** Calls back once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Milliseconds without a keystroke after which the host is given the draft. */
const saveDelay = 300;

/** A composer's draft as the host is given it. */
export interface DraftToSave {
  readonly key: string;
  readonly text: string;
  /** Absent: those that it has stay. */
  readonly parts?: readonly DraftPart[];
  /** Prompts on their way, ahead of the text. */
  readonly sent?: readonly DraftOnItsWay[];
  /** The draft of this place goes: it is the one of `key` from now on. */
  readonly from?: string;
}

export interface DraftSink {
  /** Durable, by the host. */
  save(draft: DraftToSave): void;
  /** In the view's own memory, at every change. */
  remember(key: string, text: string, sent: readonly DraftOnItsWay[]): void;
  /** One of the prompts that were on their way from there is on disk. */
  arrived(key: string, uid: string): void;
}

/** The composer's text and what goes along with it. Every change is remembered at once by the view, and by the host shortly after, when a prompt
 *  is sent or when the view is left; what goes along is given to the host at once. A prompt that was sent is part of the draft until it is known to
 *  be on disk; in the field it stays until then too, or until something is typed behind it. */
export class Drafts {
  private readonly current = signal('');
  private readonly along = signal(noParts);
  /** In the order in which they were sent. */
  private readonly going = signal<readonly SentPrompt[]>([]);
  /** The prompt that the field still shows, and nothing else. */
  private readonly standing = signal<SentPrompt | null>(null);
  /** Mentions whose words were deleted: undoing that brings them back. */
  private gone: readonly MentionPart[] = [];
  private readonly at = signal(newSessionDraft);
  private earlierKeys: readonly string[] = [];
  private cancelSave: (() => void) | null = null;
  /** What the host has behind prompts on their way, as far as this view knows. */
  private saved = '';
  private savedParts = noParts;

  constructor(
    private readonly sink: DraftSink,
    private readonly timers: Timers,
  ) {}

  get text(): ReadonlySignal<string> {
    return this.current;
  }

  get parts(): ReadonlySignal<readonly DraftPart[]> {
    return this.along;
  }

  get place(): string {
    return this.key;
  }

  /** Whether the field shows nothing but what was sent already. */
  readonly isSent: ReadonlySignal<boolean> = computed(
    () => this.standing.value !== null && partsLeft(this.along.value, this.standing.value.parts).length === 0,
  );

  /** Prompts sent from this composer that are on their way, and no longer in the field. */
  readonly leaving: ReadonlySignal<readonly DraftOnItsWay[]> = computed(() =>
    this.going.value.filter((prompt) => prompt.key === this.at.value && prompt !== this.standing.value),
  );

  edit(text: string): void {
    const before = this.current.peek();
    if (text === before) return;
    batch(() => {
      const sent = this.standing.peek();
      if (sent === null) this.write(text);
      else {
        this.clearSent(sent);
        this.write(text.startsWith(sent.text) ? text.slice(sent.text.length).trimStart() : text);
      }
    });
    this.remember();
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

  /** A prompt was sent; the host is told at once, so that it is on disk before anything is done with it. What was typed behind it stays. */
  send(uid: string, typed: string, parts: readonly DraftPart[]): void {
    const prompt = { key: this.key, keyThen: this.key, uid, text: typed, parts };
    batch(() => {
      this.going.value = [...this.going.peek(), prompt];
      if (this.current.peek() === typed) this.standing.value = prompt;
      else {
        this.current.value = afterSubmission(this.current.peek(), typed);
        this.along.value = partsLeft(this.along.peek(), parts);
      }
    });
    this.gone = [];
    this.save();
  }

  /** The composer that a prompt on its way is part of, and how it reads there. */
  draftOf(uid: string): { readonly key: string; readonly text: string } | null {
    const prompt = this.going.peek().find((each) => each.uid === uid);
    return prompt === undefined ? null : { key: prompt.key, text: prompt.text };
  }

  /** The prompt is on disk, in the session of `key`, and was taken out of the host's draft in the same moment. */
  stored(uid: string, key: string): void {
    const prompt = this.going.peek().find((each) => each.uid === uid);
    if (prompt === undefined) return;
    batch(() => {
      this.going.value = this.going.peek().filter((each) => each !== prompt);
      if (this.standing.peek() === prompt) this.clearSent(prompt);
    });
    this.sink.arrived(prompt.key, uid);
    // Where the session went on in its next segment meanwhile, the composer knows its newest key.
    if (prompt.keyThen === this.key && key !== this.key) this.moveTo(key);
  }

  /** These prompts were not stored: they are in the composer again, ahead of what was typed behind them. One of another place stays with the
   *  draft of that one. */
  returned(uids: readonly string[]): void {
    const back = this.going.peek().filter(({ uid }) => uids.includes(uid));
    const sent = this.standing.peek();
    const here = back.filter((prompt) => prompt.key === this.key && prompt !== sent);
    batch(() => {
      this.going.value = this.going.peek().filter((prompt) => !back.includes(prompt));
      if (sent !== null && back.includes(sent)) this.standing.value = null;
      if (here.length === 0) return;
      this.current.value = joinedDraft([...here.map(({ text }) => text), this.current.peek()]);
      this.along.value = [...here.flatMap(({ parts }) => parts), ...this.along.peek()];
    });
    if (back.some(({ key }) => key === this.key)) this.save();
  }

  /** Another place is shown, and what was typed since that was asked for was meant for it: it goes along, behind the draft that is there. */
  carryTo(key: string, text: string, parts: readonly DraftPart[]): void {
    // At once, so that whoever types on does not have the text taken away under the caret.
    batch(() => {
      const sent = this.standing.peek();
      if (sent !== null) this.clearSent(sent);
      const typed = this.current.peek();
      const along = this.along.peek();
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
    if (this.key === newSessionDraft && key !== this.key && this.current.peek() !== '' && this.standing.peek() === null)
      this.save();
    this.flush();
    this.at.value = key;
    this.earlierKeys = [];
    this.gone = [];
    const behind = behindSent(this.sentFrom(key), text, parts);
    this.saved = behind.text;
    this.savedParts = behind.parts;
    batch(() => {
      this.standing.value = null;
      this.current.value = behind.text;
      this.along.value = behind.parts;
    });
  }

  /** The host's draft of this place, into which a prompt that was taken back may have been put. It goes ahead of what is there by now. */
  putBack(stored: string, storedParts: readonly DraftPart[] = noParts): void {
    const behind = behindSent(this.sentFrom(this.key), stored, storedParts);
    const ahead = partsAhead(behind.parts, this.savedParts);
    const prompt = this.textAhead(behind.text);
    if (prompt === null && ahead.length === 0) return;
    const sent = this.standing.peek();
    if (sent !== null) this.clearSent(sent);
    const typed = this.current.peek();
    const text = prompt === null ? typed : typed.trim() === '' ? prompt : `${prompt}\n\n${typed}`;
    this.replace(text, ahead.length === 0 ? this.along.peek() : [...ahead, ...this.along.peek()]);
  }

  /** The place has another key from now on: the session goes on in its next segment. Whoever is typing goes on typing. */
  moved(key: string): void {
    const earlier = [...this.earlierKeys, this.key];
    this.moveTo(key);
    this.earlierKeys = earlier;
  }

  /** Whether this is the place that is shown, be it under an earlier key. */
  isAt(key: string): boolean {
    return key === this.key || this.earlierKeys.includes(key);
  }

  /** What was in the composer is done with; `rest` was typed meanwhile. */
  replace(rest: string, restParts: readonly DraftPart[] = this.along.peek()): void {
    this.gone = [];
    this.standing.value = null;
    this.current.value = rest;
    this.along.value = restParts;
    this.save();
  }

  /** From now on the composer is that of `key`, with all that is in it and on its way from it. */
  moveTo(key: string): void {
    const from = this.key;
    this.at.value = key;
    this.going.value = this.going.peek().map((prompt) => this.movedAlong(prompt, from));
    const hasSomething =
      this.current.peek() !== '' || this.along.peek().length > 0 || this.saved !== '' || this.savedParts.length > 0;
    this.sink.remember(from, '', []);
    if (hasSomething || this.sentFrom(key).length > 0) this.save(from);
  }

  private movedAlong(prompt: SentPrompt, from: string): SentPrompt {
    if (prompt.key !== from) return prompt;
    const moved = { ...prompt, key: this.key };
    if (this.standing.peek() === prompt) this.standing.value = moved;
    return moved;
  }

  private write(text: string): void {
    const followed = followText(this.current.peek(), text, this.along.peek(), this.gone);
    this.gone = followed.gone;
    this.along.value = followed.parts;
    this.current.value = text;
  }

  /** The field no longer shows what was sent. */
  private clearSent(prompt: SentPrompt): void {
    this.standing.value = null;
    this.gone = [];
    this.current.value = '';
    this.along.value = partsLeft(this.along.peek(), prompt.parts);
  }

  /** What the host put ahead of the text that it was given; null where there is nothing new. */
  private textAhead(stored: string): string | null {
    const { saved } = this;
    const isKnown = stored === saved || stored === this.current.peek();
    const behind = saved.trim() === '' ? '' : `\n\n${saved}`;
    // Another view of the same session may have given the host what this one never had; it is that view's to show.
    return isKnown || !stored.endsWith(behind) ? null : stored.slice(0, stored.length - behind.length);
  }

  private get key(): string {
    return this.at.peek();
  }

  private sentFrom(key: string): readonly SentPrompt[] {
    return this.going.peek().filter((prompt) => prompt.key === key);
  }

  private save(from?: string): void {
    this.cancelSave?.();
    this.cancelSave = null;
    const { text, parts } = this.unsent;
    const sent = this.sentFrom(this.key);
    const areNone = parts.length === 0 && this.savedParts.length === 0;
    const areKnown =
      sent.every((prompt) => prompt.parts.length === 0) &&
      (areNone || (parts === this.savedParts && from === undefined));
    this.saved = text;
    this.savedParts = parts;
    this.remember();
    this.sink.save({
      key: this.key,
      text,
      ...(areKnown ? {} : { parts }),
      ...(sent.length === 0 ? {} : { sent: sent.map(asGiven) }),
      ...(from === undefined ? {} : { from }),
    });
  }

  private remember(): void {
    this.sink.remember(this.key, this.unsent.text, this.sentFrom(this.key));
  }

  /** What is in the field and was not sent. */
  private get unsent(): { readonly text: string; readonly parts: readonly DraftPart[] } {
    const sent = this.standing.peek();
    return sent === null
      ? { text: this.current.peek(), parts: this.along.peek() }
      : { text: '', parts: partsLeft(this.along.peek(), sent.parts) };
  }
}
