import { signal, type ReadonlySignal } from '@preact/signals';
import type { FindProgress, FoundInSession, FoundText } from '../../../protocol/feedProtocol';
import type { Timers } from '../../times';

/** One occurrence: the `nth` of those in a text. */
export interface Occurrence {
  readonly found: FoundText;
  readonly nth: number;
}

export interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  readonly tools: boolean;
}

export interface FindState extends FindQuery {
  /** True while a search is running. */
  readonly searching: boolean;
  /** Progress of a search that takes long. */
  readonly progress: FindProgress | null;
  /** Null until the first response arrives. */
  readonly occurrences: readonly Occurrence[] | null;
  /** True when there are more occurrences than listed. */
  readonly more: boolean;
  /** Index of the current occurrence; -1 when there is none. */
  readonly current: number;
  readonly problem: string | null;
}

interface ConversationFindDeps {
  readonly timers: Timers;
  readonly find: (query: FindQuery) => Promise<FoundInSession>;
  /** Ends the running search, which then returns what it has found so far. */
  readonly stop: () => void;
  /** Returns the user's reading position: the first occurrence shown is the one there or after it. */
  readonly position: () => number;
  readonly show: (occurrence: Occurrence) => void;
  readonly sentenceOf: (error: unknown) => string;
}

/** Milliseconds of pause in typing before a search starts. */
const pauseMs = 150;
const nothing: FindState = {
  text: '',
  matchCase: false,
  tools: false,
  searching: false,
  progress: null,
  occurrences: null,
  more: false,
  current: -1,
  problem: null,
};

/** Find in a conversation: the search text, the occurrences, and the current one. */
export class ConversationFind {
  private readonly current = signal<FindState>(nothing);
  readonly state: ReadonlySignal<FindState> = this.current;
  private asked = 0;
  /** True while the host is searching. */
  private isAsking = false;
  private cancelPause: (() => void) | null = null;
  /** True until the first occurrence of the current words is shown: a refresh meanwhile does not stop that. */
  private isMoveDue = false;

  constructor(private readonly deps: ConversationFindDeps) {}

  search(change: Partial<FindQuery>): void {
    this.set({ ...change, current: -1 });
    this.isMoveDue = true;
    this.soon();
  }

  /** The conversation has grown: searches it again and keeps the current occurrence. */
  refresh(): void {
    if (this.current.peek().text !== '') this.soon();
  }

  step(by: 1 | -1): void {
    const { occurrences, current } = this.current.peek();
    if (occurrences === null || occurrences.length === 0) return;
    this.showAt(current === -1 ? this.nearest(occurrences) : (current + by + occurrences.length) % occurrences.length);
  }

  progressed(progress: FindProgress): void {
    if (this.isAsking && this.current.peek().searching) this.set({ progress });
  }

  stop(): void {
    if (this.isAsking) this.deps.stop();
  }

  /** Ends the search and ignores responses that are still to come. */
  end(): void {
    this.isMoveDue = false;
    this.withdraw();
  }

  private withdraw(): void {
    this.stop();
    this.isAsking = false;
    this.asked++;
    this.cancelPause?.();
    this.cancelPause = null;
  }

  private soon(): void {
    this.withdraw();
    if (this.current.peek().text.trim() === '')
      return this.set({ searching: false, progress: null, occurrences: null, more: false, current: -1, problem: null });
    this.set({ progress: null, ...(this.isMoveDue ? { searching: true } : {}) });
    this.cancelPause = this.deps.timers.after(pauseMs, () => void this.ask());
  }

  private async ask(): Promise<void> {
    const own = ++this.asked;
    const { text, matchCase, tools } = this.current.peek();
    this.isAsking = true;
    try {
      const answer = await this.deps.find({ text, matchCase, tools });
      if (own !== this.asked || answer.superseded) return;
      this.isAsking = false;
      this.take(answer);
    } catch (error) {
      if (own !== this.asked) return;
      this.isAsking = false;
      this.isMoveDue = false;
      this.set({ searching: false, progress: null, problem: this.deps.sentenceOf(error) });
    }
  }

  private take({ found, more }: FoundInSession): void {
    const moves = this.isMoveDue;
    this.isMoveDue = false;
    const before = this.current.peek();
    const shown = before.occurrences?.[before.current];
    const occurrences = found.flatMap((one) =>
      Array.from({ length: one.count }, (_, nth): Occurrence => ({ found: one, nth })),
    );
    const same = occurrences.findIndex(
      (one) => shown !== undefined && one.nth === shown.nth && isSamePart(one.found, shown.found),
    );
    this.set({ searching: false, progress: null, occurrences, more, current: moves ? -1 : same, problem: null });
    if (moves && occurrences.length > 0) this.showAt(this.nearest(occurrences));
  }

  private nearest(occurrences: readonly Occurrence[]): number {
    const position = this.deps.position();
    const after = occurrences.findIndex(({ found }) => found.position >= position);
    return after === -1 ? occurrences.length - 1 : after;
  }

  private showAt(index: number): void {
    const occurrence = this.current.peek().occurrences?.[index];
    if (occurrence === undefined) return;
    this.set({ current: index });
    this.deps.show(occurrence);
  }

  private set(change: Partial<FindState>): void {
    this.current.value = { ...this.current.peek(), ...change };
  }
}

function isSamePart(left: FoundText, right: FoundText): boolean {
  return left.messageUid === right.messageUid && left.kind === right.kind && left.part === right.part;
}
