import * as vscode from 'vscode';
import type { SessionStore } from '../../store/sessionStore';

/** Scheme of documents that show a change the person is asked about. They come from the stored question, so that one that is restored after a
 *  reload shows it again. */
const proposalScheme = 'hermes-proposal';

/** Opens what an agent asks to change, whole: as the unified difference that is asked about, word for word. */
export class ProposedChanges implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly store: Pick<SessionStore, 'approval'>) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(proposalScheme, this);
  }

  /** Nothing to show for a question that is not known, or that has no change to show. */
  async open(approvalId: string): Promise<void> {
    const approval = await this.store.approval(approvalId);
    if (approval === null || approval.request.preview === null) return;
    const name = approval.request.subject.split(/[\\/]/).at(-1) ?? '';
    const uri = vscode.Uri.from({ scheme: proposalScheme, path: `/${name}.diff`, query: approvalId });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return (await this.store.approval(uri.query))?.request.preview ?? '';
  }

  dispose(): void {
    this.registration.dispose();
  }
}
