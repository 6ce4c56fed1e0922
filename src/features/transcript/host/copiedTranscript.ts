import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { CopiedSessions, ShownCopy } from '../../../host/library/transcripts';
import { withoutNames, type CodeActions } from '../../../host/webviews/codeHandlers';
import { webviewPort } from '../../../host/webviews/webviewPort';
import type { WindowContext } from '../../../host/window/windowContext';
import { TranscriptSurface } from './transcriptSurface';
import { verificationOfCopy } from './verifyService';

export type CopyServices = Pick<WindowContext, 'clock' | 'localization' | 'log'> & {
  readonly code: CodeActions;
  readonly programs: Pick<WindowContext['programs'], 'load'>;
  readonly editor: Pick<WindowContext['editor'], 'copy' | 'openLink'>;
};

const nothing: vscode.Disposable = { dispose: () => undefined };

/** Shows sessions of a private copy in a panel (`Transcripts.showCopy`). */
export function showCopy(
  panel: vscode.WebviewPanel,
  { sessions, shown, place, file, folder, onSession }: CopiedSessions,
  { programs, editor, code, clock, localization, log }: CopyServices,
): ShownCopy {
  const notHere = async (): Promise<void> => {
    throw new GatewayError(
      'invalid',
      t('This session belongs to {folder}. Copy it to this folder first.', { folder: place }),
    );
  };
  const note = t('This session is a copy from another folder. Only that folder’s window knows what it showed.');
  const surface = new TranscriptSurface('copy', shown, null, webviewPort(panel.webview), {
    sessions,
    clock,
    localization,
    log,
    labelContext: { t, language: vscode.env.language },
    gateway: { surfaces: { attach: () => nothing }, turns: { onDidChangeRunning: () => nothing, running: () => [] } },
    store: { settled: () => Promise.resolve(), onDidChange: () => nothing, hasJustOpened: false },
    editor: {
      copy: (text) => editor.copy(text),
      openLink: (href) => editor.openLink(href),
      showLog: () => void vscode.commands.executeCommand('hermes.showLog'),
      openInChat: folder?.openHere ?? notHere,
      branchFrom: notHere,
      rewindTo: notHere,
      exportSession: folder?.export ?? notHere,
    },
    code: withoutNames(code),
    verification: verificationOfCopy(sessions, clock, folder === undefined ? null : note),
    isElsewhere: () => false,
    ...(file === undefined ? {} : { file }),
    ...(folder === undefined ? {} : { otherFolder: folder.path, readAt: clock.now() }),
    onSession,
  });
  panel.onDidChangeViewState(() => {
    if (!panel.visible) surface.pageUnloaded();
  });
  programs.load('transcript', panel.webview);
  return surface;
}
