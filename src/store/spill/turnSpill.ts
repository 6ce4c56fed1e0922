import type { SpilledRequest, SpilledTurn } from '../sessionStore';
import { isUnknownOutcome, StoreError } from '../storeError';
import type { MethodArguments, MethodName, MethodResults } from '../worker/sessionMethods';
import type { RunningStore } from '../worker/storeClient';
import type { Message } from '../../transcript/message';
import type { SpillHeader } from './spillFormat';
import type { SpillPlace } from './spillStore';

/** The outside world of spills. */
export interface SpillHome {
  /** Where they may be written without asking, best first. */
  readonly folders: readonly string[];
  /** A folder that others who use this machine may come to know of, and that the system may empty. Asks the person first: null means no, and so
   *  does no answer. */
  temporaryFolder(): Promise<string | null>;
  /** Starts a spill (`openSpillStore`). Rejects with a `StoreError`. */
  open(place: SpillPlace): Promise<{ readonly store: RunningStore; readonly path: string }>;
  remove(path: string): void;
  /** Gives a file a name under which it is kept and not looked for again; returns its new path. */
  setAside(path: string): string;
}

interface Opened {
  readonly store: RunningStore;
  readonly path: string;
}

/** The spill of one turn, in the first folder that takes it; when that fails too, everything goes to the next. */
export class TurnSpill {
  private readonly requests: SpilledRequest[] = [];
  private readonly left: string[] = [];
  private readonly folders: string[];
  private asked = false;
  private opened: Opened | null = null;
  private lastPath = '';

  constructor(
    private readonly home: SpillHome,
    private readonly header: SpillHeader,
    private readonly history: readonly Message[],
  ) {
    this.folders = [...home.folders];
  }

  get content(): SpilledTurn {
    return { ...this.header, requests: this.requests };
  }

  /** Whether it takes requests; false before the first one and after every folder has failed. */
  get isOpen(): boolean {
    return this.opened !== null;
  }

  get isEmpty(): boolean {
    return this.requests.length === 0;
  }

  get path(): string {
    return this.opened?.path ?? this.lastPath;
  }

  /** Does and keeps a request. Rejects with the refusal of a rule, or with the disk's failure when no folder takes it. */
  async write(request: SpilledRequest): Promise<MethodResults[SpilledRequest['method']]> {
    for (;;) {
      const { store } = (this.opened ??= await this.openNext());
      try {
        const result = await store.call(request.method, request.args);
        this.requests.push(request);
        this.removeLeft();
        return result;
      } catch (error) {
        if (error instanceof StoreError && !isUnknownOutcome(error)) throw error;
        await this.leave();
      }
    }
  }

  /** The turn's rows as they are with what was kept. */
  read<M extends MethodName>(method: M, args: MethodArguments[M]): Promise<MethodResults[M]> {
    if (this.opened === null)
      throw new StoreError(
        'unknown',
        'The unsaved part can’t be read right now. It is safe in its file.',
        `no spill is open; the last was ${this.lastPath}`,
      );
    return this.opened.store.call(method, args);
  }

  /** Everything in it is in the store: the file goes, or stays under another name where something was refused. Returns the path kept. */
  async finish(isWhole: boolean): Promise<string | null> {
    const { path } = this;
    await this.leave();
    const files = new Set(this.left);
    if (!isWhole) files.delete(path);
    for (const file of files) this.home.remove(file);
    return isWhole || path === '' ? null : this.home.setAside(path);
  }

  /** Leaves the file for the next opening. */
  async close(): Promise<void> {
    if (this.opened !== null) await this.leave();
  }

  private async openNext(): Promise<Opened> {
    let failure: unknown = new StoreError(
      'unknown',
      'The text shown couldn’t be saved in another folder either.',
      'no folder is left for a spill file',
    );
    for (let folder = await this.nextFolder(); folder !== null; folder = await this.nextFolder()) {
      try {
        const opened = await this.home.open({
          folder,
          header: this.header,
          history: this.history,
          requests: this.requests,
        });
        this.lastPath = opened.path;
        return opened;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private async nextFolder(): Promise<string | null> {
    const next = this.folders.shift();
    if (next !== undefined || this.asked) return next ?? null;
    this.asked = true;
    return this.home.temporaryFolder();
  }

  private async leave(): Promise<void> {
    const { opened } = this;
    this.opened = null;
    if (opened === null) return;
    this.left.push(opened.path);
    await opened.store.close().catch(() => opened.store.abandon());
  }

  /** Files of folders that failed hold nothing that the file now written does not. */
  private removeLeft(): void {
    for (const path of this.left.splice(0)) this.home.remove(path);
  }
}
