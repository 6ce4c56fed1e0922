import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import type { TranscriptPage } from '../../store/sessionStore';
import { askWhatGoesBack, type TakenBack } from '../changedFiles/filesQuestion';
import { turnLabels } from './sessionLabels';

const pageSize = 200;

/** Asks the user to confirm taking back the prompt `to` and everything after it. If that changed `files`, also asks
 *  about reverting them. Null: no. */
export async function rewindQuestion(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  to: string,
  files: number,
): Promise<TakenBack | null> {
  const turns = await turnsFrom(gateway, sessionId, to);
  const rewind = t('Rewind');
  const question = t('Rewind {turns}?', { turns: turnLabels(turns, t) });
  const detail = t(
    'This prompt returns to the input box. It and everything after it are hidden from the chat and the model. Nothing is deleted.',
  );
  if (files > 0) return askWhatGoesBack(question, `${detail} ${t('Your own changes to these files are kept.')}`, files);
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
