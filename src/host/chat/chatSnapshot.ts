import type { Log } from '../../base/log';
import type { Gateway } from '../../gateway/conversationGateway';
import type { ChatState, ShownSession, SessionOrigin } from '../../protocol/chatProtocol';
import type { SessionStore } from '../../store/session/sessionStore';
import type { ChatFiles } from '../webviews/chatFiles';
import { describeError } from '../common/describeError';
import type { RecentSessions } from './recentSessions';
import type { StoreStatus } from '../storage/storeStatus';
import type { Session } from '../../transcript/session';
import type { SessionSnapshot } from '../../gateway/gateway';

/** Messages of a session that a view gets at once. Earlier ones load when the user scrolls to them. */
export const pageSize = 60;
/** Maximum number of rows beyond the first page that a snapshot includes because a view had loaded them. A view
 *  unloads more than that anyway. */
const mostEarlier = 180;
/** Number of rows at which a read that reaches back to one message stops growing. */
const farthest = 4000;

/** Tracks how much of a session a snapshot includes, so that a view that is rendered again has the rows it had. */
export class PageWindow {
  /** Rows that the view has loaded beyond the first page. */
  private earlier = 0;
  private messageUid: string | null = null;

  /** Called for another session, or for another page that has no rows yet. */
  startOver(): void {
    this.earlier = 0;
  }

  loaded(rows: number): void {
    this.earlier = Math.min(mostEarlier, this.earlier + rows);
  }

  /** Makes the next snapshot include this message, if it is still shown. */
  reachTo(messageUid: string): void {
    this.messageUid = messageUid;
  }

  async read(gateway: Pick<Gateway, 'snapshot'>, sessionId: string): Promise<SessionSnapshot> {
    const wanted = this.messageUid;
    this.messageUid = null;
    for (let size = pageSize + this.earlier; ; size *= 4) {
      const snapshot = await gateway.snapshot(sessionId, size);
      const { messages, hasEarlier } = snapshot.page;
      const isThere = wanted === null || messages.some(({ uid }) => uid === wanted);
      if (!isThere && hasEarlier && size < farthest) continue;
      this.earlier = Math.min(mostEarlier, Math.max(this.earlier, messages.length - pageSize));
      return snapshot;
    }
  }
}

interface ChatSnapshotDeps {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getSession' | 'conversationTip'>;
  readonly store: StoreStatus;
  readonly files: ChatFiles;
  readonly log: Log;
}

/** Snapshot of the session for a view. Null: it cannot be read; the store's notice says so and offers to try
 *  `again`. `changed`: the snapshot replaces the rows that the view has. */
export async function readShownSession(
  { gateway, sessions, store, files, log }: ChatSnapshotDeps,
  pages: PageWindow,
  sessionId: string,
  changed: () => boolean,
  again: () => Promise<void>,
): Promise<ShownSession | null> {
  try {
    const { page, ...state } = await pages.read(gateway, sessionId);
    const { messages, turns, versions, hasEarlier } = page;
    const [origin, changes] = await Promise.all([
      originOf(state.session, sessions),
      files.ofTurns(turns.map(({ uid }) => uid)),
    ]);
    store.shownUnread(null, again);
    return { ...state, messages, turns, versions, changes, hasEarlier, origin, changed: changed() };
  } catch (error) {
    log.error(`Session ${sessionId} couldn’t be read`, error);
    store.shownUnread(describeError(error).sentence, again);
    return null;
  }
}

/** Reads the state around the session from the store. Leaves out anything that cannot be read, so that the view
 *  still opens. */
export async function readAroundSession(
  { gateway, store, log }: ChatSnapshotDeps,
  surfaceId: string,
  recent: RecentSessions,
): Promise<Pick<ChatState, 'recentSessions' | 'newDraft' | 'newDraftParts' | 'newMode'>> {
  const orNothing = async <T>(read: () => Promise<T>, nothing: T): Promise<T> => {
    if (!store.isReadable) return nothing;
    return read().catch((error: unknown) => {
      log.warn(`The chat was drawn without part of its state: ${describeError(error).sentence}`);
      return nothing;
    });
  };
  const [recentSessions, newDraft, newDraftParts, newMode] = await Promise.all([
    orNothing(() => recent.read(), []),
    orNothing(() => gateway.store.draft('new'), ''),
    orNothing(() => gateway.store.draftParts('new'), []),
    orNothing(() => gateway.approvals.mode(surfaceId, null), 'ask'),
  ]);
  return { recentSessions, newDraft, newDraftParts, newMode };
}

/** Origin of a session: the session it was branched from or works for as a sub-agent, or a note that this one was
 *  erased. Null for any other session, and for one imported without its origin. */
async function originOf(
  session: Session,
  sessions: Pick<SessionStore, 'getSession' | 'conversationTip'>,
): Promise<SessionOrigin | null> {
  const root = session.id === session.conversationId ? session : await sessions.getSession(session.conversationId);
  if (root?.parentKind !== 'branch' && root?.parentKind !== 'delegate') return null;
  if (root.parentSessionId === null) return { sessionId: null };
  const origin = await sessions.getSession(await sessions.conversationTip(root.parentSessionId));
  return origin === null
    ? null
    : {
        sessionId: origin.id,
        title: origin.title,
        isTrashed: origin.trashedAt !== null,
        ...(root.parentKind === 'delegate' ? { hasSubAgent: true } : {}),
      };
}
