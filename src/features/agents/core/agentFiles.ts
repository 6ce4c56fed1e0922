import { errorMessage } from '../../../base/errorMessage';
import type { EditingCall, FileState, OpenedEdit } from '../../../tools/files/editJournal';
import type { FoldedCall } from './foldedCall';
import type { HostedAgentsDeps } from './hostedAgent';

/** Notices the files that an agent changes by itself, from what it says about its calls, and records them as changes of
 *  the turn: they can be reviewed and reverted as far as a file could be read before it changed. */
export class AgentFiles {
  private readonly opened = new Set<{
    readonly call: FoldedCall;
    readonly edit: OpenedEdit;
    readonly before: readonly FileState[];
  }>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly turn: Omit<EditingCall, 'callId'>,
    private readonly deps: Pick<HostedAgentsDeps, 'journal' | 'log'> & {
      readonly editor: Pick<HostedAgentsDeps['editor'], 'bytesOnDisk'>;
    },
  ) {}

  /** Called with each version of a call, before it is stored. Never rejects. */
  async follow(call: FoldedCall): Promise<void> {
    try {
      await this.begin(call);
      if (call.hasEnded) await this.end(call);
    } catch (error) {
      this.deps.log.warn(`A change of an agent was not recorded: ${errorMessage(error)}`);
    }
  }

  /** Records what the files hold now, for calls that never ended. */
  async finish(): Promise<void> {
    for (const { call } of [...this.opened])
      await this.end(call).catch((error: unknown) =>
        this.deps.log.warn(`A change of an agent was not recorded: ${errorMessage(error)}`),
      );
  }

  private async begin(call: FoldedCall): Promise<void> {
    const fresh = call.editedPaths.filter((path) => !this.seen.has(`${call.callId} ${path}`));
    if (fresh.length === 0) return;
    for (const path of fresh) this.seen.add(`${call.callId} ${path}`);
    const before = await Promise.all(fresh.map((path) => this.stateBefore(call, path)));
    const edit = await this.deps.journal.begin({ ...this.turn, callId: call.callId }, before);
    this.opened.add({ call, edit, before });
  }

  private async end(call: FoldedCall): Promise<void> {
    for (const opened of [...this.opened].filter((each) => each.call === call)) {
      this.opened.delete(opened);
      const after = await Promise.all(opened.before.map(({ path }) => this.stateNow(path)));
      await opened.edit.end(after);
      for (const [index, now] of after.entries())
        if (call.status === 'completed' && sameBytes(now.bytes, opened.before[index]?.bytes ?? null))
          await this.recordLate(call, now);
    }
  }

  /** Records a change that was over before the file was first read, where the call's diffs tell what it was. */
  private async recordLate(call: FoldedCall, now: FileState): Promise<void> {
    const before = await this.stateBefore(call, now.path);
    if (sameBytes(before.bytes, now.bytes)) return;
    const edit = await this.deps.journal.begin({ ...this.turn, callId: call.callId }, [before]);
    await edit.end([now]);
  }

  private async stateNow(path: string): Promise<FileState> {
    return { path, bytes: await this.deps.editor.bytesOnDisk(path) };
  }

  private async stateBefore({ diffs }: FoldedCall, path: string): Promise<FileState> {
    const now = await this.stateNow(path);
    if (now.bytes === null) return now;
    return {
      path,
      bytes: bytesBefore(
        now.bytes,
        diffs.filter((diff) => diff.path === path),
      ),
    };
  }
}

function sameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}

/** Content of a file before edits that may already be in it. An agent may say what it does after it has done it. */
export function bytesBefore(
  now: Uint8Array,
  diffs: readonly { readonly before: string | null; readonly after: string }[],
): Uint8Array | null {
  const text = Buffer.from(now).toString('utf8');
  const first = diffs[0];
  if (first === undefined) return now;
  if (first.before === null) return text === first.after ? null : now;
  let before = text;
  for (const { before: old, after } of [...diffs].reverse()) {
    if (old === null || old === after || !before.includes(after) || (old !== '' && before.includes(old))) continue;
    before = before.replace(after, () => old);
  }
  return before === text ? now : Buffer.from(before, 'utf8');
}
