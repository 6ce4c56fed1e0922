import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import { type SwitchOutcome, type SwitchTarget } from '../../gateway/gateway';
import type { SessionQuery } from '../../store/requests';
import type { Session } from '../../transcript/session';
import type { CommandTable } from '../common/commands';
import type { LibraryWindow } from './libraryWindow';
import { compressSession, inform, renameSession, rewindQuestion, pickRevertScope } from './sessionQuestions';
import { pickMessage } from './messagePicker';
import { deleteSessions, forgetSessions } from './removal';
import type { SessionPick } from './sessionPicker';
import type { SessionsFeature } from './sessionsFeature';

/** Number of newest rows that are searched for the last turn. */
const newestRows = 20;

/** Second argument of `openSession` when the user clicked a row of the sessions view. */
export const fromRow = 'row';

/** What the commands need of the sessions view and its pickers. */
type SessionChoice = Pick<SessionsFeature, 'chosen' | 'pick' | 'rowOpened' | 'whileAsking'>;

/** Commands that switch the shown session, and commands for one or more stored sessions. From rows, they apply to
 *  those; from the palette, to the shown session. If no session is shown, they ask for one. */
export function sessionCommands(window: LibraryWindow, choice: SessionChoice): CommandTable {
  return { ...switchCommands(window, choice), ...upkeepCommands(window, choice) };
}

function switchCommands(window: LibraryWindow, choice: SessionChoice): CommandTable {
  const { gateway, activeChat, changedFiles, clock } = window;
  const { chosen } = choice;
  /** Asks for the message where the command was not called on one. */
  const fromMessage = (
    title: string,
    purpose: 'branch' | 'rewind',
    act: (sessionId: string, messageUid: string) => Promise<unknown>,
  ) =>
    chosen.command(title, async ({ session: { id }, messageUid }) => {
      const uid = messageUid ?? (await choice.whileAsking(() => pickMessage(gateway, id, purpose, clock.now())));
      if (uid !== null) await act(id, uid);
    });
  return {
    newSession: async () => void (await switchTo(window, { reason: 'new_session' })),
    newPrivateSession: async () => void (await switchTo(window, { reason: 'new_session', private: true })),
    resetSession: async () => void (await switchTo(window, { reason: 'reset' })),
    resumeSession: async () => {
      const pick = await choice.pick(t('Resume Session'), { searches: true });
      if (pick !== null) await open(window, pick);
    },
    openSession: async (...args) => {
      const row = args[1] === fromRow ? chosen.named(args) : null;
      if (row !== null && row !== 'lost') choice.rowOpened(row.sessionId);
      const target = await chosen.one(args, t('Open in Chat'));
      if (target === null) return;
      // The first click on a row shows the session and keeps the focus in the list; the second moves it to the
      // composer.
      const stays = args[1] === fromRow && gateway.surfaces.shownSession(activeChat.surfaceId) !== target.session.id;
      await open(window, { sessionId: target.session.id, messageUid: target.messageUid }, stays);
    },
    branchSession: chosen.command(t('Branch Session'), ({ session }) =>
      switchTo(window, { reason: 'branch', sessionId: session.id, from: null }),
    ),
    branchFromHere: fromMessage(t('Branch from Message'), 'branch', (sessionId, from) =>
      switchTo(window, { reason: 'branch', sessionId, from }),
    ),
    rewindToHere: fromMessage(t('Rewind to Message'), 'rewind', (sessionId, to) => rewind(window, sessionId, to)),
    retry: chosen.command(t('Retry'), async ({ session }) => {
      const turnUid = await lastTurn(gateway, session);
      if (turnUid === null) return inform(t('This session has no prompt to retry.'));
      if (gateway.surfaces.shownSession(activeChat.surfaceId) !== session.id)
        await switchTo(window, { reason: 'resume', sessionId: session.id });
      const files = (await changedFiles.from(turnUid)).length;
      const goesBack =
        files === 0
          ? 'conversation'
          : await pickRevertScope(t('Retry this prompt?'), t('Your own changes to these files are kept.'), files);
      if (goesBack === null) return;
      let filesNotice: string | null = null;
      const receipt = await gateway.versions.retry(activeChat.surfaceId, turnUid, async () => {
        if (goesBack === 'files') filesNotice = await changedFiles.takeBack(turnUid);
      });
      if (receipt.kind === 'started' && receipt.notice !== undefined) inform(receipt.notice);
      if (filesNotice !== null) inform(filesNotice);
      await activeChat.focus();
    }),
  };
}

