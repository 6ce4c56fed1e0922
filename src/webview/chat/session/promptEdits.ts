import { signal, type ReadonlySignal } from '@preact/signals';
import { answerText } from '../../../transcript/message';
import { sentParts, type SentPart } from '../../../transcript/draftPart';
import type { Part } from '../../../transcript/part';
import { refusalOf } from '../connection/chatHost';
import { editDraftKey } from '../connection/viewMemory';
import type { Chat } from '../state/chat';
import { FeedPages } from '../state/feedPages';
import type { AskedAgain } from '../../../protocol/chatProtocol';
import { SessionSwitchController } from './sessionSwitchController';

interface PromptEdit {
  readonly text: string;
  /** Indexes of the prompt's parts that were removed. */
  readonly without: readonly number[];
}

/** Milliseconds without a keystroke before the text goes to the host. */
const saveDelay = 300;

/** Edits of earlier prompts, made in place. The view remembers them at every keystroke, until they are sent or
 *  discarded; the host saves them shortly after, because the view's memory may end with the browser. */
export class PromptEdits {
  /** By the turn whose prompt is edited. */
  private readonly edits = signal<ReadonlyMap<string, PromptEdit>>(new Map());
  readonly open: ReadonlySignal<ReadonlyMap<string, PromptEdit>> = this.edits;
  private readonly inFlight = signal<string | null>(null);
  /** The turn whose edit is being sent. */
  readonly sending: ReadonlySignal<string | null> = this.inFlight;
  /** Last edit not known to have arrived. Sent again unchanged it keeps its uid, so it is stored only once even if
   *  it had arrived. */
  private unconfirmed: (PromptEdit & { readonly turnUid: string; readonly uid: string }) | null = null;
  /** Cancels saves that are due, by turn. */
  private readonly due = new Map<string, () => void>();

  constructor(
    private readonly chat: Chat,
    private readonly pages = chat.part(FeedPages),
    private readonly versions = chat.part(PromptVersionController),
  ) {
    const { edits } = chat.memory.recalled;
    this.edits.value = new Map(edits.map(({ turnUid, text, without = [] }) => [turnUid, { text, without }]));
  }

  /** Returns the parts of a turn's edited prompt. */
  parts(turnUid: string): readonly SentPart[] {
    const { without = [] } = this.edits.value.get(turnUid) ?? {};
    return this.partsOf(turnUid).filter((_part, place) => !without.includes(place));
  }

  removePart(turnUid: string, part: SentPart): void {
    const place = this.partsOf(turnUid).indexOf(part);
    const edit = this.edits.peek().get(turnUid);
    if (edit === undefined || place === -1 || edit.without.includes(place)) return;
    this.put(turnUid, { without: [...edit.without, place] });
  }

  change(turnUid: string, text: string): void {
    const isOpening = !this.edits.peek().has(turnUid);
    this.put(turnUid, { text });
    if (isOpening) return;
    this.due.get(turnUid)?.();
    this.due.set(
      turnUid,
      this.chat.timers.after(saveDelay, () => this.save(turnUid)),
    );
  }

  /** Called when the editor of a turn's prompt is shown: takes the text that the host saved, unless this view has
   *  another one. */
  async restore(turnUid: string): Promise<void> {
    const turn = this.pages.rendered?.turns.get(turnUid);
    const own = this.edits.peek().get(turnUid)?.text;
    if (turn === undefined || own === undefined) return;
    let saved = '';
    await refusalOf(async () => (saved = await this.chat.host.request('draft', { key: editDraftKey(turn) })));
    if (saved === '' || this.edits.peek().get(turnUid)?.text !== own) return;
    if (own === answerText(this.storedParts(turnUid)) || saved.startsWith(own)) this.put(turnUid, { text: saved });
  }

  /** Sends what is due to the host. */
  flush(): void {
    for (const turnUid of [...this.due.keys()]) this.save(turnUid);
  }

  /** Sends the host every text again: it refused those of the time when the store was closed for this window. */
  giveAgain(): void {
    for (const turnUid of this.edits.peek().keys()) this.save(turnUid);
  }

  giveUp(turnUid: string): void {
    const kept = new Map(this.edits.peek());
    if (!kept.delete(turnUid)) return;
    this.keep(kept);
    this.save(turnUid);
  }

