import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import { StoreError } from '../../store/storeError';
import type { Session } from '../../transcript/session';

/** Asks for a title until one is accepted or the user cancels. A refused title stays in the box, with the reason
 *  below it. */
export function renameSession(session: Session, gateway: GatewayPart<'actions', 'rename'>): Promise<void> {
  const box = vscode.window.createInputBox();
  box.title = t('Rename Session');
  box.prompt = t('Session title');
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
