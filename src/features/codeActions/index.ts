import * as vscode from 'vscode';
import type { WindowContext } from '../../host/window/windowContext';
import { isShell, readFence } from './core/fence';
import { ApplyToFile, languageOf } from './host/applyToFile';
import { CodeTerminal } from './host/codeTerminal';
import { LastEditor } from './host/insertion';
import { ReferenceService } from './host/referenceService';

/** Code actions of answers: insert code into editors, files and terminals, and look up the names in answers. */
export function register(window: WindowContext): void {
  const { own, code } = window;
  const lastEditor = own(new LastEditor());
  const terminal = own(new CodeTerminal());
  const references = own(new ReferenceService(window));
  const applying = new ApplyToFile(window, references, lastEditor);
  own(
    code.fill({
      insert: (text) => lastEditor.insert(text),
      apply: (text, info) => applying.apply(text, info),
      newFile,
      run: async (text, info) => {
        const { language } = readFence(info);
        if (isShell(language)) await terminal.take(text, language);
      },
      resolve: (texts) => references.resolve(texts),
      openSymbol: (name) => references.openSymbol(name),
    }),
  );
}

async function newFile(code: string, info: string): Promise<void> {
  const language = await languageOf(readFence(info).language);
  const content = code.endsWith('\n') ? code : `${code}\n`;
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ content, ...(language === null ? {} : { language }) }),
    { preview: false },
  );
}
