import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  joinedDraft,
  type DraftOnItsWay,
  type DraftPart,
  type MentionPart,
  draftAfter,
} from '../../../transcript/draftPart';
import { afterSubmission, followText } from './composerText';
import { noParts, partsAhead, partsLeft, isSamePart } from './draftParts';
import { newSessionDraft } from '../connection/viewMemory';
import type { Chat } from '../state/chat';
import { UnsavedDrafts } from './unsavedDrafts';

/** Milliseconds without a keystroke before the draft goes to the host. */
const saveDelay = 300;

/** The composer's text and its attachments. The view remembers every change immediately. The host gets the text
 *  shortly after, when a prompt is sent or when the user leaves the view; it gets attachments immediately. A sent
 *  prompt is part of the draft until it is known to be on disk. It also stays in the field until then, or until the
 *  user types something after it. */
export class Drafts {
  private readonly current = signal('');
  readonly text: ReadonlySignal<string> = this.current;
  private readonly along = signal(noParts);
  readonly parts: ReadonlySignal<readonly DraftPart[]> = this.along;
  /** In the order in which they were sent. */
  private readonly going = signal<readonly SentPrompt[]>([]);
  /** The sent prompt that is still the field's only content. */
  private readonly standing = signal<SentPrompt | null>(null);
  /** Mentions whose words were deleted: undoing the deletion restores them. */
  private gone: readonly MentionPart[] = [];
  private readonly at = signal(newSessionDraft);
  private readonly switched = signal(0);
  /** Counts switches to another session's draft. The undo history of one draft ends there. */
  readonly switches: ReadonlySignal<number> = this.switched;
  private earlierKeys: readonly string[] = [];
  private cancelSave: (() => void) | null = null;
  /** The host's text after the prompts being sent, as far as this view knows. */
  private saved = '';
  private savedParts = noParts;
  /** Uid of the prompt that the field's content will be, from its first keystroke on. Null: not needed yet. */
  private uid: string | null = null;
  /** True when it was sent with this uid and returned: it may be stored. Unchanged it keeps the uid, so it is stored
   *  only once. */
  private wasTried = false;

  constructor(
    private readonly chat: Pick<Chat, 'timers' | 'newUid' | 'part'>,
    private readonly sink: Pick<UnsavedDrafts, 'save' | 'remember' | 'arrived' | 'hostHas'> = chat.part(UnsavedDrafts),
  ) {}

  get place(): string {
    return this.key;
  }

  /** True when the field shows only what was already sent. */
  readonly isSent: ReadonlySignal<boolean> = computed(
    () => this.standing.value !== null && partsLeft(this.along.value, this.standing.value.parts).length === 0,
  );

  /** Prompts sent from this composer that are not on disk yet and no longer in the field. */
  readonly leaving: ReadonlySignal<readonly DraftOnItsWay[]> = computed(() =>
    this.going.value.filter((prompt) => prompt.key === this.at.value && prompt !== this.standing.value),
  );

  edit(text: string): void {
    const before = this.current.peek();
    if (text === before) return;
    if (before === '' || this.wasTried) this.renew();
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
    this.cancelSave = this.chat.timers.after(saveDelay, () => this.flush());
  }

  /** Replaces the attachments. */
  take(parts: readonly DraftPart[]): void {
    if (parts === this.along.peek()) return;
    if (this.wasTried) this.renew();
    this.along.value = parts;
    this.save();
  }

  /** Sends unsaved changes to the host. */
  flush(): void {
    if (this.cancelSave !== null) this.save();
  }

  /** Records a sent prompt and saves to the host immediately, so that it is on disk before anything else is done
   *  with it. Text typed after it stays. Returns the prompt's uid. */
  send(typed: string, parts: readonly DraftPart[]): string {
    const uid = (this.uid ??= this.chat.newUid());
    const prompt = { key: this.key, keyThen: this.key, uid, text: typed, parts };
    batch(() => {
      this.going.value = [...this.going.peek(), prompt];
      if (this.current.peek() === typed) this.standing.value = prompt;
      else {
        this.renew();
        this.current.value = afterSubmission(this.current.peek(), typed);
        this.along.value = partsLeft(this.along.peek(), parts);
      }
    });
    this.gone = [];
    this.save();
    return uid;
  }

