import { t, shownList } from '../base/translate';
import type { PromptContext } from '../store/requests';
import type { Session } from '../transcript/session';
import { GatewayError } from './gateway';
import type { Beginning } from './surfaceRegistry';
import type { GatewayServices } from './gatewayServices';

/** Maximum number of titles listed when the user must be more specific about a session. */
const mostNamed = 5;

/** Finds stored sessions and creates new ones. Reports a failure with a sentence for the user. */
export class SessionDirectory {
  /** Conversations of the sessions that were read here. */
  private readonly conversations = new Map<string, string>();

  constructor(private readonly parts: Pick<GatewayServices, 'store' | 'clock' | 'ids' | 'defaultModel' | 'folder'>) {}

  /** Creates a session with the default model for new sessions. It copies nothing from the session before. */
  async create({ isPrivate, mode, effort, agent, model: asked }: Omit<Beginning, 'reason'>): Promise<Session> {
    const usual = this.modelOf(null);
    const model = asked?.chosen === usual ? asked.ref : usual;
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
    if (agent === null) return this.noted(session);
    await this.parts.store.setSessionAgent(session.id, agent);
    return this.noted({ ...session, agent });
  }

  async get(sessionId: string): Promise<Session> {
    return this.noted(await this.parts.store.getSession(sessionId));
  }

  /** Returns the conversation of a session, from the cache if possible; null when the session is not stored. The
   *  cached value may be out of date: callers compare it with the session read within the conversation's sequence. */
  async conversationOf(sessionId: string): Promise<string | null> {
    const known = this.conversations.get(sessionId);
    if (known !== undefined) return known;
    const session = await this.parts.store.getSession(sessionId);
    return session === null ? null : this.noted(session).conversationId;
  }

  /** Where the next turn of a session belongs, by what was read for a prompt. */
  tipIn({ session }: PromptContext, sessionId: string): Session {
    const tip = this.noted(session);
    this.conversations.set(sessionId, tip.conversationId);
    return tip;
  }

  private noted(session: Session | null): Session {
    if (session === null) throw notStored();
    this.conversations.set(session.id, session.conversationId);
    return session;
  }

  /** True when the session belongs to a sub-agent. Works for any segment of its conversation. */
  async isSubAgent(session: Session): Promise<boolean> {
    const root =
      session.id === session.conversationId ? session : await this.parts.store.getSession(session.conversationId);
    return root?.parentKind === 'delegate';
  }

  /** Throws for a sub-agent's session: only the agent that delegated the task writes to it. `isSubAgent`: pass it
   *  if known. */
  async refuseSubAgent(session: Session, isSubAgent?: boolean): Promise<void> {
    if (isSubAgent ?? (await this.isSubAgent(session)))
      throw new GatewayError(
        'invalid',
        t(
          'You can’t send prompts to a sub-agent’s session. Use its parent session, or branch this one and continue there.',
        ),
      );
  }

  /** Returns the newest segment of a session's conversation, to which its next turn belongs. */
  async tipOf(sessionId: string): Promise<Session> {
    await this.get(sessionId);
    return this.get(await this.parts.store.conversationTip(sessionId));
  }

  /** Returns the segment to show when the user opens a session: its newest one or, when it has no messages, the one
   *  that continued it. */
  async toOpen(sessionId: string): Promise<Session> {
    await this.get(sessionId);
    const session = await this.tipOf((await this.parts.store.resolveSessionId(sessionId)) ?? sessionId);
    if (session.trashedAt !== null)
      throw new GatewayError('invalid', t('This session is in the trash. Restore it, then open it.'));
    return session;
  }

  /** Returns the id of the session that the text names. */
  async find(text: string): Promise<string> {
    const found = await this.parts.store.findSession(text);
    switch (found.kind) {
      case 'one':
        return found.sessionId;
      case 'none':
        throw new GatewayError('notFound', t('No session matches “{text}”.', { text }));
      case 'several': {
        const named = found.sessions
          .slice(0, mostNamed)
          .map(({ id, title }) => (title === null ? id : t('“{title}” ({id})', { title, id })));
        throw new GatewayError(
          'invalid',
          t('{count} sessions fit “{text}”: {sessions}. Type more of the id or of the title.', {
            count: found.sessions.length,
            text,
            sessions: shownList(named),
          }),
        );
      }
      default:
        return found satisfies never;
    }
  }

  /** Returns the model that answers in a session. Null: in a new one. */
  modelOf(session: Session | null): string {
    const model = session?.model ?? this.parts.defaultModel();
    if (model === null) throw new GatewayError('noModel', t('Choose a model first. Your prompt is kept.'));
    return model;
  }
}

export function notStored(): GatewayError {
  return new GatewayError('notFound', t('This session no longer exists. Open another one from the list.'));
}
