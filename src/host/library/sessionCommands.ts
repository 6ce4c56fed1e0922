import * as vscode from 'vscode';
import type { Gateway, GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import { type SwitchOutcome, type SwitchTarget } from '../../gateway/gateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { SessionQuery } from '../../store/requests';
import type { Session } from '../../transcript/session';
import type { CommandTable } from '../common/commands';
import type { ChosenSessions } from './chosenSessions';
import { compressSession, renameSession, rewindQuestion, pickRevertScope } from './sessionQuestions';
import { pickMessage } from './messagePicker';
import { deleteSessions, forgetSessions, type RemovalDeps } from './removal';
import type { ChatFiles } from '../webviews/chatFiles';
import type { SessionPick } from './sessionPicker';

/** Number of newest rows that are searched for the last turn. */
const newestRows = 20;

/** Second argument of `openSession` when the user clicked a row of the sessions view. */
export const fromRow = 'row';

interface SessionCommandDeps {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getSession' | 'branchesOf' | 'getMessage'>;
  readonly files: Pick<ChatFiles, 'from' | 'takeBack'>;
  readonly chosen: ChosenSessions;
  /** Surface for commands that do not belong to a surface. */
  readonly surfaceId: () => string;
  readonly focusChat: () => Promise<void>;
  /** Called when the user opened a row of the sessions view. */
  readonly rowOpened: (sessionId: string) => void;
  /** Shows the chat without taking the keyboard focus. */
  readonly showChat: () => Promise<void>;
  /** Lets the user choose a session by title or by text. */
  readonly pick: (title: string, options: { readonly searches: boolean }) => Promise<SessionPick | null>;
  /** Asks in a QuickPick or InputBox, and defers refreshes of the sessions view until it closes. */
  readonly whileAsking: <T>(asks: () => PromiseLike<T>) => Promise<T>;
  readonly openTranscript: (sessionId: string, messageUid: string | null) => Promise<void>;
  /** Shows a message of the session that the surface shows. */
  readonly revealMessage: (sessionId: string, messageUid: string) => Promise<void>;
  readonly storeSettled: () => Promise<void>;
  readonly removal: RemovalDeps;
  readonly now: () => number;
}

/** Commands that switch the shown session, and commands for one or more stored sessions. From rows, they apply to
 *  those; from the palette, to the shown session. If no session is shown, they ask for one. */
export function sessionCommands(deps: SessionCommandDeps): CommandTable {
  return { ...switchCommands(deps), ...upkeepCommands(deps) };
}

function switchCommands(deps: SessionCommandDeps): CommandTable {
  const { gateway, chosen, surfaceId, now } = deps;
  return {
    newSession: async () => void (await switchTo(deps, { reason: 'new_session' })),
    newPrivateSession: async () => void (await switchTo(deps, { reason: 'new_session', private: true })),
    resetSession: async () => void (await switchTo(deps, { reason: 'reset' })),
    resumeSession: async () => {
      const pick = await deps.pick(t('Resume Session'), { searches: true });
      if (pick !== null) await open(deps, pick);
    },
    openSession: async (...args) => {
      const row = args[1] === fromRow ? chosen.named(args) : null;
      if (row !== null && row !== 'lost') deps.rowOpened(row.sessionId);
      const target = await chosen.one(args, t('Open in Chat'));
      if (target === null) return;
      // The first click on a row shows the session and keeps the focus in the list; the second moves it to the
      // composer.
      const stays = args[1] === fromRow && gateway.surfaces.shownSession(surfaceId()) !== target.session.id;
      await open(deps, { sessionId: target.session.id, messageUid: target.messageUid }, stays);
    },
    branchSession: async (...args) => {
      const target = await chosen.one(args, t('Branch Session'));
      if (target !== null) await switchTo(deps, { reason: 'branch', sessionId: target.session.id, from: null });
    },
    branchFromHere: async (...args) => {
      const target = await chosen.one(args, t('Branch from Message'));
      if (target === null) return;
      const from =
        target.messageUid ?? (await deps.whileAsking(() => pickMessage(gateway, target.session.id, 'branch', now())));
      if (from !== null) await switchTo(deps, { reason: 'branch', sessionId: target.session.id, from });
    },
    rewindToHere: async (...args) => {
      const target = await chosen.one(args, t('Rewind to Message'));
      if (target === null) return;
      const to =
        target.messageUid ?? (await deps.whileAsking(() => pickMessage(gateway, target.session.id, 'rewind', now())));
      if (to !== null) await rewind(deps, target.session.id, to);
    },
    retry: async (...args) => {
      const target = await chosen.one(args, t('Retry'));
      if (target === null) return;
      const turnUid = await lastTurn(gateway, target.session);
      if (turnUid === null) return inform(t('This session has no prompt to retry.'));
      if (gateway.surfaces.shownSession(surfaceId()) !== target.session.id)
        await switchTo(deps, { reason: 'resume', sessionId: target.session.id });
      const files = (await deps.files.from(turnUid)).length;
      const goesBack =
        files === 0
          ? 'conversation'
          : await pickRevertScope(t('Retry this prompt?'), t('Your own changes to these files are kept.'), files);
      if (goesBack === null) return;
      let filesNotice: string | null = null;
      const receipt = await gateway.versions.retry(surfaceId(), turnUid, async () => {
        if (goesBack === 'files') filesNotice = await deps.files.takeBack(turnUid);
      });
      if (receipt.kind === 'started' && receipt.notice !== undefined) inform(receipt.notice);
      if (filesNotice !== null) inform(filesNotice);
      await deps.focusChat();
    },
  };
}

function upkeepCommands(deps: SessionCommandDeps): CommandTable {
  const { gateway, chosen, surfaceId, removal } = deps;
  const each =
    (title: string, act: (session: Session) => Promise<void>, state: SessionQuery['state'] = 'active') =>
    async (...args: readonly unknown[]): Promise<void> => {
      for (const session of await chosen.all(args, title, state)) await act(session);
    };
  const rename = async (...args: readonly unknown[]): Promise<void> => {
    const target = await chosen.one(args, t('Rename Session'));
    if (target !== null) await deps.whileAsking(() => renameSession(target.session, gateway));
  };
  const remove = async (...args: readonly unknown[]): Promise<void> =>
    deleteSessions(await chosen.all(args, t('Delete Session')), removal);
  return {
    renameSession: rename,
    // The sessions view binds its keys to commands of its own: the editor would show them in the chat’s menu too, where
    // they do nothing.
    renameSelectedSession: rename,
    pinSession: each(t('Pin Session'), (session) => gateway.actions.setPinned(session.id, true)),
    unpinSession: each(t('Unpin Session'), (session) => gateway.actions.setPinned(session.id, false)),
    archiveSession: each(t('Archive Session'), (session) => gateway.actions.setArchived(session.id, true)),
    unarchiveSession: each(
      t('Unarchive Session'),
      (session) => gateway.actions.setArchived(session.id, false),
      'archived',
    ),
    deleteSession: remove,
    deleteSelectedSessions: remove,
    restoreSession: each(t('Restore Session'), (session) => gateway.actions.restore(session.id), 'trash'),
    forgetSession: async (...args) => {
      const named = await chosen.all(args, t('Forget Session'));
      if (named.length > 0) await forgetSessions(named, removal);
    },
    compressSession: async (...args) => {
      const target = await chosen.one(args, t('Compress Session'));
      if (target !== null) await compressSession(gateway, target.session.id, deps.whileAsking);
    },
    stop: async (...args) => {
      const named = chosen.named(args);
      if (named === 'lost') return inform(t('Nothing was stopped. Press Stop again.'));
      const sessionId = named?.sessionId ?? gateway.surfaces.shownSession(surfaceId());
      if (sessionId === null || !gateway.turns.running().some((turn) => turn.sessionId === sessionId))
        inform(t('Nothing is running in this session.'));
      else await gateway.turns.stop(sessionId);
    },
    openTranscript: async (...args) => {
      const target = await chosen.one(args, t('Open Transcript'));
      if (target !== null) await deps.openTranscript(target.session.id, target.messageUid);
    },
  };
}

async function open(
  deps: SessionCommandDeps,
  { sessionId, messageUid }: SessionPick,
  keepsFocus = false,
): Promise<void> {
  await switchTo(deps, { reason: 'resume', sessionId }, keepsFocus);
  if (messageUid !== null) await deps.revealMessage(sessionId, messageUid);
}

/** Switches the session that the chat shows, and focuses the chat. Shows the notice if the result differs from the
 *  request. */
async function switchTo(deps: SessionCommandDeps, target: SwitchTarget, keepsFocus = false): Promise<SwitchOutcome> {
  await deps.storeSettled();
  const outcome = await deps.gateway.switching.switchSession(deps.surfaceId(), target);
  if (outcome.notice !== null) inform(outcome.notice);
  await (keepsFocus ? deps.showChat() : deps.focusChat());
  return outcome;
}

async function rewind(deps: SessionCommandDeps, sessionId: string, to: string): Promise<void> {
  const turnUid = (await deps.sessions.getMessage(to))?.turnUid ?? null;
  const files = turnUid === null ? 0 : (await deps.files.from(turnUid)).length;
  const goesBack = await rewindQuestion(deps.gateway, sessionId, to, files);
  if (goesBack === null) return;
  const { rewoundTurn } = await switchTo(deps, { reason: 'rewind', sessionId, to });
  const filesNotice = goesBack === 'files' && rewoundTurn !== undefined ? await deps.files.takeBack(rewoundTurn) : null;
  if (filesNotice !== null) inform(filesNotice);
}

async function lastTurn(gateway: GatewayPart<'store', 'readTranscript'>, session: Session): Promise<string | null> {
  const { messages } = await gateway.store.readTranscript({ sessionId: session.id, limit: newestRows });
  return messages.findLast((message) => message.turnUid !== null)?.turnUid ?? null;
}

function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
