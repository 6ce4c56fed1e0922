import { maskSecrets } from '../../../models/secrecy/secrecy';
import { searchTerms } from '../../../store/search/searchTerms';
import { snippetOf } from '../../../store/search/snippet';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { SearchHit } from '../../../store/requests';
import { answerText, type Message } from '../../../transcript/message';
import type { Session, SessionSummary } from '../../../transcript/session';

export type SearchedStore = Pick<
  SessionStore,
  'search' | 'getMessage' | 'getSession' | 'listSessions' | 'readTranscript'
>;

/** A hit in a session that the agent may read. */
export interface SessionHit extends SearchHit {
  readonly session: Session;
}

/** A message with the messages around it, and their session. */
export interface SessionExcerpt {
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/** Hits per page. One answer reads at most `mostPages` pages, because hits of the session itself are filtered out
 *  after the search. */
const page = 40;
const mostPages = 5;
/** Maximum number of words to search for one by one when no message contains all of them. */
const mostWords = 6;
const around = { before: 3, after: 6 } as const;

/** Search in earlier sessions, for use by an agent. Leaves out the session it serves, because its rows are already
 *  in the model's context; rows that were summarized away are found. Never returns private sessions, sessions of
 *  sub-agents, sessions in the trash, or removed rows. */
export class SessionSearch {
  constructor(private readonly store: SearchedStore) {}

  /** Returns hits, newest first. If no message contains all the words, returns those with the most of them. Secrets
   *  in the snippets are masked. */
  async find(
    text: string,
    limit: number,
    ownSession: string | null,
    signal: AbortSignal,
  ): Promise<readonly SessionHit[]> {
    const terms = searchTerms(text)?.terms ?? [];
    const found: SessionHit[] = [];
    for (const hit of await this.best(text, limit, ownSession, signal)) {
      const message = await this.store.getMessage(hit.messageUid);
      // Builds the snippet here: the store's own snippet is cut, and half a secret cannot be recognized as one.
      found.push({ ...hit, ...snippetOf(message === null ? '' : maskSecrets(textOfMessage(message)), terms) });
    }
    return found;
  }

  private async best(
    text: string,
    limit: number,
    ownSession: string | null,
    signal: AbortSignal,
  ): Promise<readonly SessionHit[]> {
    const all = await this.hits(text, limit, ownSession, signal);
    const words = [...new Set(text.split(/\s+/).filter((word) => word.length > 2))];
    if (all.length > 0 || words.length < 2) return all;
    const counted = new Map<string, { readonly hit: SessionHit; count: number }>();
    for (const word of words.slice(0, mostWords)) {
      for (const hit of await this.hits(word, limit * 2, ownSession, signal)) {
        const known = counted.get(hit.messageUid);
        if (known === undefined) counted.set(hit.messageUid, { hit, count: 1 });
        else known.count++;
      }
    }
    const ranked = [...counted.values()].sort(
      (one, other) => other.count - one.count || other.hit.createdAt - one.hit.createdAt,
    );
    return ranked.slice(0, limit).map(({ hit }) => hit);
  }

  /** Returns the latest sessions, without the one that asks. */
  async recent(limit: number, ownSession: string | null): Promise<readonly SessionSummary[]> {
    const own = ownSession === null ? null : await this.store.getSession(ownSession);
    const sessions = await this.store.listSessions({ limit: limit + 20 });
    return sessions
      .filter(
        (session) => !session.private && session.problem === null && session.conversationId !== own?.conversationId,
      )
      .slice(0, limit);
  }

  /** Null when there is no such message, or none that the agent may read. */
  async read(messageUid: string): Promise<SessionExcerpt | null> {
    const message = await this.store.getMessage(messageUid);
    if (message === null || message.visibility.kind !== 'shown') return null;
    const session = await this.open(message.sessionId);
    if (session === null) return null;
    const { sessionId, position } = message;
    const [earlier, later] = await Promise.all([
      this.store.readTranscript({ sessionId, before: position, limit: around.before }),
      this.store.readTranscript({ sessionId, after: position, limit: around.after + 1 }),
    ]);
    const after = later.messages.slice(0, around.after);
    return {
      session,
      messages: [...earlier.messages, message, ...after],
      hasEarlier: earlier.hasEarlier,
      hasLater: later.messages.length > after.length,
    };
  }

  private async hits(
    text: string,
    limit: number,
    ownSession: string | null,
    signal: AbortSignal,
  ): Promise<readonly SessionHit[]> {
    const known = new Map<string, Session | null>();
    const found: SessionHit[] = [];
    for (let offset = 0; offset < page * mostPages && found.length < limit; offset += page) {
      const hits = await this.store.search({ text, limit: page, offset }, signal);
      for (const hit of hits.filter(({ sessionId }) => sessionId !== ownSession)) {
        if (!known.has(hit.sessionId)) known.set(hit.sessionId, await this.open(hit.sessionId));
        const session = known.get(hit.sessionId) ?? null;
        if (session !== null) found.push({ ...hit, session });
      }
      if (hits.length < page) break;
    }
    return found.slice(0, limit);
  }

  private async open(sessionId: string): Promise<Session | null> {
    const session = await this.store.getSession(sessionId);
    return session === null || session.private || session.trashedAt !== null || session.parentKind === 'delegate'
      ? null
      : session;
  }
}

/** Returns a masked title or beginning of a prompt. The store cuts these texts, so a long word at the end may be
 *  half a secret. */
export function beginningWithin(text: string): string {
  return maskSecrets(text.replace(/\S{12,}$/, (word) => (isCut(text) ? '…' : word)));
}

/** True for a text that may be cut: previews are cut at 120 characters, and titles made from a prompt end with "…". */
function isCut(text: string): boolean {
  return text.length >= 119 || text.endsWith('…');
}

/** Returns a message as text for a model: the text, tools by their names, secrets masked. */
export function messageExcerpt(message: Message, longest: number): string {
  const text = maskSecrets(textOfMessage(message));
  return text.length > longest
    ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')} (… ${text.length - longest} more characters)`
    : text;
}

function textOfMessage(message: Message): string {
  switch (message.role) {
    case 'user':
      return answerText(message.parts);
    case 'assistant': {
      const calls = message.parts.flatMap((part) => (part.kind === 'toolCall' ? [`[called ${part.name}]`] : []));
      return [answerText(message.parts), ...calls].filter((text) => text !== '').join('\n');
    }
    case 'tool':
      return `[${message.parts[0].name}: ${message.parts[0].outcome}] ${message.parts[0].text}`;
    default:
      return message satisfies never;
  }
}
