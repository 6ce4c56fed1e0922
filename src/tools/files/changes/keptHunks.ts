import * as v from 'valibot';
import type { SessionStore } from '../../../store/sessionStore';

const stored = v.record(v.string(), v.array(v.string()));

/** Single changes that the user keeps, by path of a turn's files. A metadata value of the store; its key ends in the
 *  session's id, so it is deleted with the session. */
export class KeptHunks {
  constructor(private readonly store: Pick<SessionStore, 'getMeta' | 'setMeta'>) {}

  async of(turnUid: string, sessionId: string, path: string): Promise<ReadonlySet<string>> {
    return new Set((await this.read(turnUid, sessionId))[path] ?? []);
  }

  /** Those of several turns together. */
  async ofTurns(
    turns: readonly { readonly turnUid: string; readonly sessionId: string }[],
    path: string,
  ): Promise<ReadonlySet<string>> {
    const each = await Promise.all(turns.map(({ turnUid, sessionId }) => this.of(turnUid, sessionId, path)));
    return new Set(each.flatMap((ids) => [...ids]));
  }

  async keep(turnUid: string, sessionId: string, path: string, hunk: string): Promise<void> {
    const all = await this.read(turnUid, sessionId);
    await this.store.setMeta(
      keyOf(turnUid, sessionId),
      JSON.stringify({ ...all, [path]: [...new Set([...(all[path] ?? []), hunk])] }),
    );
  }

  private async read(turnUid: string, sessionId: string): Promise<v.InferOutput<typeof stored>> {
    const text = await this.store.getMeta(keyOf(turnUid, sessionId));
    if (text === null) return {};
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), stored), text);
    return parsed.success ? parsed.output : {};
  }
}

function keyOf(turnUid: string, sessionId: string): string {
  return `kept-hunks/${turnUid}/${sessionId}`;
}
