import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { Reference } from '../../protocol/codeProtocol';
import type { FileEditor } from '../../tools/files/fileEditor';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { ApplyToFile } from './applyToFile';
import type { CodeActions } from './codeHandlers';
import { CodeTerminal } from './codeTerminal';
import { isShell, readFence } from './fence';
import { insertAtCursor, LastEditor } from './insertion';
import { languageOf } from './languageOf';
import { ProposedDocuments } from './proposedDocuments';
import { ReferenceService } from './referenceService';

interface CodeActionsFeatureDeps {
  readonly files: WorkspaceFiles;
  readonly editor: FileEditor;
  readonly clock: Clock;
  readonly log: Log;
}

/** Code actions of answers in this window: insert code into editors, files and terminals, and look up the names in
 *  answers. */
export class CodeActionsFeature implements CodeActions, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly lastEditor = this.lifetime.register(new LastEditor());
  private readonly terminal = this.lifetime.register(new CodeTerminal());
  private readonly references: ReferenceService;
  private readonly applying: ApplyToFile;

  constructor(deps: CodeActionsFeatureDeps) {
    this.references = this.lifetime.register(new ReferenceService(deps));
    const proposed = this.lifetime.register(new ProposedDocuments());
    this.applying = new ApplyToFile({
      ...deps,
      proposed,
      index: () => this.references.files(),
      lastEditor: () => this.lastEditor.current,
      insert: (code) => this.insert(code),
    });
  }

  async insert(code: string): Promise<void> {
    const problem = await insertAtCursor(this.lastEditor.current, code);
    if (problem !== null) void vscode.window.showWarningMessage(problem);
  }

  apply(code: string, info: string): Promise<void> {
    return this.applying.apply(code, info);
  }

  async newFile(code: string, info: string): Promise<void> {
    const language = await languageOf(readFence(info).language);
    const content = code.endsWith('\n') ? code : `${code}\n`;
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content, ...(language === null ? {} : { language }) }),
      { preview: false },
    );
  }

  async run(code: string, info: string): Promise<void> {
    const { language } = readFence(info);
    if (isShell(language)) await this.terminal.take(code, language);
  }

  resolve(texts: readonly string[]): Promise<readonly Reference[]> {
    return this.references.resolve(texts);
  }

  openSymbol(name: string): Promise<void> {
    return this.references.openSymbol(name);
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
