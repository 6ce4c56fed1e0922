import * as vscode from 'vscode';
import type { SessionStore } from '../../store/sessionStore';

/** URI scheme of documents that show a change awaiting approval. The content comes from the stored approval, so an
 *  editor restored after a reload shows it again. */
const proposalScheme = 'hermes-proposal';

/** Opens the whole change that an agent proposes: the exact unified diff that the approval shows. */
export class ProposedChanges implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly store: Pick<SessionStore, 'approval'>) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(proposalScheme, this);
  }

  /** Does nothing for an unknown approval, or for one without a change to show. */
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
