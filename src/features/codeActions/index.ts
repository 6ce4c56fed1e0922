import * as vscode from 'vscode';
import type { WindowContext } from '../../host/window/windowContext';
import { isShell, readFence } from './core/fence';
import { ApplyToFile } from './host/applyToFile';
import { CodeTerminal } from './host/codeTerminal';
import { insertAtCursor, LastEditor } from './host/insertion';
import { languageOf } from './host/languageOf';
import { ProposedDocuments } from './host/proposedDocuments';
import { ReferenceService } from './host/referenceService';

/** Code actions of answers: insert code into editors, files and terminals, and look up the names in answers. */
export function register({ own, files, fileEditor, code, clock, log }: WindowContext): void {
  const lastEditor = own(new LastEditor());
  const terminal = own(new CodeTerminal());
  const references = own(new ReferenceService({ files, clock, log }));
  const insert = async (text: string): Promise<void> => {
    const problem = await insertAtCursor(lastEditor.current, text);
    if (problem !== null) void vscode.window.showWarningMessage(problem);
  };
  const applying = new ApplyToFile({
    files,
    editor: fileEditor,
    proposed: own(new ProposedDocuments()),
    index: () => references.files(),
    lastEditor: () => lastEditor.current,
    insert,
  });
  own(
    code.fill({
      insert,
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
