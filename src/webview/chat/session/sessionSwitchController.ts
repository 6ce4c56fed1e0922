import { signal, type ReadonlySignal } from '@preact/signals';
import type { FoundSession, SwitchResult, ViewSwitch } from '../../../protocol/chatProtocol';
import type { ChangedFile, SessionSummary } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { mayHaveChangedFiles, turnsFrom, type Conversation } from '../state/conversation';
import type { Drafts } from '../composer/drafts';
import type { LiveMessage } from '../state/liveMessage';
import type { HostRequests } from '../connection/hostRequests';

/** What taking a prompt back would do, before it is done. */
export interface RewindOffer {
  readonly sessionId: string;
  readonly promptUid: string;
  /** The prompt's own, and those behind it; null where not all of them are loaded. */
  readonly turns: number | null;
  /** It stands in a part that was summarised: what is there stays, and the prompt is taken back in a branch. */
  readonly isSummarised: boolean;
  /** What these turns changed, and could be reverted along. */
  readonly files: readonly ChangedFile[];
}

/** Sessions to choose from, by number. */
export interface SessionChoices {
  /** What the person typed that fits several; null when all recent ones are offered. */
  readonly text: string | null;
  readonly sessions: readonly SessionSummary[];
}

export interface SwitchNeeds {
  readonly requests: HostRequests;
  readonly drafts: Drafts;
  readonly shown: () => Conversation | null;
  /** The part of it that is drawn where that is not its end. */
  readonly away: () => Conversation | null;
  /** Newest first. */
  readonly recentSessions: () => readonly SessionSummary[];
  readonly switchSession: (target: ViewSwitch) => Promise<SwitchResult>;
  readonly findSession: (text: string) => Promise<FoundSession>;
  /** Files that turns from this one on changed; null where that could not be found out, which was said. */
  readonly filesFrom: (turnUid: string) => Promise<readonly ChangedFile[] | null>;
  readonly focusComposer: () => void;
}

/** Has another session shown, or the one that is shown cut back or copied, as the person asks for it. */
export class SessionSwitchController {
  private readonly rewindOffered = signal<RewindOffer | null>(null);
  private readonly offered = signal<SessionChoices | null>(null);
  private switching = false;
  private asked: Promise<boolean> | null = null;
  /** The composer was empty when it was asked for. */
  private wasBlank = false;
  /** What there is to say about a session once it is in view. */
  private due: { readonly sessionId: string | null; readonly notice: string } | null = null;

  constructor(private readonly needs: SwitchNeeds) {}

  get rewindOffer(): ReadonlySignal<RewindOffer | null> {
    return this.rewindOffered;
  }

  get choices(): ReadonlySignal<SessionChoices | null> {
    return this.offered;
  }

  /** What was asked for and is being carried out, and whether it was done; null while there is nothing. What is typed behind it is meant for
   *  the session that it shows. */
  get underWay(): Promise<boolean> | null {
    return this.asked;
  }

  /** Whether what is in the composer was typed since the session that comes into view was asked for. */
  get wasTypedAhead(): boolean {
    return this.asked !== null && this.wasBlank;
  }

  /** Another session is in view: what was offered for the one before is over. */
  arrived(sessionId: string | null): void {
    this.withdraw();
    const { due } = this;
    this.due = null;
    if (due?.sessionId === sessionId) this.needs.requests.inform(due.notice);
  }

  withdraw(): void {
    this.rewindOffered.value = null;
    this.offered.value = null;
  }

  /** Whether it was done; if not, the reason stands above the composer and everything is as it was. One at a time: a second press asks for
   *  nothing more. */
  to(target: ViewSwitch): Promise<boolean> {
    return this.carryOut(() => this.switchTo(target));
  }

  private async switchTo(target: ViewSwitch): Promise<boolean> {
    if (this.switching) return false;
    this.switching = true;
    this.withdraw();
    // What a session's composer holds is on disk before another one's is shown, or a prompt is put ahead of it.
    this.needs.drafts.flush();
    const done = await this.needs.requests.ask(async () => {
      const { sessionId, notice } = await this.needs.switchSession(target);
      this.say(sessionId, notice);
    });
    this.switching = false;
    return done;
  }

  /** Says something about a session, now or, where it is still to come into view, then. */
  say(sessionId: string | null, notice: string | null): void {
    if (notice === null) return;
    if (this.shownId === sessionId) this.needs.requests.inform(notice);
    else this.due = { sessionId, notice };
  }

  async open(sessionId: string): Promise<boolean> {
    if (sessionId !== this.shownId) {
      const done = await this.to({ reason: 'resume', sessionId });
      // What was pressed may be gone with the session it stood in.
      if (done) this.needs.focusComposer();
      return done;
    }
    this.withdraw();
    this.needs.requests.inform(t('This session is already open.'));
    return true;
  }

  /** One of the sessions that were offered: what was typed to have them offered is done with. */
  async choose(sessionId: string): Promise<boolean> {
    const { drafts } = this.needs;
    const typed = drafts.text.peek();
    const isCommand = /^\/resume(\s|$)/i.test(typed);
    if (isCommand) drafts.replace('');
    const done = await this.open(sessionId);
    if (!done && isCommand && drafts.text.peek() === '') drafts.edit(typed);
    return done;
  }

  /** A copy of the session up to and with an answer, or up to just before a prompt; null: of everything. */
  async branch(from: string | null, title = ''): Promise<boolean> {
    const sessionId = this.shownId;
    if (sessionId === null) return this.refused(t('There is no session to branch yet. Send a prompt first.'));
    const target = { reason: 'branch', sessionId, from } as const;
    const done = await this.to(title === '' ? target : { ...target, title });
    if (done) this.needs.focusComposer();
    return done;
  }

