import { signal, type ReadonlySignal } from '@preact/signals';

/** Time as the view needs it. */
export interface Timers {
  nowMs(): number;
  /** Calls back once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Milliseconds without a keystroke after which the host is given the draft. */
const saveDelay = 300;

export interface DraftSink {
  /** Durable, by the host. */
  save(key: string, text: string): void;
  /** In the view's own memory, at every change. */
  remember(draft: { readonly key: string; readonly text: string; readonly sent: boolean }): void;
}

/** The composer's text. Every change is remembered at once by the view, and by the host shortly after or when the view is left. */
export class Drafts {
  private readonly current = signal('');
  private key: string;
  private earlierKeys: readonly string[] = [];
  private cancelSave: (() => void) | null = null;
  /** What the host has, as far as this view knows. */
  private saved = '';

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

  get place(): string {
    return this.key;
  }

  edit(text: string): void {
    if (text === this.current.peek()) return;
    this.current.value = text;
    this.sink.remember({ key: this.key, text, sent: false });
    this.cancelSave?.();
    this.cancelSave = this.timers.after(saveDelay, () => this.flush());
  }

  /** Gives the host what it does not have yet. */
  flush(): void {
    if (this.cancelSave === null) return;
    this.cancelSave();
    this.cancelSave = null;
    this.saved = this.current.peek();
    this.sink.save(this.key, this.saved);
    this.sink.remember({ key: this.key, text: this.saved, sent: true });
  }

  /** Another place's draft takes over; the one before is saved first. */
  show(key: string, text: string): void {
    this.flush();
    this.key = key;
    this.earlierKeys = [];
    this.saved = text;
    this.current.value = text;
    this.sink.remember({ key, text, sent: true });
  }

  /** The host's draft of this place, into which a prompt that was taken back may have been put. It goes ahead of what is typed by now. */
  putBack(stored: string): void {
    const { saved } = this;
    const isKnown = stored === saved || stored === this.current.peek();
    const behind = saved.trim() === '' ? '' : `\n\n${saved}`;
    // Another view of the same session may have given the host what this one never had; it is that view's to show.
    if (isKnown || !stored.endsWith(behind)) return;
    const prompt = stored.slice(0, stored.length - behind.length);
    const typed = this.current.peek();
    this.submitted(this.key, typed.trim() === '' ? prompt : `${prompt}\n\n${typed}`);
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

  /** What was in the composer is a prompt on disk now, in the session of `key`; `rest` was typed meanwhile. */
  submitted(key: string, rest: string): void {
    this.cancelSave?.();
    this.cancelSave = null;
    if (key !== this.key) this.sink.save(this.key, '');
    this.key = key;
    this.current.value = rest;
    this.saved = rest;
    this.sink.save(key, rest);
    this.sink.remember({ key, text: rest, sent: true });
  }
}
