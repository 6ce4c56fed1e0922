import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { azureOpenai } from '../../models/azureOpenai';
import { keyIn } from '../../models/pastedKey';
import { servicePresets } from '../../models/presets';

type Answer = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'getKey' } | { readonly kind: 'left' };

/** Asks for a key until one is pasted. Its button opens the key page of a provider that the user picks, and then asks
 *  again. Null when the user cancels. */
export async function pasteKey(): Promise<string | null> {
  for (;;) {
    const answer = await askOnce();
    if (answer.kind === 'key') return answer.key;
    if (answer.kind === 'left') return null;
    await openKeyPage();
  }
}

function askOnce(): Promise<Answer> {
  const box = vscode.window.createInputBox();
  box.title = t('Paste a Key');
  box.prompt = t('Stored in VS Code’s secret storage. Sent only to the provider.');
  box.placeholder = t('API key, for example sk-or-…');
  box.password = true;
  box.ignoreFocusOut = true;
  box.buttons = [{ iconPath: new vscode.ThemeIcon('link-external'), tooltip: t('Get a Key') }];
  return new Promise((resolve) => {
    const leave = (answer: Answer): void => {
      resolve(answer);
      box.hide();
    };
    box.onDidChangeValue((text) => {
      box.validationMessage = text.trim() === '' || keyIn(text) !== null ? undefined : spacesProblem();
    });
    box.onDidAccept(() => {
      const key = keyIn(box.value);
      if (key !== null) leave({ kind: 'key', key });
      else box.validationMessage = box.value.trim() === '' ? t('Paste a key, or press Escape.') : spacesProblem();
    });
    box.onDidTriggerButton(() => leave({ kind: 'getKey' }));
    box.onDidHide(() => {
      resolve({ kind: 'left' });
      box.dispose();
    });
    box.show();
  });
}

async function openKeyPage(): Promise<void> {
  const picked = await vscode.window.showQuickPick(
    [...servicePresets, azureOpenai].map(({ name, keyPage }) => ({
      label: name,
      description: new URL(keyPage).host,
      keyPage,
    })),
    {
      title: t('Get a Key'),
      placeHolder: t('Choose a provider to open its key page in your browser'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    },
  );
  if (picked !== undefined) await vscode.env.openExternal(vscode.Uri.parse(picked.keyPage));
}

function spacesProblem(): string {
  return t('A key can’t contain spaces.');
}
