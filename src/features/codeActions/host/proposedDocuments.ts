import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';

const proposedScheme = 'hermes-code';

/** Read-only documents with proposed texts for the editor's diff. Each is kept until it is released. */
export class ProposedDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(proposedScheme, this);
  private made = 0;

  /** `name`: a path; the editor detects the language by its end. */
  keep(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({
      scheme: proposedScheme,
      path: name.startsWith('/') ? name : `/${name}`,
      query: String(++this.made),
    });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Closes the diff that shows the document, and drops its text. */
  async release(uri: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    this.texts.delete(uri.toString());
  }

  dispose(): void {
    this.registration.dispose();
    this.texts.clear();
  }
}
