import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { SessionQuery } from '../../store/requests';
import type { Session } from '../../transcript/session';
import * as v from 'valibot';
import type { LibraryWindow } from './libraryWindow';

type SessionState = NonNullable<SessionQuery['state']>;

interface ChosenMessage {
  readonly session: Session;
  readonly messageUid: string | null;
}

/** Finds the sessions that a command applies to: the rows it was called on, else the session that the chat shows,
 *  else one that the user picks. */
export class ChosenSessions {
  constructor(
    private readonly window: LibraryWindow,
    private readonly selected: () => readonly { readonly sessionId: string }[],
    private readonly pick: (title: string, state: SessionState) => Promise<string | null>,
  ) {}

  /** The session, and the message if one was clicked. Null when the user cancels. `title`: heading of the picker. */
  async one(args: readonly unknown[], title: string): Promise<ChosenMessage | null> {
    const target = await this.target(args, title);
    const [session] = await this.read(target?.sessionIds.slice(0, 1) ?? []);
    return session === undefined ? null : { session, messageUid: target?.messageUid ?? null };
  }

  /** Command for one session. Does nothing when the user cancels. `title`: heading of the picker. */
  command(title: string, act: (target: ChosenMessage) => unknown): (...args: readonly unknown[]) => Promise<void> {
    return async (...args) => {
      const target = await this.one(args, title);
      if (target !== null) await act(target);
    };
  }

  /** Every session that the command applies to. Empty when the user cancels. `state`: only sessions in this state
   *  qualify. */
  async all(args: readonly unknown[], title: string, state: SessionState = 'active'): Promise<readonly Session[]> {
    return this.read((await this.target(args, title, state))?.sessionIds ?? []);
  }

  /** Session that the command was called on. Null: on none. 'lost': the editor cannot name the row. */
  named(args: readonly unknown[]): { readonly sessionId: string } | 'lost' | null {
    const target = namedTarget(args, this.selected);
    if (target === 'lost') return target;
    const [sessionId] = target?.sessionIds ?? [];
    return sessionId === undefined ? null : { sessionId };
  }

  private async target(
    args: readonly unknown[],
    title: string,
    state: SessionState = 'active',
  ): Promise<NamedTarget | null> {
    await this.window.history.status.settled();
    const given = namedTarget(args, this.selected);
    if (given !== null && given !== 'lost') return given;
    // The intended row is unknown: do not assume the shown session.
    const sessionId = (given === 'lost' ? null : await this.shownIn(state)) ?? (await this.pick(title, state));
    return sessionId === null ? null : { sessionIds: [sessionId], messageUid: null };
  }

  /** Session that the chat shows, if it is in this state. */
  private async shownIn(state: SessionState): Promise<string | null> {
    const { gateway, history, activeChat } = this.window;
    const shown = gateway.surfaces.shownSession(activeChat.surfaceId);
    if (shown === null || state === 'active') return shown;
    const session = await history.store.getSession(shown);
    return state === 'archived' && session?.archived === true ? shown : null;
  }

  private async read(sessionIds: readonly string[]): Promise<readonly Session[]> {
    const { store } = this.window.history;
    const sessions = await Promise.all(sessionIds.map((sessionId) => store.getSession(sessionId)));
    if (sessions.some((session) => session === null))
      void vscode.window.showWarningMessage(t('This session no longer exists.'));
    return sessions.filter((session) => session !== null);
  }
}

/** Argument by which menus and views name a session: a row of the sessions view, a message of a page, or the id. */
const named = v.union([
  v.object({ sessionId: v.string(), messageUid: v.optional(v.string()) }),
  v.pipe(
    v.string(),
    v.transform((sessionId) => ({ sessionId, messageUid: undefined })),
  ),
]);
/** Argument of key bindings in the sessions view: they apply to its selection. */
const selection = v.object({ from: v.literal('selection') });

export interface NamedTarget {
  readonly sessionIds: readonly string[];
  readonly messageUid: string | null;
}

/** Sessions that a command was called on: every selected row, or the clicked row or message, or the selection. Null:
 *  none was passed, so the shown session is meant. 'lost': it was called on a row that the editor cannot name.
 *  `args`: the arguments from the editor. For a row, it passes two, which it takes from what it rendered. During a
 *  refresh, it knows no row and passes undefined or null instead. */
export function namedTarget(
  args: readonly unknown[],
  selected: () => readonly { readonly sessionId: string }[],
): NamedTarget | 'lost' | null {
  const [first, rows] = args;
  if (args.length > 1 && (isNothing(first) || (Array.isArray(rows) && rows.some(isNothing)))) return 'lost';
  const several = v.safeParse(v.pipe(v.array(v.unknown()), v.minLength(1)), rows);
  if (several.success) {
    const sessionIds = several.output.flatMap((row) => idOf(row));
    if (sessionIds.length > 0) return { sessionIds, messageUid: null };
  }
  if (v.is(selection, first)) return { sessionIds: selected().map(({ sessionId }) => sessionId), messageUid: null };
  const one = v.safeParse(named, first);
  return one.success ? { sessionIds: [one.output.sessionId], messageUid: one.output.messageUid ?? null } : null;
}

function isNothing(row: unknown): boolean {
  return row === undefined || row === null;
}

function idOf(row: unknown): readonly string[] {
  const parsed = v.safeParse(named, row);
  return parsed.success ? [parsed.output.sessionId] : [];
}
