import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { SessionStore } from '../../../store/session/sessionStore';
import { withoutNames, type CodeActions } from '../../webviews/codeHandlers';
import { verificationOfCopy } from '../verify/verifyService';
import type { TranscriptSurfaceDeps } from './transcriptSurface';

export interface CopiedTranscriptDeps {
  readonly editor: Pick<TranscriptSurfaceDeps['editor'], 'copy' | 'openLink'>;
  readonly code: CodeActions;
  readonly clock: Clock;
  readonly localization: Readonly<Record<string, string>>;
  readonly log: Log;
}

const nothing: vscode.Disposable = { dispose: () => undefined };

/** Parts of a transcript tab that reads sessions from a private copy: nothing runs in it, nothing changes, and no
 *  action for sessions of this window works. `place`: the folder or file of the sessions, for sentences. */
export function partsForCopy(
  sessions: Omit<SessionStore, 'close'>,
  place: string,
  { editor, code, clock, localization, log }: CopiedTranscriptDeps,
): Omit<TranscriptSurfaceDeps, 'onSession'> {
  const notHere = async (): Promise<void> => {
    throw new GatewayError(
      'invalid',
      t('This session belongs to {folder}. Copy it to this folder first.', { folder: place }),
    );
  };
  return {
    sessions,
    clock,
    localization,
    log,
    labelContext: { t, language: vscode.env.language },
    gateway: { surfaces: { attach: () => nothing }, turns: { onDidChangeRunning: () => nothing, running: () => [] } },
    store: { settled: () => Promise.resolve(), onDidChange: () => nothing, hasJustOpened: false },
    editor: {
      ...editor,
      showLog: () => void vscode.commands.executeCommand('hermes.showLog'),
      openInChat: notHere,
      branchFrom: notHere,
      rewindTo: notHere,
      exportSession: notHere,
    },
    code: withoutNames(code),
    verification: verificationOfCopy(sessions, clock, null),
    isElsewhere: () => false,
  };
}
