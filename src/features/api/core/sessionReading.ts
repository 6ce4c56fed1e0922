import * as v from 'valibot';
import type { SessionStore, TranscriptPage } from '../../../store/sessionStore';
import type { Session } from '../../../transcript/session';
import type * as api from './hermes';
import { ApiError, apiError } from './hermesError';
import { entryCopy, frozen, sessionCopy, shownCopy, turnCopy } from './plainCopies';

/** Default and maximum number of entries per call. */
const listLimit = { usual: 50, most: 500 } as const;
const readLimit = { usual: 100, most: 1000 } as const;

const id = v.pipe(v.string(), v.nonEmpty());
const upTo = ({ usual, most }: { readonly usual: number; readonly most: number }) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most)), usual);
const listQuery = v.optional(
  v.object({ limit: upTo(listLimit), before: v.optional(v.object({ id, lastActiveAt: v.number() })) }),
  {},
);
const readQuery = v.optional(v.object({ limit: upTo(readLimit), before: v.optional(v.number()) }), {});

export type ReadStore = Pick<SessionStore, 'listSessions' | 'getSession' | 'conversationTip' | 'readTranscript'>;

/** Implements `sessions` of the API. Private and trashed sessions are not found. */
export class SessionReading implements api.Sessions {
  constructor(private readonly store: ReadStore) {}

  async list(query?: Parameters<api.Sessions['list']>[0]): Promise<readonly api.SessionEntry[]> {
    const { limit, before } = checked(listQuery, query, 'sessions.list');
    const after = before === undefined ? {} : { after: before };
    const found = await this.store.listSessions({ limit, withoutPrivate: true, ...after }).catch(rethrow);
    return frozen(found.map(entryCopy));
  }

  async read(sessionId: string, query?: Parameters<api.Sessions['read']>[1]): Promise<api.TranscriptPage> {
    const { limit, before } = checked(readQuery, query, 'sessions.read');
    const session = await this.find(checked(id, sessionId, 'sessions.read')).catch(rethrow);
    const page = await this.page(session.id, limit, before).catch(rethrow);
    const messages = page.messages.flatMap((message) => shownCopy(message) ?? []);
    return frozen({
      session: sessionCopy(session),
      messages,
      turns: page.turns.map(turnCopy),
      hasEarlier: page.hasEarlier,
    });
  }

  /** Reads earlier pages until one holds a shown message: a page may hold none where an earlier part was summarized. */
  private async page(sessionId: string, limit: number, before: number | undefined): Promise<TranscriptPage> {
    for (let end = before; ;) {
      const page = await this.store.readTranscript({ sessionId, limit, ...(end === undefined ? {} : { before: end }) });
      if (!page.hasEarlier || page.messages.some(({ visibility }) => visibility.kind === 'shown')) return page;
      end = page.messages[0]?.position;
    }
  }

  private async find(sessionId: string): Promise<Session> {
    const session = await this.store.getSession(sessionId);
    const tip = session === null ? null : await this.store.getSession(await this.store.conversationTip(sessionId));
    if (tip === null || tip.private || tip.trashedAt !== null)
      throw new ApiError('notFound', `There is no session ${sessionId} that other extensions may read.`);
    return tip;
  }
}

function checked<Schema extends v.GenericSchema>(schema: Schema, value: unknown, call: string): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const problems = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'the argument'}: ${issue.message}`);
  throw new ApiError('invalid', `${call} cannot be called so: ${problems.join('; ')}.`);
}

function rethrow(error: unknown): never {
  throw apiError(error);
}
