import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { readRecoveryKey, recoveryKey, recoverySheet, type RecoverySheet } from '../core/encryption/recoveryKey';
import { Cipher } from '../core/encryption/cipher';
import { checkKey, createCipher, describeKey, openCipher } from '../core/encryption/cipherDescription';
import { EncryptionError } from '../core/encryption/encryptionError';
import type { SealedBody } from '../core/postgres/postgresServer';

/** `key`: null when the history is not encrypted. `description`: of a new key, for the server to keep; null when it has
 *  one. */
export interface ChosenCipher {
  readonly key: Uint8Array<ArrayBuffer> | null;
  readonly description: string | null;
}

const shortestPassphrase = 12;

/** Asks if a new history is to be encrypted, and for its passphrase. Null when the user cancels. */
export async function askNewCipher(): Promise<ChosenCipher | null> {
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: t('Encrypt with a passphrase'),
        detail: t('The server holds no readable text. Without the passphrase or the recovery key nobody can read it.'),
        isSealed: true,
      },
      { label: t('Do not encrypt'), detail: t('Whoever runs the server can read the sessions.'), isSealed: false },
    ],
    { title: t('Set Up Sync'), placeHolder: t('Encrypt the sessions on the server?'), ignoreFocusOut: true },
  );
  if (picked === undefined) return null;
  if (!picked.isSealed) return { key: null, description: null };
  const passphrase = await askNewPassphrase();
  return passphrase === null ? null : createCipher(passphrase);
}

/** Asks for a passphrase twice. Null when the user cancels. */
export async function askNewPassphrase(): Promise<string | null> {
  const passphrase = await askSecret(t('Passphrase of this history. You need it on each machine.'), (text) =>
    text.length < shortestPassphrase ? t('Enter at least {count} characters.', { count: shortestPassphrase }) : null,
  );
  if (passphrase === undefined) return null;
  const again = await askSecret(t('Enter the passphrase again.'), (text) =>
    text === passphrase ? null : t('The passphrases differ.'),
  );
  return again === undefined ? null : passphrase;
}

/** Asks for the passphrase of an encrypted history, or its recovery key, until one opens it. Null when the user
 *  cancels. */
export async function askPassphrase(description: string): Promise<ChosenCipher | null> {
  for (;;) {
    const text = await askSecret(t('Passphrase of this history, or its recovery key'), () => null);
    if (text === undefined) return null;
    try {
      return { key: await opened(description, text), description: null };
    } catch (error) {
      if (!(error instanceof EncryptionError) || error.problem.kind !== 'wrongPassphrase') throw error;
      await vscode.window.showErrorMessage(error.message, { modal: true });
    }
  }
}

/** Asks for the recovery key of an encrypted history whose server lost the description of the key, until one opens what
 *  is there, and for a new passphrase. Null when the user cancels. */
export async function askRecoveryKey(sample: SealedBody, historyKey: string): Promise<ChosenCipher | null> {
  for (;;) {
    const text = await askSecret(
      t('The server lost the passphrase of this history. Enter its recovery key.'),
      (typed) => (recoveryKeyIn(typed) === null ? t('This is not a whole recovery key.') : null),
    );
    const key = text === undefined ? null : recoveryKeyIn(text);
    if (key === null) return null;
    const isOwn = await new Cipher(key, historyKey).open(sample.body, sample).then(
      () => true,
      () => false,
    );
    if (isOwn) {
      const passphrase = await askNewPassphrase();
      return passphrase === null ? null : { key, description: await describeKey(key, passphrase) };
    }
    await vscode.window.showErrorMessage(new EncryptionError({ kind: 'wrongRecoveryKey' }).message, { modal: true });
  }
}

/** Shows the recovery key of a history, to be copied or saved. */
export async function showRecoveryKey(sheet: RecoverySheet): Promise<void> {
  const [copy, save] = [t('Copy'), t('Save…')];
  const chosen = await vscode.window.showInformationMessage(
    t('Recovery key of “{name}”', { name: sheet.history }),
    {
      modal: true,
      detail: `${recoveryKey(sheet.key)}\n\n${t('This key opens your history without the passphrase. Keep it secret, and not on the same server.')}`,
    },
    copy,
    save,
  );
  if (chosen === copy) await vscode.env.clipboard.writeText(recoveryKey(sheet.key));
  if (chosen !== save) return;
  const uri = await vscode.window.showSaveDialog({ filters: { Markdown: ['md'] } });
  if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(recoverySheet(sheet)));
}

async function opened(description: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = recoveryKeyIn(text);
  if (key !== null) return checkKey(description, key);
  return openCipher(description, text);
}

/** Null for a text that is no recovery key. */
function recoveryKeyIn(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return readRecoveryKey(text);
  } catch {
    return null;
  }
}

function askSecret(prompt: string, problem: (text: string) => string | null): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Set Up Sync'),
    prompt,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? null : problem(text)),
  });
}
