import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import type { TranscriptPage } from '../../store/requests';
import { isContinuation } from '../../transcript/continuation';
import { promptText } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';
import { ageLabels } from './sessionLabels';
import { describeError } from '../common/describeError';

const pageSize = 200;

/** branch: any prompt or answer · rewind: a prompt that started a turn. */
type MessagePurpose = 'branch' | 'rewind';

interface MessageItem extends vscode.QuickPickItem {
  readonly uid: string | null;
  /** True for the row that loads earlier messages. */
  readonly earlier?: true;
}

/** Lets the user choose a message of a session, newest first. Resolves with its uid, or null when the user cancels. */
export function pickMessage(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  purpose: MessagePurpose,
  now: number,
): Promise<string | null> {
  const picker = vscode.window.createQuickPick<MessageItem>();
  picker.title = purpose === 'branch' ? t('Branch from Message') : t('Rewind to Message');
  picker.placeholder =
    purpose === 'branch'
      ? t('Choose a message to branch from. Answers are copied; a prompt returns to the input box for editing.')
      : t('Choose a prompt to rewind to. It and everything after it are hidden.');
  picker.matchOnDescription = true;
  let items: readonly MessageItem[] = [];
  let before: number | undefined;

  const readMore = async (): Promise<void> => {
    picker.busy = true;
    try {
      const page = await gateway.store.readTranscript({
        sessionId,
        limit: pageSize,
        ...(before === undefined ? {} : { before }),
      });
      before = page.messages[0]?.position;
      items = [...items, ...choosable(page, purpose).map((message) => messageItem(message, now))];
      const earlier: readonly MessageItem[] = page.hasEarlier
        ? [{ label: t('Show Earlier Messages'), alwaysShow: true, uid: null, earlier: true }]
        : [];
      const none: readonly MessageItem[] =
        items.length + earlier.length === 0
          ? [{ label: t('This session has no messages yet.'), alwaysShow: true, uid: null }]
          : [];
      picker.items = [...items, ...earlier, ...none];
    } catch (error) {
      picker.items = [{ label: describeError(error).sentence, alwaysShow: true, uid: null }];
    } finally {
      picker.busy = false;
    }
  };

  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0];
      if (chosen?.earlier === true) void readMore();
      if (chosen === undefined || chosen.uid === null) return;
      resolve(chosen.uid);
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(null);
      picker.dispose();
    });
    picker.show();
    void readMore();
  });
}

/** Messages of a page that can be chosen, newest first. */
export function choosable(
  page: Pick<TranscriptPage, 'messages' | 'turns'>,
  purpose: MessagePurpose,
): readonly Message[] {
  const heads = new Set(page.turns.map((turn) => turn.userMessageUid));
  const open = new Set(page.turns.filter((turn) => turn.state !== 'settled').map((turn) => turn.uid));
  return page.messages
    .filter((message) => {
      if (
        message.visibility.kind !== 'shown' ||
        message.role === 'tool' ||
        isContinuation(message) ||
        (message.turnUid !== null && open.has(message.turnUid))
      )
        return false;
      if (message.role === 'user') return purpose === 'branch' || heads.has(message.uid);
      return purpose === 'branch' && answerText(message.parts).trim() !== '';
    })
    .reverse();
}

function messageItem(message: Message, now: number): MessageItem {
  const who = message.role === 'user' ? t('You') : t('Hermes');
  return {
    label: promptText(message.parts).replace(/\s+/g, ' ').trim().slice(0, 120) || t('(no text)'),
    description: `${who} · ${ageLabels(message.createdAt, now)}`,
    iconPath: new vscode.ThemeIcon(message.role === 'user' ? 'account' : 'sparkle'),
    uid: message.uid,
  };
}
