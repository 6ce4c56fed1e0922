import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { SessionStore } from '../store/sessionStore';
import type { Session } from '../transcript/session';
import { GatewayError } from './gateway';

interface DirectoryParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly defaultModel: () => string | null;
  readonly folder: () => string | null;
}

/** Finds stored sessions and begins new ones, and says in words when that cannot be. */
export class SessionDirectory {
  constructor(private readonly parts: DirectoryParts) {}

  /** A new session with the model that new sessions use. */
  async create(): Promise<Session> {
    const model = this.modelOf(null);
    const startedAt = this.parts.clock.now();
    return this.parts.store.createSession({ id: this.parts.ids.sessionId(startedAt), startedAt, model, folder: this.parts.folder() });
  }

  async get(sessionId: string): Promise<Session> {
    const session = await this.parts.store.getSession(sessionId);
    if (session === null) throw new GatewayError('notFound', 'This session is no longer stored. Open another one from the list.');
    return session;
  }

  /** The newest segment of a session's conversation: where its next turn belongs. */
  async tipOf(sessionId: string): Promise<Session> {
    await this.get(sessionId);
    return this.get(await this.parts.store.conversationTip(sessionId));
  }

  /** The model that answers in a session (null: in a new one). */
  modelOf(session: Session | null): string {
    const model = session?.model ?? this.parts.defaultModel();
    if (model === null) throw new GatewayError('noModel', 'No model is chosen yet. Your prompt is kept: choose a model, then send it.');
    return model;
  }
}
