import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { TranscriptTabs, transcriptViewType } from './host/transcriptTabs';

/** Tabs that show what is stored of a session, and compare it with what was shown. */
export function register(window: WindowContext): void {
  const { own, sessions, log } = window;
  const tabs = own(new TranscriptTabs(window));
  own(vscode.window.registerWebviewPanelSerializer(transcriptViewType, tabs));
  own(window.transcripts.fill(tabs));
  own(
    registerCommands(
      {
        verifySession: sessions.chosen.command(t('Verify Session'), ({ session }) => tabs.verify(session.id)),
      },
      log,
    ),
  );
}
