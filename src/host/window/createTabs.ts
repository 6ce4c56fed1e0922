import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { registerEntryPoints } from '../attachments/entryPoints';
import type { AskedAbout } from '../attachments/promptText';
import { SessionOpener } from '../library/sessionOpener';
import { TranscriptTabs, transcriptViewType } from '../library/transcript/transcriptTabs';
import type { WindowChats } from './createChats';
import type { WindowConversations } from './createConversations';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';

/** The other tabs of a window, and how sessions are opened in it. */
export interface WindowTabs {
  readonly opener: SessionOpener;
  readonly transcripts: TranscriptTabs;
}

export function createTabs(parts: WindowBasics & WindowTools & WindowConversations & WindowChats): WindowTabs {
  const { own, history, gateway, files, programs, localization, activeChat, chat, chatTabs, editor, clock, log } =
    parts;
  const common = { gateway, sessions: history.store, store: history.status, localization, log };
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
  const transcripts = own(
    new TranscriptTabs(programs, {
      ...common,
      clock,
      verification: parts.verify.verification,
      code: parts.code,
      editor: {
        openInChat: (sessionId, messageUid) => opener.open(sessionId, messageUid, 'chat'),
        branchFrom: async (sessionId, messageUid) =>
          void (await vscode.commands.executeCommand('hermes.branchFromHere', { sessionId, messageUid })),
        rewindTo: async (sessionId, messageUid) =>
          void (await vscode.commands.executeCommand('hermes.rewindToHere', { sessionId, messageUid })),
        exportSession: (sessionId) => editor.exportSession(sessionId),
        copy: (text) => editor.copy(text),
        openLink: (href) => editor.openLink(href),
      },
    }),
  );
  own(vscode.window.registerWebviewPanelSerializer(transcriptViewType, transcripts));
  return { opener, transcripts };
}
