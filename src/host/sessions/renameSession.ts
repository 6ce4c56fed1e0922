import * as vscode from 'vscode';
import type { Gateway } from '../../gateway/gateway';
import { StoreError } from '../../store/storeError';
import type { Session } from '../../transcript/session';

/** Asks for a title until one is taken (true) or the person leaves; what is refused stays in the box, with the reason below it. */
export function renameSession(session: Session, gateway: Pick<Gateway, 'renameSession'>): Promise<boolean> {
  const box = vscode.window.createInputBox();
  box.title = vscode.l10n.t('Rename Session');
  box.prompt = vscode.l10n.t('A title for this session');
  box.value = session.title ?? '';
  box.valueSelection = [0, box.value.length];

  const rename = async (): Promise<boolean> => {
    try {
      await gateway.renameSession(session.id, box.value.trim());
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      box.validationMessage = error.message;
      return false;
    }
  };

  return new Promise((resolve, reject) => {
    box.onDidChangeValue((text) => (box.validationMessage = text.trim() === '' ? vscode.l10n.t('A title cannot be empty.') : ''));
    box.onDidAccept(() => {
      if (box.busy || (box.validationMessage !== '' && box.validationMessage !== undefined)) return;
      // Not disabled: a field that is lets go of the focus, and the editor no longer knows where to give it back to.
      box.busy = true;
      rename()
        .then((renamed) => renamed && (resolve(true), box.hide()), (error: unknown) => (reject(error), box.hide()))
        .finally(() => (box.busy = false));
    });
    box.onDidHide(() => {
      resolve(false);
      box.dispose();
    });
    box.show();
  });
}
