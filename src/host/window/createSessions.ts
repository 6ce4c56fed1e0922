import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { reportFailure } from '../common/commands';
import { OtherFoldersFeature } from '../library/otherFoldersFeature';
import { SessionsFeature } from '../library/sessionsFeature';
import { ContainerNotice, thisMachineFacts } from '../storage/containerNotice';
import { chatSurfaceId } from './activeChat';
import type { WindowChats } from './createChats';
import type { WindowConversations } from './createConversations';
import type { WindowTabs } from './createTabs';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';

/** Lists of sessions: those of this window and those of other folders. */
export interface WindowSessions {
  readonly others: OtherFoldersFeature;
  readonly sessions: SessionsFeature;
  readonly containerNotice: ContainerNotice;
}

export function createSessions(
  parts: WindowBasics & WindowTools & WindowConversations & WindowChats & WindowTabs,
): WindowSessions {
  const { own, context, settings, history, gateway, activeChat, chat, editor, opener, clock, log } = parts;
  const common = { gateway, sessions: history.store, store: history.status, clock, log, t };
  const others = own(
    new OtherFoldersFeature({
      ...common,
      context,
      exporter: parts.exporter,
      programs: parts.programs,
      distFolder: parts.distFolder,
      localization: parts.localization,
      editor,
      code: parts.code,
      storagePath: () => settings.current.storagePath,
      connection: history.connection,
      ownFolder: () => history.folder,
      startWorker: history.startWorker,
      openInChat: (sessionId) => opener.open(sessionId, null, 'chat'),
    }),
  );
  const sessions = own(
    new SessionsFeature({
      ...common,
      importFiles: (files) =>
        void parts.importer.current?.(files).catch((error: unknown) => reportFailure('importSessions', error, log)),
      files: parts.changedFiles,
      others: others.rows,
      showOthers: () => void others.show().catch((error: unknown) => reportFailure('otherFolders', error, log)),
      surfaceId: () => activeChat.surfaceId,
      focusChat: () => activeChat.focus(),
      showChat: async () => (activeChat.tab === null ? chat.reveal() : undefined),
      openTranscript: (sessionId, messageUid) => editor.openTranscript(sessionId, messageUid),
      revealMessage: (sessionId, messageUid) => opener.revealMessage(sessionId, messageUid),
      trashDays: () => settings.current.trashDays,
      outsideMemory: () =>
        ['none', 'builtin'].includes(settings.current.memoryProvider) ? null : settings.current.memoryProvider,
      forgetCopies: async (sessionIds) => (await Promise.all(parts.forgetCopies.run(sessionIds))).flat(),
    }),
  );
  editor.connect({
    pickSession: (surfaceId) => sessions.resume(surfaceId),
    openTranscript: (sessionId, messageUid) => parts.transcripts.open(sessionId, messageUid),
  });
  const containerNotice = new ContainerNotice({
    storeStatus: history.status,
    t,
    folder: () => history.folder,
    facts: thisMachineFacts(vscode.env.remoteName),
    isEmptyState: () => gateway.surfaces.shownSession(chatSurfaceId) === null,
    memory: context.globalState,
    sync: parts.sync,
    chooseFolder: () => editor.openSettings('hermes.storage.path'),
  });
  own(parts.sync.onDidChange(() => containerNotice.update()));
  return { others, sessions, containerNotice };
}
