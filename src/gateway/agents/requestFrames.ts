import * as v from 'valibot';
import type { TurnAgent } from '../../agent/agent';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import type { ChatModel } from '../../models/chatModel';
import type { SessionStore } from '../../store/sessionStore';

const stored = v.object({ system: v.number(), tools: v.number(), memory: v.number() });

/** Estimated tokens that every request carries besides the history. */
type RequestFrame = Readonly<v.InferOutput<typeof stored>>;

/** Estimates the tokens that requests carry besides the history. The tool list (MCP servers start with a turn) and
 *  memory's texts are known only after a turn has gathered them. Until the next such turn, also after a restart, the
 *  values of the last request are the best estimate. Kept as a small value in the store for each model. */
export class RequestFrames {
  private readonly kept = new Map<string, string>();

  constructor(
    private readonly parts: { readonly store: Pick<SessionStore, 'getMeta' | 'setMeta'>; readonly log: Log },
  ) {}

  /** Throws `StoreError` when the last values cannot be read. */
  async of(ref: string, isPrivate: boolean, agent: TurnAgent, model: ChatModel): Promise<RequestFrame> {
    const key = `request-frame/${isPrivate ? 'private' : 'usual'}/${ref}`;
    const frame = agent.overhead(model);
    if (!agent.hasGatheredTools) return (await this.lastSent(key)) ?? frame;
    await this.keep(key, JSON.stringify(frame));
    return frame;
  }

  private async lastSent(key: string): Promise<RequestFrame | null> {
    const text = this.kept.get(key) ?? (await this.parts.store.getMeta(key));
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), stored), text);
    return parsed.success ? parsed.output : null;
  }

  private async keep(key: string, frame: string): Promise<void> {
    if (this.kept.get(key) === frame) return;
    this.kept.set(key, frame);
    try {
      await this.parts.store.setMeta(key, frame);
    } catch (error) {
      this.parts.log.warn(`What requests carry beside the history could not be saved: ${errorMessage(error)}`);
    }
  }
}