  /** Says what taking this prompt back would do, for the person to decide. */
  async offerRewind(promptUid: string): Promise<void> {
    const conversation = this.needs.away() ?? this.needs.shown();
    const prompt = conversation?.messages.find(({ uid }) => uid === promptUid);
    if (conversation === null || prompt === undefined) return;
    this.needs.requests.dismiss();
    this.withdraw();
    const files = this.mayTakeFiles(conversation, prompt) ? await this.needs.filesFrom(prompt.turnUid) : [];
    if (files !== null) this.show(conversation, prompt, files);
  }

  /** `files`: what the turns that are taken back changed in files is reverted too. */
  async rewind(files = false): Promise<void> {
    const offer = this.rewindOffered.peek();
    if (offer === null) return;
    const target = { reason: 'rewind', sessionId: offer.sessionId, to: offer.promptUid } as const;
    await this.takeBack(files ? { ...target, files } : target);
  }

  /** Takes back the newest turns; `count` as it was typed. */
  undo(count: string): Promise<boolean> {
    return this.carryOut(() => this.undoTurns(count));
  }

  private async undoTurns(count: string): Promise<boolean> {
    const sessionId = this.shownId;
    const turns = count === '' ? 1 : Number(count);
    if (!/^\d*$/.test(count) || turns < 1) return this.refused(t('/undo takes a number of turns, such as /undo 2.'));
    if (sessionId === null) return this.refused(t('There is nothing to undo yet.'));
    const conversation = this.needs.shown();
    const prompt = conversation?.messages.findLast(
      (live) => live.role === 'user' && turnsFrom(conversation, live.uid) === turns,
    );
    if (conversation !== null && prompt !== undefined && this.mayTakeFiles(conversation, prompt)) {
      const files = await this.needs.filesFrom(prompt.turnUid);
      if (files === null) return false;
      // What becomes of files is asked first, in the card that Rewind has.
      if (files.length > 0) return this.show(conversation, prompt, files);
    }
    return this.takeBack({ reason: 'rewind', sessionId, turns });
  }

  /** The session that is meant: by its number among the recent ones (or among those offered), its id or the beginning of it, or its title. Where
   *  nothing or more than one is named, those that may be meant are offered. */
  resume(text: string): Promise<boolean> {
    return this.carryOut(() => this.resumeNamed(text));
  }

  private async resumeNamed(text: string): Promise<boolean> {
    const { requests, recentSessions, findSession } = this.needs;
    const others = this.offered.peek()?.sessions ?? recentSessions().filter(({ id }) => id !== this.shownId);
    if (text === '') return this.offer({ text: null, sessions: others });
    const numbered = /^\d+$/.test(text) ? others[Number(text) - 1] : undefined;
    if (numbered !== undefined) return this.open(numbered.id);
    let found: FoundSession | null = null;
    const asked = await requests.ask(async () => void (found = await findSession(text)));
    return asked && found !== null ? this.resumeFound(text, found) : false;
  }

  /** A branch begins with the files as they are; only the session that changed them takes that back. */
  private mayTakeFiles(
    conversation: Conversation,
    prompt: LiveMessage,
  ): prompt is LiveMessage & { readonly turnUid: string } {
    return (
      !isSummarised(conversation, prompt) &&
      prompt.turnUid !== null &&
      (this.needs.away() !== null || mayHaveChangedFiles(conversation, prompt.turnUid))
    );
  }

  private show(conversation: Conversation, prompt: LiveMessage, files: readonly ChangedFile[]): true {
    const { id } = conversation.session;
    const offer = {
      sessionId: id,
      promptUid: prompt.uid,
      turns: this.needs.away() === null ? turnsFrom(conversation, prompt.uid) : null,
      isSummarised: isSummarised(conversation, prompt),
      files,
    };
    if (this.shownId === id) this.rewindOffered.value = offer;
    return true;
  }

  private resumeFound(text: string, found: FoundSession): Promise<boolean> | boolean {
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

  /** Nothing is chosen yet, so what was typed stays. */
  private offer(choices: SessionChoices): false {
    this.needs.requests.dismiss();
    this.rewindOffered.value = null;
    if (choices.sessions.length === 0) this.needs.requests.inform(t('There are no other sessions in this folder yet.'));
    else this.offered.value = choices;
    return false;
  }

  private async takeBack(target: ViewSwitch): Promise<boolean> {
    const { requests, focusComposer } = this.needs;
    if (!(await this.to(target))) return false;
    focusComposer();
    if (this.due !== null || requests.problem.peek() !== null) return true;
    requests.inform(t('Rewound. The prompt is in the input box. Nothing was deleted.'));
    return true;
  }

  private carryOut(work: () => Promise<boolean>): Promise<boolean> {
    const { drafts } = this.needs;
    if (this.asked === null) this.wasBlank = drafts.text.peek() === '' && drafts.parts.peek().length === 0;
    const done = work();
    // A command that has another one carried out is not over before that is.
    this.asked ??= done;
    const over = (): void => {
      if (this.asked === done) this.asked = null;
    };
    done.then(over, over);
    return done;
  }

  private refused(sentence: string): false {
    this.needs.requests.refuse(sentence);
    return false;
  }

  private get shownId(): string | null {
    return this.needs.shown()?.session.id ?? null;
  }
}

function isSummarised({ session }: Conversation, { row }: LiveMessage): boolean {
  return row !== null && row.sessionId !== session.id;
}
