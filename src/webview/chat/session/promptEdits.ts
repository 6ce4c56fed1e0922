import { signal, type ReadonlySignal } from '@preact/signals';
import type { SentPart } from '../../../protocol/transcriptTypes';
import type { ViewMemory } from '../connection/viewMemory';

export interface PromptEdit {
  /** The turn whose prompt is to be asked in other words. */
  readonly turnUid: string;
  readonly text: string;
}

/** An edit as the view remembers it. `without`: which of the prompt's parts go along no longer, by place. */
interface RememberedEdit extends PromptEdit {
  readonly without?: readonly number[];
}

export interface EditNeeds {
  readonly remember: (change: Pick<ViewMemory, 'edits'>) => void;
  /** Whether it was sent; if not, why was said. */
  readonly resend: (
    edit: PromptEdit & { readonly uid: string; readonly parts?: readonly SentPart[]; readonly files?: true },
  ) => Promise<boolean>;
  /** What goes along with the prompt of a turn as it is stored. */
  readonly partsOf: (turnUid: string) => readonly SentPart[];
  readonly newUid: () => string;
}

/** Earlier prompts that are being edited in their places. Remembered by the view at every keystroke, until they are sent or given up. */
export class PromptEdits {
  private readonly open;
  private readonly inFlight = signal<string | null>(null);
  /** The last edit not known to have arrived: sent again unchanged it keeps its uid, so that it is stored once even if it had. */
  private unconfirmed: (PromptEdit & { readonly uid: string; readonly without: readonly number[] }) | null = null;
  private readonly dropped;

  constructor(
    private readonly needs: EditNeeds,
    recalled: readonly RememberedEdit[],
  ) {
    this.open = signal<ReadonlyMap<string, string>>(new Map(recalled.map(({ turnUid, text }) => [turnUid, text])));
    this.dropped = signal<ReadonlyMap<string, readonly number[]>>(
      new Map(recalled.map(({ turnUid, without }) => [turnUid, without ?? []])),
    );
  }

  /** What goes along with the edited prompt of a turn. */
  parts(turnUid: string): readonly SentPart[] {
    const without = this.dropped.value.get(turnUid) ?? [];
    return this.needs.partsOf(turnUid).filter((_part, place) => !without.includes(place));
  }

  removePart(turnUid: string, part: SentPart): void {
    const place = this.needs.partsOf(turnUid).indexOf(part);
    const without = this.dropped.peek().get(turnUid) ?? [];
    if (place === -1 || without.includes(place)) return;
    this.dropped.value = new Map(this.dropped.peek()).set(turnUid, [...without, place]);
    this.keep(this.open.peek());
  }

  /** Texts by turn. */
  get texts(): ReadonlySignal<ReadonlyMap<string, string>> {
    return this.open;
  }

  /** The turn whose edit is on its way. */
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

  /** The editor is left only once the prompt is on disk. `files`: what turns from this one on changed in files is reverted too. */
  async resend(turnUid: string, files = false): Promise<boolean> {
    const text = this.open.peek().get(turnUid) ?? '';
    const parts = this.parts(turnUid);
    if ((text.trim() === '' && parts.length === 0) || this.inFlight.peek() !== null) return false;
    const without = this.dropped.peek().get(turnUid) ?? [];
    const { unconfirmed } = this;
    const isAgain =
      unconfirmed?.turnUid === turnUid && unconfirmed.text === text && unconfirmed.without.length === without.length;
    const uid = isAgain ? unconfirmed.uid : this.needs.newUid();
    this.unconfirmed = { turnUid, text, uid, without };
    this.inFlight.value = turnUid;
    const sent = await this.needs.resend({
      turnUid,
      text,
      uid,
      ...(without.length === 0 ? {} : { parts }),
      ...(files ? { files } : {}),
    });
    this.inFlight.value = null;
    if (!sent) return false;
    this.unconfirmed = null;
    this.giveUp(turnUid);
    return true;
  }

  private keep(texts: ReadonlyMap<string, string>): void {
    this.open.value = texts;
    this.needs.remember({ edits: [...texts].map(([turnUid, text]) => ({ turnUid, text, ...this.without(turnUid) })) });
  }

  private without(turnUid: string): { readonly without?: number[] } {
    const places = this.dropped.peek().get(turnUid) ?? [];
    return places.length === 0 ? {} : { without: [...places] };
  }
}
