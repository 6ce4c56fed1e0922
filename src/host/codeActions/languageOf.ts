import * as vscode from 'vscode';
import { editorLanguage } from './fence';

/** The editor's name of a language that a fence names; null where this window does not know it. */
export async function languageOf(written: string): Promise<string | null> {
  const language = editorLanguage(written);
  return (await vscode.languages.getLanguages()).includes(language) ? language : null;
}
