import { signal, type ReadonlySignal } from '@preact/signals';
import type { SessionLookup, ViewSwitch } from '../../../protocol/chatProtocol';
import type { ChangedFile } from '../../../transcript/changedFile';
import type { SessionSummary } from '../../../transcript/session';
import { t } from '../../localization';
import { mayHaveChangedFiles, turnsFrom, type Conversation } from '../state/conversation';
import { Drafts } from '../drafts/drafts';
import type { LiveMessage } from '../state/liveMessage';
import type { Chat } from '../state/chat';
import { FeedPages } from '../state/feedPages';

/** Preview of rewinding to a prompt. */
export interface RewindOffer {
  readonly sessionId: string;
  readonly promptUid: string;
  /** Number of turns from this prompt to the end; null when not all of them are loaded. */
  readonly turns: number | null;
  /** True when the prompt is in a summarized part: that part stays, and the rewind happens in a branch. */
  readonly isSummarised: boolean;
  /** Files these turns changed, which could be reverted too. */
  readonly files: readonly ChangedFile[];
}

/** Numbered sessions to choose from. */
export interface SessionChoices {
  /** The typed text that matches several sessions; null when all recent ones are offered. */
  readonly text: string | null;
  readonly sessions: readonly SessionSummary[];
}

/** Switches the shown session, or rewinds or branches it, at the user's request. */
export class SessionSwitchController {
  private readonly rewindOffered = signal<RewindOffer | null>(null);
  readonly rewindOffer: ReadonlySignal<RewindOffer | null> = this.rewindOffered;
  private readonly offered = signal<SessionChoices | null>(null);
  readonly choices: ReadonlySignal<SessionChoices | null> = this.offered;
  private switching = false;
  private asked: Promise<boolean> | null = null;
  /** True when the composer was empty at the time of the request. */
  private wasBlank = false;
  /** Notice to show once its session is in view. */
  private due: { readonly sessionId: string | null; readonly notice: string } | null = null;

  constructor(
    private readonly chat: Chat,
    private readonly drafts = chat.part(Drafts),
    private readonly pages = chat.part(FeedPages),
    private readonly files = chat.part(FilesToRevert),
  ) {}

  /** The running request, which resolves to true when it succeeded; null when there is none. Text typed after it is
   *  meant for the session it shows. */
  get underWay(): Promise<boolean> | null {
    return this.asked;
  }

  /** True when the composer's content was typed after the switch to the session that comes into view was requested. */
  get wasTypedAhead(): boolean {
    return this.asked !== null && this.wasBlank;
  }

  /** Called when another session is in view: withdraws offers for the one before. */
  arrived(sessionId: string | null): void {
    this.withdraw();
    const { due } = this;
    this.due = null;
    if (due?.sessionId === sessionId) this.chat.requests.inform(due.notice);
  }

  withdraw(): void {
    this.rewindOffered.value = null;
    this.offered.value = null;
  }

  /** Opens the list of all sessions instead. */
  showAll(): void {
    this.withdraw();
    this.chat.host.send('resumePicker', {});
  }

  /** Resolves to true when done. Otherwise the reason appears above the composer and nothing has changed. Only one
   *  runs at a time: a second press has no effect. */
  to(target: ViewSwitch): Promise<boolean> {
    return this.carryOut(async () => {
      if (this.switching) return false;
      this.switching = true;
      this.withdraw();
      // A composer's content must be on disk before another one's is shown, or a prompt is put before it.
      this.drafts.flush();
      const done = await this.chat.ask(async () => {
        const { sessionId, notice } = await this.chat.host.request('switchSession', { target });
        this.setNotice(sessionId, notice);
      });
      this.switching = false;
      return done;
    });
  }

  /** Shows a notice about a session now or, if it is not in view yet, once it is. */
  setNotice(sessionId: string | null, notice: string | null): void {
    if (notice === null) return;
    if (this.chat.sessionId === sessionId) this.chat.requests.inform(notice);
    else this.due = { sessionId, notice };
  }

  async open(sessionId: string): Promise<boolean> {
    if (sessionId !== this.chat.sessionId) {
      const done = await this.to({ reason: 'resume', sessionId });
      // The pressed button may have disappeared with its session.
      if (done) this.chat.focusComposer();
      return done;
    }
    this.withdraw();
    this.chat.requests.inform(t('This session is already open.'));
    return true;
  }

  /** Opens one of the offered sessions and clears the text that led to the offer. */
  async choose(sessionId: string): Promise<boolean> {
    const { drafts } = this;
    const typed = drafts.text.peek();
    const isCommand = /^\/resume(\s|$)/i.test(typed);
    if (isCommand) drafts.replace('');
    const done = await this.open(sessionId);
    if (!done && isCommand && drafts.text.peek() === '') drafts.edit(typed);
    return done;
  }

  /** Copies the session up to and including an answer, or up to just before a prompt; null: all of it. */
  async branch(from: string | null, title = ''): Promise<boolean> {
    const sessionId = this.chat.sessionId;
    if (sessionId === null) return this.refused(t('There is no session yet. Send a prompt first.'));
    const target = { reason: 'branch', sessionId, from } as const;
    const done = await this.to(title === '' ? target : { ...target, title });
    if (done) this.chat.focusComposer();
    return done;
  }

  /** Shows what rewinding to this prompt would do and lets the user decide. */
  async offerRewind(promptUid: string): Promise<void> {
    const conversation = this.pages.rendered;
    const prompt = conversation?.messages.find(({ uid }) => uid === promptUid);
    if (conversation === null || prompt === undefined) return;
    this.chat.requests.dismiss();
    this.withdraw();
    const files = this.mayTakeFiles(conversation, prompt) ? await this.files.from(prompt.turnUid) : [];
    if (files !== null) this.show(conversation, prompt, files);
  }

