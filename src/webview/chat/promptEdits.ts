import { signal, type ReadonlySignal } from '@preact/signals';
import type { ViewMemory } from './viewMemory';

export interface PromptEdit {
  /** The turn whose prompt is to be asked in other words. */
  readonly turnUid: string;
  readonly text: string;
}

export interface EditNeeds {
  readonly remember: (change: Pick<ViewMemory, 'edits'>) => void;
  /** Whether it was sent; if not, why was said. */
  readonly resend: (edit: PromptEdit & { readonly uid: string; readonly files?: true }) => Promise<boolean>;
  readonly newUid: () => string;
}

/** Earlier prompts that are being edited in their places. Remembered by the view at every keystroke, until they are sent or given up. */
export class PromptEdits {
  private readonly open;
  private readonly inFlight = signal<string | null>(null);
  /** The last edit not known to have arrived: sent again unchanged it keeps its uid, so that it is stored once even if it had. */
  private unconfirmed: (PromptEdit & { readonly uid: string }) | null = null;

  constructor(
    private readonly needs: EditNeeds,
    recalled: readonly PromptEdit[],
  ) {
    this.open = signal<ReadonlyMap<string, string>>(new Map(recalled.map(({ turnUid, text }) => [turnUid, text])));
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
    if (kept.delete(turnUid)) this.keep(kept);
  }

  /** The editor is left only once the prompt is on disk. `files`: what turns from this one on changed in files is reverted too. */
  async resend(turnUid: string, files = false): Promise<boolean> {
    const text = this.open.peek().get(turnUid) ?? '';
    if (text.trim() === '' || this.inFlight.peek() !== null) return false;
    const again = this.unconfirmed?.turnUid === turnUid && this.unconfirmed.text === text ? this.unconfirmed : null;
    const edit = again ?? { turnUid, text, uid: this.needs.newUid() };
    this.unconfirmed = edit;
    this.inFlight.value = turnUid;
    const sent = await this.needs.resend(files ? { ...edit, files } : edit);
    this.inFlight.value = null;
    if (!sent) return false;
    this.unconfirmed = null;
    this.giveUp(turnUid);
    return true;
  }

  private keep(texts: ReadonlyMap<string, string>): void {
    this.open.value = texts;
    this.needs.remember({ edits: [...texts].map(([turnUid, text]) => ({ turnUid, text })) });
  }
}
