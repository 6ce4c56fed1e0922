import * as vscode from 'vscode';
import { setTranslations } from './base/translate';
import * as features from './features/features';
import { HermesWindow } from './host/window/hermesWindow';

let current: HermesWindow | null = null;

/** Returns the API for other extensions (docs/api.md). */
export function activate(context: vscode.ExtensionContext): object | null {
  setTranslations({ language: vscode.env.language, texts: vscode.l10n.bundle ?? {} });
  current = new HermesWindow(context, __dirname, Object.entries(features));
  return current.exports;
}

/** Settles running turns, then closes the store. Whatever takes longer than the editor waits is found and settled at
 *  the next start. */
export async function deactivate(): Promise<void> {
  const closing = current;
  current = null;
  await closing?.close();
}
