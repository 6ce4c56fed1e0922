import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { HandoffTokens } from '../../transcript/handoff';

/** Compresses a session. First shows the expected savings; the user can stop it while it runs. */
export async function compressSession(
  gateway: GatewayPart<'compression', 'compress' | 'preview'> & GatewayPart<'turns', 'stop'>,
  sessionId: string,
  whileAsking: <T>(asks: () => PromiseLike<T>) => Promise<T>,
): Promise<void> {
  const preview = await gateway.compression.preview(sessionId);
  if (preview === null) return inform(t('There is nothing to compress yet. Nothing was changed.'));
  const focus = await whileAsking(() =>
    vscode.window.showInputBox({
      title: t('Compress Session'),
      prompt: t(
        'The model summarizes earlier messages: about {before} → {after} tokens. Nothing is deleted.',
        savedText(preview),
      ),
      placeHolder: t('What should the summary focus on? (optional)'),
      ignoreFocusOut: true,
    }),
  );
  if (focus === undefined) return;
  const title = t('Summarizing earlier messages in this session…');
  const outcome = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (_progress, cancelled) => {
      cancelled.onCancellationRequested(() => void gateway.turns.stop(sessionId));
      return gateway.compression.compress(sessionId, focus.trim() === '' ? null : focus).catch((error: unknown) => {
        if (error instanceof GatewayError && error.causeClass === 'notCompressed') return error.message;
        throw error;
      });
    },
  );
  if (typeof outcome === 'string') return inform(outcome);
  const saved = savedText(outcome.tokens);
  if (outcome.madeBy === 'summary')
    inform(t('Earlier messages were summarized: about {before} → {after} tokens.', saved));
  else
    inform(
      t(
        'The model returned no summary, so earlier messages were shortened instead: about {before} → {after} tokens.',
        saved,
      ),
    );
}

function savedText({ before, after }: HandoffTokens): { readonly before: string; readonly after: string } {
  const count = new Intl.NumberFormat(vscode.env.language, { notation: 'compact', maximumFractionDigits: 1 });
  return { before: count.format(before), after: count.format(after) };
}

function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
