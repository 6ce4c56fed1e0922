import { Emitter, type Disposable } from '../../../base/disposable';
import type { ChangedFile } from '../../../transcript/changedFile';

interface OpenTurn {
  readonly sessionId: string;
  readonly files: readonly ChangedFile[];
}

/** Files with changes that are neither kept nor reverted, and the turns that made them. Covers the turns
 *  of the last 30 days, and those that views have shown. */
export class OpenChanges implements Disposable {
  private readonly turns = new Map<string, OpenTurn>();
  private readonly changes = new Emitter<readonly string[]>();
  private list: readonly ChangedFile[] | null = null;

  /** Fires with the paths whose state may be another one now. */
  readonly onDidChange = this.changes.event;

  /** Called with the present state of a turn's files. */
  update(turnUid: string, sessionId: string, files: readonly ChangedFile[]): void {
    const before = this.turns.get(turnUid)?.files ?? [];
    const now = files.filter(isOpen);
    if (now.length === 0) this.turns.delete(turnUid);
    else this.turns.set(turnUid, { sessionId, files: now });
    this.list = null;
    const paths = new Set([...before, ...now].map(({ path }) => path));
    if (paths.size > 0) this.changes.fire([...paths]);
  }

  /** Called when another history was opened. */
  clear(): void {
    const paths = this.files().map(({ path }) => path);
    this.turns.clear();
    this.list = null;
    if (paths.length > 0) this.changes.fire(paths);
  }

  /** Called when a session was erased. */
  forget(sessionId: string): void {
    for (const [turnUid, turn] of this.turns) if (turn.sessionId === sessionId) this.update(turnUid, sessionId, []);
  }

  /** Files with open changes, in the order in which their turns are known and changed them: as a review shows them. */
  files(): readonly ChangedFile[] {
    this.list ??= [
      ...new Map([...this.turns.values()].flatMap(({ files }) => files.map((file) => [file.path, file]))).values(),
    ];
    return this.list;
  }

  dispose(): void {
    this.changes.dispose();
  }
}

function isOpen({ state }: ChangedFile): boolean {
  return state === 'open' || state === 'partly' || state === 'changedSince';
}
