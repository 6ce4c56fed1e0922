import * as vscode from 'vscode';
import { editorLanguage } from '../core/fence';

/** The editor's id for the language of a fence. Null: this window does not know it. */
export async function languageOf(written: string): Promise<string | null> {
  const language = editorLanguage(written);
  return (await vscode.languages.getLanguages()).includes(language) ? language : null;
}
