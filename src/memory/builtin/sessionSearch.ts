import { maskSecrets } from '../../models/secrecy/secrecy';
import { searchWords } from '../../store/search/searchTerms';
import { snippetOf } from '../../store/search/snippet';
import type { SearchHit, SessionStore } from '../../store/sessionStore';
import { answerText, type Message } from '../../transcript/message';
import type { Session, SessionSummary } from '../../transcript/session';

export type SearchedStore = Pick<
  SessionStore,
  'search' | 'getMessage' | 'getSession' | 'listSessions' | 'readTranscript'
>;

/** A hit in a session that may be told of. */
export interface SessionHit extends SearchHit {
  readonly session: Session;
}

/** Messages around one, with where they belong. */
export interface SessionExcerpt {
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/** Hits read for one answer at most: those of the session itself are left out behind the search. */
const page = 40;
const mostPages = 5;
/** A search for each of so many words, where no message has them all. */
const mostWords = 6;
const around = { before: 3, after: 6 } as const;

/** What was said in earlier sessions, as an agent may look it up. The session it serves is left out where its rows are before the model anyway;
 *  what was summarised away is found. Sessions that are private or in the trash do not exist here, nor do rows that were taken back. */
export class SessionSearch {
  constructor(private readonly store: SearchedStore) {}

  /** Newest first; where no message has all the words, those with the most of them. Secrets in the snippets are masked. */
  async find(
    text: string,
    limit: number,
    ownSession: string | null,
    signal: AbortSignal,
  ): Promise<readonly SessionHit[]> {
    const terms = searchWords(text)?.terms ?? [];
    const found: SessionHit[] = [];
    for (const hit of await this.best(text, limit, ownSession, signal)) {
      const message = await this.store.getMessage(hit.messageUid);
      // The store's own snippet is cut, and of half a secret nothing says that it is one.
      found.push({ ...hit, ...snippetOf(message === null ? '' : maskSecrets(spoken(message)), terms) });
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

  /** Sessions by their last use, but for the one this is asked in. */
  async recent(limit: number, ownSession: string | null): Promise<readonly SessionSummary[]> {
    const own = ownSession === null ? null : await this.store.getSession(ownSession);
    const sessions = await this.store.listSessions({ limit: limit + 20 });
    return sessions
      .filter(
        (session) => !session.private && session.problem === null && session.conversationId !== own?.conversationId,
      )
      .slice(0, limit);
  }

  /** Null where there is no such message, or none that may be told of. */
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

/** A title or the beginning of a prompt, which the store cuts: a long word at its end may be half a secret. */
export function toldBeginning(text: string): string {
  return maskSecrets(text.replace(/\S{12,}$/, (word) => (isCut(text) ? '…' : word)));
}

/** Previews are cut at 120 characters, titles that were made of a prompt end with a mark. */
function isCut(text: string): boolean {
  return text.length >= 119 || text.endsWith('…');
}

/** A message as a model is told of it: who said it and what, tools by their names, secrets masked. */
export function toldMessage(message: Message, longest: number): string {
  const text = maskSecrets(spoken(message));
  return text.length > longest
    ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')} (… ${text.length - longest} more characters)`
    : text;
}

function spoken(message: Message): string {
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