  /** Returns the composer that a prompt being sent belongs to, and the prompt's text there. */
  draftOf(uid: string): { readonly key: string; readonly text: string } | null {
    const prompt = this.going.peek().find((each) => each.uid === uid);
    return prompt === undefined ? null : { key: prompt.key, text: prompt.text };
  }

  /** Called when the prompt is on disk in the session of `key`; the host removed it from its draft in the same
   *  transaction. */
  stored(uid: string, key: string): void {
    const prompt = this.going.peek().find((each) => each.uid === uid);
    if (prompt === undefined) return;
    batch(() => {
      this.going.value = this.going.peek().filter((each) => each !== prompt);
      if (this.standing.peek() === prompt) this.clearSent(prompt);
    });
    this.sink.arrived(prompt.key, uid);
    // If the session continued in its next segment meanwhile, the composer has the newest key.
    if (prompt.keyThen === this.key && key !== this.key) this.moveTo(key);
  }

  /** Called when prompts were not stored: they return to the composer, before the text typed after them. A prompt
   *  from another session stays in that session's draft. */
  returned(uids: readonly string[]): void {
    const back = this.going.peek().filter(({ uid }) => uids.includes(uid));
    const sent = this.standing.peek();
    const here = back.filter((prompt) => prompt.key === this.key && prompt !== sent);
    batch(() => {
      this.going.value = this.going.peek().filter((prompt) => !back.includes(prompt));
      if (sent !== null && back.includes(sent)) this.standing.value = null;
      this.keepUid(back.filter((prompt) => prompt === sent || here.includes(prompt)));
      if (here.length === 0) return;
      this.current.value = joinedDraft([...here.map(({ text }) => text), this.current.peek()]);
      this.along.value = [...here.flatMap(({ parts }) => parts), ...this.along.peek()];
    });
    if (back.some(({ key }) => key === this.key)) this.save();
  }

