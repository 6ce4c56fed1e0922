import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { showCopy } from './host/copiedTranscript';
import { TranscriptTabs, transcriptViewType } from './host/transcriptTabs';
import { VerifyService } from './host/verifyService';

/** Tabs that show what is stored of a session, and compare it with what was shown. */
export function register(window: WindowContext): void {
  const { own, programs, gateway, history, localization, opener, editor, code, sessions, sync, clock, log } = window;
  const { store, status } = history;
  const verification = new VerifyService({
    store,
    clock,
    log,
    reports: window.reports,
    t,
    copy: (text) => editor.copy(text),
    notify: (sentence) => void vscode.window.showInformationMessage(sentence),
    server: (conversationId) => sync.account(conversationId),
    isAnswering: () => gateway.turns.running().some(({ isWaiting }) => !isWaiting),
    storeSentence: () => ('sentence' in status.shown ? status.shown.sentence : null),
  });
  const inChat = async (command: string, sessionId: string, messageUid: string): Promise<void> =>
    void (await vscode.commands.executeCommand(`hermes.${command}`, { sessionId, messageUid }));
  const tabs = own(
    new TranscriptTabs(programs, {
      gateway,
      sessions: store,
      store: status,
      localization,
      clock,
      log,
      verification,
      code,
      editor: {
        openInChat: (sessionId, messageUid) => opener.open(sessionId, messageUid, 'chat'),
        branchFrom: (sessionId, messageUid) => inChat('branchFromHere', sessionId, messageUid),
        rewindTo: (sessionId, messageUid) => inChat('rewindToHere', sessionId, messageUid),
        exportSession: (sessionId) => editor.exportSession(sessionId),
        copy: (text) => editor.copy(text),
        openLink: (href) => editor.openLink(href),
      },
    }),
  );
  own(vscode.window.registerWebviewPanelSerializer(transcriptViewType, tabs));
  own(
    window.transcripts.fill({
      open: (sessionId, messageUid) => tabs.open(sessionId, messageUid),
      showCopy: (panel, copied) => showCopy(panel, copied, window),
    }),
  );
  own(
    registerCommands(
      {
        verifySession: async (...args) => {
          const target = await sessions.chosen.one(args, t('Verify Session'));
          if (target !== null) tabs.verify(target.session.id);
        },
      },
      log,
    ),
  );
}
