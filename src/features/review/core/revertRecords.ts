import type { FileChange } from '../../../store/fileChanges';
import { hashOf, keptContents, largestKept } from '../../../tools/files/changes/contentHash';
import type { ReviewServices } from './reviewServices';

/** One revert that the user asked for. It names the turn whose changes it reverts. */
export interface NamedRevert {
  readonly id: string;
  readonly sessionId: string;
  readonly turnUid: string;
  /** Time of the revert; the changes that it reverts are marked with it. */
  readonly at: number;
}

/** One file that a revert changed, and that can be changed back. */
export interface RevertedFile {
  readonly revert: string;
  /** Session of the turn. */
  readonly sessionId: string;
  /** Turn whose changes were reverted. */
  readonly turnUid: string;
  readonly path: string;
  /** The revert as a change of the file: what it replaced, and what it left. */
  readonly change: FileChange;
}

/** Stores what reverts replace, so that they can be undone, also after a reload. A revert is itself a change of files
 *  and uses the same tables. Its rows belong to no turn: `turnUid` is "reverts/<session>" and `callId` is
 *  "<revert>/<turn>". `reviewed` of such a row is 'reverted' when it was undone. */
export class RevertRecords {
  constructor(private readonly services: ReviewServices) {}

  newRevert({ sessionId, turnUid }: Pick<NamedRevert, 'sessionId' | 'turnUid'>): NamedRevert {
    return { id: this.services.ids.uid(), sessionId, turnUid, at: this.services.clock.now() };
  }

  /** True when the content is small enough to be stored. A larger one must not be replaced. */
  canKeep(bytes: Uint8Array | null): boolean {
    return bytes === null || bytes.length <= largestKept;
  }

  /** Stores the content that is about to be replaced, and the one that replaces it: if the process ends before `end`,
   *  the revert can be undone all the same. `of`: a change that is reverted; its session owns the content. Rejects
   *  when the store cannot save it: then the file must not be changed. */
  async begin(
    { id, sessionId, turnUid, at }: NamedRevert,
    of: FileChange,
    present: Uint8Array | null,
    wanted: Uint8Array | null,
  ): Promise<FileChange> {
    const change: FileChange = {
      uid: this.services.ids.uid(),
      sessionId: of.sessionId,
      turnUid: keyOf(sessionId),
      callId: `${id}/${turnUid}`,
      path: of.path,
      before: hashOf(present),
      after: hashOf(wanted),
      changedAt: at,
      reviewed: null,
    };
    await this.services.store.recordFileChanges([change], keptContents([present, wanted]));
    return change;
  }

  /** Stores what the revert left, where it isn’t what it wanted. Removes the record when the file is as it was. */
  async end({ uid, after }: FileChange, left: Uint8Array | null): Promise<void> {
    if (hashOf(left) === after) return;
    await this.services.store.completeFileChanges([{ uid, after: hashOf(left) }], keptContents([left]));
  }

  /** Reverts of these sessions that can be undone, the oldest first. */
  async of(sessionIds: readonly string[]): Promise<readonly RevertedFile[]> {
    if (sessionIds.length === 0) return [];
    const changes = await this.services.store.fileChangesOf(sessionIds.map(keyOf));
    return changes.filter(({ reviewed }) => reviewed?.kind !== 'reverted').map(revertedFile);
  }

  async markUndone(files: readonly RevertedFile[]): Promise<void> {
    if (files.length > 0)
      await this.services.store.markReviewed(
        files.map(({ change }) => change.uid),
        'reverted',
        this.services.clock.now(),
      );
  }
}

/** True for the record of a revert, as opposed to a change of a turn. */
export function isRevert({ turnUid }: Pick<FileChange, 'turnUid'>): boolean {
  return turnUid.startsWith(keyOf(''));
}

/** What the record of a revert says. */
export function revertedFile(change: FileChange): RevertedFile {
  const slash = change.callId.indexOf('/');
  return {
    revert: change.callId.slice(0, slash),
    sessionId: change.turnUid.slice(keyOf('').length),
    turnUid: change.callId.slice(slash + 1),
    path: change.path,
    change,
  };
}

function keyOf(sessionId: string): string {
  return `reverts/${sessionId}`;
}

/** The newest revert of each file, from a list with the oldest first. */
export function newestOfEach(files: readonly RevertedFile[]): readonly RevertedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