  /** Shows another session's draft and appends the text typed since the switch was requested, which was meant for
   *  that session. */
  carryTo(key: string, text: string, parts: readonly DraftPart[]): void {
    // In one batch, so that continuous typing does not lose text under the caret.
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

  /** Switches to another session's draft; saves the previous one first. */
  show(key: string, text: string, parts: readonly DraftPart[] = noParts): void {
    // When no session is shown yet, another view that started one has emptied the draft both shared.
    if (this.key === newSessionDraft && key !== this.key && this.current.peek() !== '' && this.standing.peek() === null)
      this.save();
    this.flush();
    const isSwitch = !this.isAt(key);
    this.renew();
    this.at.value = key;
    this.earlierKeys = [];
    this.gone = [];
    const after = draftAfterSent(this.sentFrom(key), text, parts);
    this.sink.hostHas(key, after.text);
    this.saved = after.text;
    this.savedParts = after.parts;
    batch(() => {
      if (isSwitch) this.switched.value++;
      this.standing.value = null;
      this.current.value = after.text;
      this.along.value = after.parts;
    });
  }

  /** Takes the host's draft for this session, into which a rewound prompt may have been put. That prompt goes before
   *  the current text. */
  putBack(stored: string, storedParts: readonly DraftPart[] = noParts): void {
    const after = draftAfterSent(this.sentFrom(this.key), stored, storedParts);
    const ahead = partsAhead(after.parts, this.savedParts);
    const prompt = this.textAhead(after.text);
    if (prompt === null && ahead.length === 0) return;
    const sent = this.standing.peek();
    if (sent !== null) this.clearSent(sent);
    const typed = this.current.peek();
    const text = prompt === null ? typed : typed.trim() === '' ? prompt : `${prompt}\n\n${typed}`;
    this.replace(text, ahead.length === 0 ? this.along.peek() : [...ahead, ...this.along.peek()]);
  }

  /** Takes the host's draft that arrives after the user began to type: it goes before that text. `ahead`: returns the
   *  draft with what an earlier page made of it. */
  arriveLate(stored: string, storedParts: readonly DraftPart[], ahead: (stored: string) => string): void {
    const after = draftAfterSent(this.sentFrom(this.key), stored, storedParts);
    const own = this.unsent.text;
    // The host may have what this page typed.
    const text = ahead(own.startsWith(after.text) ? '' : withoutEnd(after.text, own));
    const parts = partsAhead(after.parts, this.savedParts);
    if (text === '' && parts.length === 0) return this.save();
    const sent = this.standing.peek();
    if (sent !== null) this.clearSent(sent);
    this.replace(joinedDraft([text, this.current.peek()]), [...parts, ...this.along.peek()]);
  }

  /** Called when the session continues in its next segment and gets a new key. Typing is not interrupted. */
  moved(key: string): void {
    const earlier = [...this.earlierKeys, this.key];
    this.moveTo(key);
    this.earlierKeys = earlier;
  }

  /** True when this session is shown, even under an earlier key. */
  isAt(key: string): boolean {
    return key === this.key || this.earlierKeys.includes(key);
  }

  /** Replaces the composer's content, which is done with, by `left`, typed meanwhile. */
  replace(left: string, leftParts: readonly DraftPart[] = this.along.peek()): void {
    this.gone = [];
    this.renew();
    this.standing.value = null;
    this.current.value = left;
    this.along.value = leftParts;
    this.save();
  }

  /** Moves the composer to `key`, with its content and the prompts being sent from it. */
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

  /** Called when these prompts return to the field: it keeps the uid of a single one that becomes its only content. */
  private keepUid(back: readonly SentPrompt[]): void {
    const [only] = back;
    if (only === undefined) return;
    const { current } = this;
    this.renew();
    if (back.length > 1 || (current.peek() !== '' && current.peek() !== only.text)) return;
    this.uid = only.uid;
    this.wasTried = true;
  }

  private renew(): void {
    this.uid = null;
    this.wasTried = false;
  }

  /** Removes the sent prompt from the field. */
  private clearSent(prompt: SentPrompt): void {
    this.renew();
    this.standing.value = null;
    this.gone = [];
    this.current.value = '';
    this.along.value = partsLeft(this.along.peek(), prompt.parts);
  }

  /** Returns the text that the host put before the text it received; null when nothing is new. */
  private textAhead(stored: string): string | null {
    const { saved } = this;
    const isKnown = stored === saved || stored === this.current.peek();
    const after = saved.trim() === '' ? '' : `\n\n${saved}`;
    // Another view of the same session may have saved text that this view never had; that view shows it.
    return isKnown || !stored.endsWith(after) ? null : stored.slice(0, stored.length - after.length);
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
    const { text } = this.unsent;
    const uid = text === '' ? undefined : (this.uid ??= this.chat.newUid());
    this.sink.remember(this.key, text, this.sentFrom(this.key), uid);
  }

  /** Unsent content of the field. */
  private get unsent(): { readonly text: string; readonly parts: readonly DraftPart[] } {
    const sent = this.standing.peek();
    return sent === null
      ? { text: this.current.peek(), parts: this.along.peek() }
      : { text: '', parts: partsLeft(this.along.peek(), sent.parts) };
  }
}

/** Prompt sent from the composer of `key`, with its text there, and not known to be on disk. */
interface SentPrompt extends DraftOnItsWay {
  readonly key: string;
  /** Key of that composer when the prompt was sent. */
  readonly keyThen: string;
  readonly parts: readonly DraftPart[];
}

/** Returns the fields of a prompt being sent that the host receives. */
function asGiven({ uid, text, parts }: SentPrompt): DraftOnItsWay {
  return parts.length === 0 ? { uid, text } : { uid, text, parts };
}

function withoutEnd(draft: string, end: string): string {
  return end !== '' && draft.endsWith(`\n\n${end}`) ? draft.slice(0, -end.length - 2) : draft;
}

/** Returns the host's draft without the prompts at its beginning that are still being sent. */
function draftAfterSent(
  sent: readonly SentPrompt[],
  text: string,
  parts: readonly DraftPart[],
): { readonly text: string; readonly parts: readonly DraftPart[] } {
  let left = { text, parts };
  for (const prompt of sent) {
    const rest = draftAfter(left.text, prompt.text);
    const areAhead =
      prompt.parts.length <= left.parts.length &&
      prompt.parts.every((part, index) => isSamePart(part, left.parts[index] ?? part));
    if (rest !== null && areAhead)
      left = { text: rest, parts: prompt.parts.length === 0 ? left.parts : left.parts.slice(prompt.parts.length) };
  }
  return left;
}
