import { signal, type ReadonlySignal } from '@preact/signals';
import { sentParts, type SentPart } from '../../../protocol/transcriptTypes';
import type { ChatDeps } from '../connection/chatHost';
import type { FeedPages } from '../state/feedPages';
import type { PromptVersionController } from './promptVersionController';

interface PromptEdit {
  /** The turn whose prompt is edited. */
  readonly turnUid: string;
  readonly text: string;
}

interface EditDeps extends Pick<ChatDeps, 'host' | 'memory' | 'newUid'> {
  readonly pages: FeedPages;
  readonly versions: PromptVersionController;
}

/** Edits of earlier prompts, made in place. The view remembers them at every keystroke, until they are sent or
 *  discarded. */
export class PromptEdits {
  private readonly open;
  private readonly inFlight = signal<string | null>(null);
  /** Last edit not known to have arrived. Sent again unchanged it keeps its uid, so it is stored only once even if
   *  it had arrived. */
  private unconfirmed: (PromptEdit & { readonly uid: string; readonly without: readonly number[] }) | null = null;
  private readonly dropped;

  constructor(private readonly deps: EditDeps) {
    const { edits } = deps.memory.recalled;
    this.open = signal<ReadonlyMap<string, string>>(new Map(edits.map(({ turnUid, text }) => [turnUid, text])));
    this.dropped = signal<ReadonlyMap<string, readonly number[]>>(
      new Map(edits.map(({ turnUid, without }) => [turnUid, without ?? []])),
    );
  }

  /** Returns the parts of a turn's edited prompt. */
  parts(turnUid: string): readonly SentPart[] {
    const without = this.dropped.value.get(turnUid) ?? [];
    return this.partsOf(turnUid).filter((_part, place) => !without.includes(place));
  }

  removePart(turnUid: string, part: SentPart): void {
    const place = this.partsOf(turnUid).indexOf(part);
    const without = this.dropped.peek().get(turnUid) ?? [];
    if (place === -1 || without.includes(place)) return;
    this.dropped.value = new Map(this.dropped.peek()).set(turnUid, [...without, place]);
    this.keep(this.open.peek());
  }

  /** Texts by turn. */
  get texts(): ReadonlySignal<ReadonlyMap<string, string>> {
    return this.open;
  }

  /** The turn whose edit is being sent. */
  get sending(): ReadonlySignal<string | null> {
    return this.inFlight;
  }

  change(turnUid: string, text: string): void {
    this.keep(new Map(this.open.peek()).set(turnUid, text));
  }

  giveUp(turnUid: string): void {
    const kept = new Map(this.open.peek());
    if (!kept.delete(turnUid)) return;
    const dropped = new Map(this.dropped.peek());
    dropped.delete(turnUid);
    this.dropped.value = dropped;
    this.keep(kept);
  }

  /** Sends the edit and closes the editor only when the prompt is on disk. `files`: also reverts what turns from
   *  this one on changed in files. */
  async resend(turnUid: string, files = false): Promise<boolean> {
    const text = this.open.peek().get(turnUid) ?? '';
    const parts = this.parts(turnUid);
    if ((text.trim() === '' && parts.length === 0) || this.inFlight.peek() !== null) return false;
    const without = this.dropped.peek().get(turnUid) ?? [];
    const { unconfirmed } = this;
    const isAgain =
      unconfirmed?.turnUid === turnUid && unconfirmed.text === text && unconfirmed.without.length === without.length;
    const uid = isAgain ? unconfirmed.uid : this.deps.newUid();
    this.unconfirmed = { turnUid, text, uid, without };
    this.inFlight.value = turnUid;
    const { host, versions } = this.deps;
    const edit = {
      turnUid,
      text,
      uid,
      ...(without.length === 0 ? {} : { parts: [...parts] }),
      ...(files ? { files } : {}),
    };
    const sent = await versions.askAgain(() => host.request('editAndResend', edit));
    this.inFlight.value = null;
    if (!sent) return false;
    this.unconfirmed = null;
    this.giveUp(turnUid);
    return true;
  }

  private keep(texts: ReadonlyMap<string, string>): void {
    this.open.value = texts;
    const edits = [...texts].map(([turnUid, text]) => ({ turnUid, text, ...this.without(turnUid) }));
    this.deps.memory.remember({ edits });
  }

  /** Returns the stored parts of a turn's prompt. */
  private partsOf(turnUid: string): readonly SentPart[] {
    const { rendered: drawn } = this.deps.pages;
    const promptUid = drawn?.turns.get(turnUid)?.userMessageUid;
    return sentParts(drawn?.messages.find(({ uid }) => uid === promptUid)?.parts ?? []);
  }

  private without(turnUid: string): { readonly without?: number[] } {
    const indexes = this.dropped.peek().get(turnUid) ?? [];
    return indexes.length === 0 ? {} : { without: [...indexes] };
  }
}
