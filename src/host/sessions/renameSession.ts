import * as vscode from 'vscode';
import type { Gateway } from '../../gateway/gateway';
import { StoreError } from '../../store/storeError';
import type { Session } from '../../transcript/session';

/** Asks for a title until one is taken or the person leaves; what is refused stays in the box, with the reason. */
export async function renameSession(session: Session, gateway: Pick<Gateway, 'renameSession'>): Promise<void> {
  let value = session.title ?? '';
  for (let refusal: string | null = null; ; ) {
    const title = await askTitle(value, refusal);
    if (title === undefined) return;
    try {
      return await gateway.renameSession(session.id, title.trim());
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      value = title;
      refusal = error.message;
    }
  }
}

function askTitle(value: string, refusal: string | null): Thenable<string | undefined> {
  const refused = value;
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Session'),
    value,
    prompt: vscode.l10n.t('A title for this session'),
    validateInput: (text) => {
      if (text.trim() === '') return vscode.l10n.t('A title cannot be empty.');
      return refusal !== null && text === refused ? refusal : undefined;
    },
  });
}
