import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerEntryPoints } from '../attachments/entryPoints';
import type { AskedAbout } from '../attachments/promptText';
import { reportFailure } from '../common/commands';
import { SessionOpener } from '../library/sessionOpener';
import { SessionsFeature } from '../library/sessionsFeature';
import { ContainerNotice, thisMachineFacts } from '../storage/containerNotice';
import { chatSurfaceId } from './activeChat';
import type { WindowChats } from './createChats';
import type { WindowConversations } from './createConversations';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';

/** Sessions of this window and of other folders: their lists, and how they are opened. */
export interface WindowSessions {
  readonly opener: SessionOpener;
  readonly sessions: SessionsFeature;
  readonly containerNotice: ContainerNotice;
}

export function createSessions(parts: WindowBasics & WindowTools & WindowConversations & WindowChats): WindowSessions {
  const { own, context, settings, history, gateway, activeChat, chat, editor, clock, log } = parts;
  const opener = createOpener(parts);
  const common = { gateway, sessions: history.store, store: history.status, clock, log, t };
  const sessions = own(
    new SessionsFeature({
      ...common,
      importFiles: (files) =>
        void parts.importer.current?.(files).catch((error: unknown) => reportFailure('importSessions', error, log)),
      files: parts.changedFiles,
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
    openTranscript: (sessionId, messageUid) => parts.transcripts.current?.open(sessionId, messageUid),
  });
  const containerNotice = new ContainerNotice({
    storeStatus: history.status,
    folder: () => history.folder,
    facts: thisMachineFacts(vscode.env.remoteName),
    isEmptyState: () => gateway.surfaces.shownSession(chatSurfaceId) === null,
    memory: context.globalState,
    sync: parts.sync,
    chooseFolder: () => editor.openSettings('hermes.storage.path'),
  });
  own(parts.sync.onDidChange(() => containerNotice.update()));
  return { opener, sessions, containerNotice };
}

function createOpener(parts: WindowBasics & WindowTools & WindowConversations & WindowChats): SessionOpener {
  const { own, history, gateway, files, activeChat, chat, chatTabs, editor, log } = parts;
  const opener = new SessionOpener({
    gateway,
    sessions: history.store,
    chat: () => activeChat.surface,
    showChat: async (focusComposer) =>
      focusComposer ? activeChat.focus() : activeChat.tab === null ? chat.show() : undefined,
    openTab: (sessionId) => chatTabs.open(sessionId),
    openTranscript: (sessionId, messageUid) => void editor.openTranscript(sessionId, messageUid),
    storeSettled: () => history.status.settled(),
  });
  const insertPrompt = async ({ text, parts: attached }: AskedAbout): Promise<void> => {
    const target = activeChat.surface;
    await activeChat.focus();
    target.insertPrompt(text, attached);
  };
  own(registerEntryPoints({ files, insert: insertPrompt, uid: randomUUID }, log));
  return opener;
}