  /** `files`: also reverts what the rewound turns changed in files. */
  async rewind(files = false): Promise<void> {
    const offer = this.rewindOffered.peek();
    if (offer === null) return;
    const target = { reason: 'rewind', sessionId: offer.sessionId, to: offer.promptUid } as const;
    await this.takeBack(files ? { ...target, files } : target);
  }

  /** Rewinds the newest turns; `count` as typed. */
  undo(count: string): Promise<boolean> {
    return this.carryOut(async () => {
      const sessionId = this.chat.sessionId;
      const turns = count === '' ? 1 : Number(count);
      if (!/^\d*$/.test(count) || turns < 1) return this.refused(t('/undo takes a number of turns, such as /undo 2.'));
      if (sessionId === null) return this.refused(t('There is nothing to undo yet.'));
      const { conversation } = this.chat;
      const prompt = conversation?.messages.findLast(
        (live) => live.role === 'user' && turnsFrom(conversation, live.uid) === turns,
      );
      if (conversation !== null && prompt !== undefined && this.mayTakeFiles(conversation, prompt)) {
        const files = await this.files.from(prompt.turnUid);
        if (files === null) return false;
        // First asks about the files, in the same card as Rewind.
        if (files.length > 0) return this.show(conversation, prompt, files);
      }
      return this.takeBack({ reason: 'rewind', sessionId, turns });
    });
  }

  /** Finds the session by its number among the recent (or offered) ones, by its id or the beginning of it, or by its
   *  title. If none or several match, offers the candidates. */
  resume(text: string): Promise<boolean> {
    return this.carryOut(async () => {
      const { host, requests, state } = this.chat;
      const { recentSessions } = state.peek();
      const others = this.offered.peek()?.sessions ?? recentSessions.filter(({ id }) => id !== this.chat.sessionId);
      if (text === '') return this.offer({ text: null, sessions: others });
      const numbered = /^\d+$/.test(text) ? others[Number(text) - 1] : undefined;
      if (numbered !== undefined) return this.open(numbered.id);
      const found: SessionLookup[] = [];
      await requests.ask(async () => void found.push(await host.request('findSession', { text })));
      return found[0] === undefined ? false : this.resumeFound(text, found[0]);
    });
  }

  /** A branch begins with the files as they are; only the session that changed them can revert them. */
  private mayTakeFiles(
    conversation: Conversation,
    prompt: LiveMessage,
  ): prompt is LiveMessage & { readonly turnUid: string } {
    return !isSummarised(conversation, prompt) && prompt.turnUid !== null;
  }

  private show(conversation: Conversation, prompt: LiveMessage, files: readonly ChangedFile[]): true {
    const { id } = conversation.session;
    const offer = {
      sessionId: id,
      promptUid: prompt.uid,
      turns: this.pages.away.peek() === null ? turnsFrom(conversation, prompt.uid) : null,
      isSummarised: isSummarised(conversation, prompt),
      files,
    };
    if (this.chat.sessionId === id) this.rewindOffered.value = offer;
    return true;
  }

  private resumeFound(text: string, found: SessionLookup): Promise<boolean> | boolean {
    switch (found.kind) {
      case 'one':
        return this.open(found.sessionId);
      case 'several':
        return this.offer({ text, sessions: found.sessions });
      case 'none':
        return this.refused(t('No session matches “{text}”.', { text }));
      default:
        return found satisfies never;
    }
  }

  /** Nothing is chosen yet, so the typed text stays. */
  private offer(choices: SessionChoices): false {
    this.chat.requests.dismiss();
    this.rewindOffered.value = null;
    if (choices.sessions.length === 0) this.chat.requests.inform(t('There are no other sessions in this folder yet.'));
    else this.offered.value = choices;
    return false;
  }

  private async takeBack(target: ViewSwitch): Promise<boolean> {
    const { requests } = this.chat;
    if (!(await this.to(target))) return false;
    this.chat.focusComposer();
    if (this.due !== null || requests.problem.peek() !== null) return true;
    requests.inform(t('Rewound. The prompt is in the input box. Nothing was deleted.'));
    return true;
  }

  private carryOut(work: () => Promise<boolean>): Promise<boolean> {
    const { drafts } = this;
    if (this.asked === null) this.wasBlank = drafts.text.peek() === '' && drafts.parts.peek().length === 0;
    const done = work();
    // A command that runs another one is not done before that one.
    this.asked ??= done;
    const over = (): void => {
      if (this.asked === done) this.asked = null;
    };
    done.then(over, over);
    return done;
  }

  private refused(sentence: string): false {
    this.chat.requests.refuse(sentence);
    return false;
  }
}

function isSummarised({ session }: Conversation, { row }: LiveMessage): boolean {
  return row !== null && row.sessionId !== session.id;
}

/** Finds the files that asking a prompt again, or rewinding to it, could revert. */
export class FilesToRevert {
  constructor(
    private readonly chat: Chat,
    private readonly pages = chat.part(FeedPages),
  ) {}

  /** Resolves to the files that turns from this one on changed, or to null when that is unknown; the reason was
   *  shown. */
  async from(turnUid: string): Promise<readonly ChangedFile[] | null> {
    const { conversation } = this.chat;
    // Messages between an older turn and the newest ones are not loaded, so their changes are unknown here.
    const mayExist =
      conversation !== null && (this.pages.away.peek() !== null || mayHaveChangedFiles(conversation, turnUid));
    if (!mayExist) return [];
    let files: readonly ChangedFile[] = [];
    const done = await this.chat.ask(async () => void (files = await this.chat.host.request('filesFrom', { turnUid })));
    return done ? files : null;
  }
}
