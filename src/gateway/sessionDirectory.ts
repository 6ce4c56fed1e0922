import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { SessionStore } from '../store/sessionStore';
import type { Session } from '../transcript/session';
import { GatewayError } from './gateway';
import type { Beginning } from './surfaceRegistry';

interface DirectoryParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly defaultModel: () => string | null;
  readonly folder: () => string | null;
}

/** Titles that are named when a person has to say which session they mean. */
const mostNamed = 5;

/** Finds stored sessions and begins new ones, and says in words when that cannot be. */
export class SessionDirectory {
  constructor(private readonly parts: DirectoryParts) {}

  /** A new session with the model that new sessions use: nothing of the session before goes along. */
  async create({ isPrivate, mode, effort }: Omit<Beginning, 'reason'>): Promise<Session> {
    const model = this.modelOf(null);
    const startedAt = this.parts.clock.now();
    const session = await this.parts.store.createSession({
      id: this.parts.ids.sessionId(startedAt),
      startedAt,
      model,
      folder: this.parts.folder(),
      private: isPrivate,
    });
    if (mode !== null) await this.parts.store.setSessionMode(session.id, mode);
    if (effort !== null) await this.parts.store.setSessionEffort(session.id, effort);
    return session;
  }

  async get(sessionId: string): Promise<Session> {
    const session = await this.parts.store.getSession(sessionId);
    if (session === null)
      throw new GatewayError('notFound', 'This session no longer exists. Open another one from the list.');
    return session;
  }

  /** Whether the session is a sub-agent's: any segment of its conversation. */
  async isSubAgent(session: Session): Promise<boolean> {
    const root =
      session.id === session.conversationId ? session : await this.parts.store.getSession(session.conversationId);
    return root?.parentKind === 'delegate';
  }

  /** Nobody but the agent that handed it a task writes to a sub-agent. */
  async refuseSubAgent(session: Session): Promise<void> {
    if (await this.isSubAgent(session))
      throw new GatewayError(
        'invalid',
        'You can’t send prompts to a sub-agent’s session. Use its parent session, or branch this one and continue there.',
      );
  }

  /** The newest segment of a session's conversation: where its next turn belongs. */
  async tipOf(sessionId: string): Promise<Session> {
    await this.get(sessionId);
    return this.get(await this.parts.store.conversationTip(sessionId));
  }

  /** What a person sees who opens a session: its newest segment or, where it has no messages, the one that went on from it. */
  async toOpen(sessionId: string): Promise<Session> {
    await this.get(sessionId);
    const session = await this.tipOf((await this.parts.store.resolveSessionId(sessionId)) ?? sessionId);
    if (session.trashedAt !== null)
      throw new GatewayError('invalid', 'This session is in the trash. Restore it, then open it.');
    return session;
  }

  /** The session a person means. */
  async find(text: string): Promise<string> {
    const found = await this.parts.store.findSession(text);
    switch (found.kind) {
      case 'one':
        return found.sessionId;
      case 'none':
        throw new GatewayError('notFound', `No session matches “${text}”.`);
      case 'several': {
        const named = found.sessions
          .slice(0, mostNamed)
          .map(({ id, title }) => (title === null ? id : `“${title}” (${id})`));
        throw new GatewayError(
          'invalid',
          `${found.sessions.length} sessions fit “${text}”: ${named.join(', ')}. Type more of the id or of the title.`,
        );
      }
      default:
        return found satisfies never;
    }
  }

  /** The model that answers in a session (null: in a new one). */
  modelOf(session: Session | null): string {
    const model = session?.model ?? this.parts.defaultModel();
    if (model === null) throw new GatewayError('noModel', 'Choose a model first. Your prompt is kept.');
    return model;
  }
}
