import { t } from '../../base/translate';
import type { SpilledRequest, SpilledTurn } from '../sessionStore';
import { isUnknownOutcome, StoreError } from '../storeError';
import type { MethodArguments, MethodName, MethodResults } from '../sessionMethods';
import type { RunningStore } from '../worker/storeClient';
import type { Message } from '../../transcript/message';
import type { SpillHeader } from './spillFormat';
import type { SpillPlace } from './spillStore';

/** The spills' interface to their environment. */
export interface SpillHome {
  /** Folders that may be used without asking the user, best first. */
  readonly folders: readonly string[];
  /** A folder that other users of this machine may be able to see, and that the system may empty. Asks the user
   *  first; null when the user refuses or does not answer. */
  temporaryFolder(): Promise<string | null>;
  /** Starts a spill (`openSpillStore`). Rejects with a `StoreError`. */
  open(place: SpillPlace): Promise<{ readonly store: RunningStore; readonly path: string }>;
  remove(path: string): void;
  /** Renames a file so that it is kept and not found again; returns its new path. */
  setAside(path: string): string;
}

interface Opened {
  readonly store: RunningStore;
  readonly path: string;
}

/** The spill of one turn, in the first folder that accepts it; when that folder fails later, everything goes to the
 *  next. */
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

  /** True when it accepts requests; false before the first request and after every folder has failed. */
  get isOpen(): boolean {
    return this.opened !== null;
  }

  get isEmpty(): boolean {
    return this.requests.length === 0;
  }

  get path(): string {
    return this.opened?.path ?? this.lastPath;
  }

  /** Applies and stores a request. Rejects with the error of a rule, or with the disk's error when no folder accepts
   *  it. */
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

  /** Reads the turn's rows, including the spilled writes. */
  read<M extends MethodName>(method: M, args: MethodArguments[M]): Promise<MethodResults[M]> {
    if (this.opened === null)
      throw new StoreError(
        'unknown',
        t('The unsaved part can’t be read right now. It is safe in its file.'),
        `no spill is open; the last was ${this.lastPath}`,
      );
    return this.opened.store.call(method, args);
  }

  /** Call after all requests were folded into the store: deletes the file, or renames it if some requests were
   *  refused. Returns the path of a kept file, else null. */
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
      t('The text shown couldn’t be saved in another folder either.'),
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

  /** Removes the files of failed folders: the current file has everything they hold. */
  private removeLeft(): void {
    for (const path of this.left.splice(0)) this.home.remove(path);
  }
}
