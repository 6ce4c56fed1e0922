import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { TranscriptPage } from '../../store/requests';
import { turnLabels } from './sessionLabels';
import { StoreError } from '../../store/storeError';
import type { Session } from '../../transcript/session';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { HandoffTokens } from '../../transcript/handoff';

const pageSize = 200;

type RevertScope = 'conversation' | 'files';

/** Asks the user what to revert when the removed turns have changed files. Null: the user canceled. */
export async function pickRevertScope(question: string, detail: string, files: number): Promise<RevertScope | null> {
  const conversation = t('Conversation Only');
  const both =
    files === 1 ? t('Conversation and 1 File') : t('Conversation and {count} Files', { count: String(files) });
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, both, conversation);
  return answer === both ? 'files' : answer === conversation ? 'conversation' : null;
}

/** Asks the user to confirm taking back the prompt `to` and everything after it. If that changed `files`, also asks
 *  about reverting them. Null: no. */
export async function rewindQuestion(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  to: string,
  files: number,
): Promise<RevertScope | null> {
  const turns = await turnsFrom(gateway, sessionId, to);
  const rewind = t('Rewind');
  const question = t('Rewind {turns}?', { turns: turnLabels(turns) });
  const detail = t(
    'This prompt returns to the input box. It and everything after it are hidden from the chat and the model. Nothing is deleted.',
  );
  if (files > 0) return pickRevertScope(question, `${detail} ${t('Your own changes to these files are kept.')}`, files);
  const answer = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: `${detail} ${t('Files don’t change.')}` },
    rewind,
  );
  return answer === rewind ? 'conversation' : null;
}

/** Number of turns from the prompt `to` on. */
async function turnsFrom(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  to: string,
): Promise<number> {
  const turns = new Set<string>();
  for (let before: number | undefined; ;) {
    const page = await gateway.store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    });
    for (const turnUid of turnsAfter(page, to)) turns.add(turnUid);
    before = page.messages[0]?.position;
    if (before === undefined || !page.hasEarlier || page.messages.some(({ uid }) => uid === to)) return turns.size;
  }
}

/** Turns of a page's rows from the prompt `to` on; all of them if the prompt is on an earlier page. */
export function turnsAfter({ messages }: Pick<TranscriptPage, 'messages'>, to: string): readonly string[] {
  const from = Math.max(
    0,
    messages.findIndex(({ uid }) => uid === to),
  );
  return [...new Set(messages.slice(from).flatMap(({ turnUid }) => turnUid ?? []))];
}

/** Asks for a title until one is accepted or the user cancels. A refused title stays in the box, with the reason
 *  below it. */
export function renameSession(session: Session, gateway: GatewayPart<'actions', 'rename'>): Promise<void> {
  const box = vscode.window.createInputBox();
  box.title = t('Rename Session');
  box.prompt = t('Session Title');
  // Keep the typed text while the user looks something up.
  box.ignoreFocusOut = true;
  box.value = session.title ?? '';
  box.valueSelection = [0, box.value.length];

  const rename = async (): Promise<boolean> => {
    try {
      await gateway.actions.rename(session.id, box.value.trim());
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      box.validationMessage = error.message;
      return false;
    }
  };

  return new Promise((resolve, reject) => {
    box.onDidChangeValue((text) => (box.validationMessage = text.trim() === '' ? t('The title can’t be empty.') : ''));
    box.onDidAccept(() => {
      if (box.validationMessage !== '' && box.validationMessage !== undefined) return;
      box.enabled = false;
      rename()
        .then(
          (renamed) => renamed && (resolve(), box.hide()),
          (error: unknown) => (reject(error), box.hide()),
        )
        .finally(() => (box.enabled = true));
    });
    box.onDidHide(() => {
      resolve();
      box.dispose();
    });
    box.show();
  });
}

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

export function inform(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