function upkeepCommands(window: LibraryWindow, { chosen, whileAsking }: SessionChoice): CommandTable {
  const { gateway, activeChat, transcripts } = window;
  const each =
    (title: string, act: (session: Session) => Promise<void>, state: SessionQuery['state'] = 'active') =>
    async (...args: readonly unknown[]): Promise<void> => {
      for (const session of await chosen.all(args, title, state)) await act(session);
    };
  const rename = chosen.command(t('Rename Session'), ({ session }) =>
    whileAsking(() => renameSession(session, gateway)),
  );
  const remove = async (...args: readonly unknown[]): Promise<void> =>
    deleteSessions(await chosen.all(args, t('Delete Session')), window);
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
      if (named.length > 0) await forgetSessions(named, window);
    },
    compressSession: chosen.command(t('Compress Session'), ({ session }) =>
      compressSession(gateway, session.id, whileAsking),
    ),
    stop: async (...args) => {
      const named = chosen.named(args);
      if (named === 'lost') return inform(t('Nothing was stopped. Press Stop again.'));
      const sessionId = named?.sessionId ?? gateway.surfaces.shownSession(activeChat.surfaceId);
      if (sessionId === null || !gateway.turns.running().some((turn) => turn.sessionId === sessionId))
        inform(t('Nothing is running in this session.'));
      else await gateway.turns.stop(sessionId);
    },
    openTranscript: chosen.command(t('Open Transcript'), ({ session, messageUid }) =>
      transcripts.current?.open(session.id, messageUid),
    ),
  };
}

async function open(window: LibraryWindow, { sessionId, messageUid }: SessionPick, keepsFocus = false): Promise<void> {
  await switchTo(window, { reason: 'resume', sessionId }, keepsFocus);
  if (messageUid !== null) await window.opener.revealMessage(sessionId, messageUid);
}

/** Switches the session that the chat shows, and focuses the chat. Shows the notice if the result differs from the
 *  request. */
async function switchTo(
  { gateway, history, activeChat, chat }: LibraryWindow,
  target: SwitchTarget,
  keepsFocus = false,
): Promise<SwitchOutcome> {
  await history.status.settled();
  const outcome = await gateway.switching.switchSession(activeChat.surfaceId, target);
  if (outcome.notice !== null) inform(outcome.notice);
  if (!keepsFocus) await activeChat.focus();
  else if (activeChat.tab === null) await chat.reveal();
  return outcome;
}

async function rewind(window: LibraryWindow, sessionId: string, to: string): Promise<void> {
  const { gateway, history, changedFiles } = window;
  const turnUid = (await history.store.getMessage(to))?.turnUid ?? null;
  const files = turnUid === null ? 0 : (await changedFiles.from(turnUid)).length;
  const goesBack = await rewindQuestion(gateway, sessionId, to, files);
  if (goesBack === null) return;
  const { rewoundTurn } = await switchTo(window, { reason: 'rewind', sessionId, to });
  const filesNotice =
    goesBack === 'files' && rewoundTurn !== undefined ? await changedFiles.takeBack(rewoundTurn) : null;
  if (filesNotice !== null) inform(filesNotice);
}

async function lastTurn(gateway: GatewayPart<'store', 'readTranscript'>, session: Session): Promise<string | null> {
  const { messages } = await gateway.store.readTranscript({ sessionId: session.id, limit: newestRows });
  return messages.findLast((message) => message.turnUid !== null)?.turnUid ?? null;
}