  /** Sends the edit and closes the editor only when the prompt is on disk. `files`: also reverts what turns from
   *  this one on changed in files. */
  async resend(turnUid: string, files = false): Promise<boolean> {
    const { text = '', without = [] } = this.edits.peek().get(turnUid) ?? {};
    const parts = this.parts(turnUid);
    if ((text.trim() === '' && parts.length === 0) || this.inFlight.peek() !== null) return false;
    this.flush();
    const { unconfirmed } = this;
    const isAgain =
      unconfirmed?.turnUid === turnUid && unconfirmed.text === text && unconfirmed.without.length === without.length;
    const uid = isAgain ? unconfirmed.uid : this.chat.newUid();
    this.unconfirmed = { turnUid, text, uid, without };
    this.inFlight.value = turnUid;
    const edit = {
      turnUid,
      text,
      uid,
      ...(without.length === 0 ? {} : { parts }),
      ...(files ? { files } : {}),
    };
    const sent = await this.versions.askAgain(() => this.chat.host.request('editAndResend', edit));
    this.inFlight.value = null;
    if (!sent) return false;
    this.unconfirmed = null;
    this.giveUp(turnUid);
    return true;
  }

  /** An unchanged text is no draft. */
  private save(turnUid: string): void {
    this.due.get(turnUid)?.();
    this.due.delete(turnUid);
    const turn = this.pages.rendered?.turns.get(turnUid);
    if (turn === undefined) return;
    const open = this.edits.peek().get(turnUid)?.text;
    const text = open === undefined || open === answerText(this.storedParts(turnUid)) ? '' : open;
    void refusalOf(() => this.chat.host.request('saveDraft', { key: editDraftKey(turn), text }));
  }

  private put(turnUid: string, change: Partial<PromptEdit>): void {
    const edit = this.edits.peek().get(turnUid) ?? { text: '', without: [] };
    this.keep(new Map(this.edits.peek()).set(turnUid, { ...edit, ...change }));
  }

  private keep(open: ReadonlyMap<string, PromptEdit>): void {
    this.edits.value = open;
    const edits = [...open].map(([turnUid, { text, without }]) => ({
      turnUid,
      text,
      ...(without.length === 0 ? {} : { without: [...without] }),
    }));
    this.chat.memory.remember({ edits });
  }

  private partsOf(turnUid: string): readonly SentPart[] {
    return sentParts(this.storedParts(turnUid));
  }

  /** Returns the stored parts of a turn's prompt. */
  private storedParts(turnUid: string): readonly Part[] {
    const { rendered } = this.pages;
    const promptUid = rendered?.turns.get(turnUid)?.userMessageUid;
    return rendered?.messages.find(({ uid }) => uid === promptUid)?.parts ?? [];
  }
}

/** Asks prompts again, and shows their versions, each with its own continuation. */
export class PromptVersionController {
  private askingAgain = false;
  /** The version requested last: its card takes over the focus from the one it replaces. */
  private wanted: string | null = null;

  constructor(
    private readonly chat: Chat,
    private readonly switches = chat.part(SessionSwitchController),
  ) {}

  /** Resolves to true when the prompt was sent. The events of its turn add it to the conversation; a second press
   *  meanwhile has no effect. */
  async askAgain(request: () => Promise<AskedAgain>): Promise<boolean> {
    if (this.askingAgain) return false;
    this.askingAgain = true;
    const sent = await this.chat.ask(async () => {
      const { sessionId, notice } = await request();
      this.chat.ui.jumpToEnd.value++;
      this.switches.setNotice(sessionId, notice);
    });
    this.askingAgain = false;
    return sent;
  }

  /** `turnUid`: the turn at the start of the version. */
  async show(turnUid: string): Promise<void> {
    this.wanted = turnUid;
    if (!(await this.chat.ask(() => this.chat.host.request('showVersion', { turnUid })))) this.wanted = null;
  }

  /** Returns true, once, when the version that came into view is the requested one. */
  takesFocus(turnUid: string): boolean {
    if (this.wanted !== turnUid) return false;
    this.wanted = null;
    return true;
  }
}
