import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { SessionStore } from '../../../store/session/sessionStore';
import { type BothTexts, bothTexts, proposedFiles } from '../../../tools/files/proposedTexts';
import type { Approval } from '../../../transcript/approval';
import { openChanges, type ChangedSides } from '../../../host/common/editorFeatures';
import { uriOfPath } from '../../../host/workspace/editorPaths';

/** URI scheme of documents that show a change awaiting approval. The content comes from the stored approval, so an
 *  editor restored after a reload shows it again. */
const proposalScheme = 'hermes-proposal';

interface ProposedFileChange {
  readonly uri: vscode.Uri;
  readonly kind: 'created' | 'edited' | 'deleted';
  readonly texts: BothTexts;
}

/** Opens the changes that an agent proposes: one as the exact unified diff that the approval shows, several in the
 *  editor's multi-file diff. */
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

  /** Opens this change and those that wait after it. Does nothing for an unknown approval. */
  async openAll(approvalId: string): Promise<void> {
    const approval = await this.store.approval(approvalId);
    if (approval === null) return;
    const changes = await proposedIn(approval);
    const side = (uri: vscode.Uri, index: number, which: keyof BothTexts): vscode.Uri =>
      vscode.Uri.from({ scheme: proposalScheme, path: uri.path, query: `${approvalId} ${which} ${index}` });
    const sides = changes.map(({ uri, kind }, index): ChangedSides => [
      uri,
      kind === 'created' ? undefined : side(uri, index, 'before'),
      kind === 'deleted' ? undefined : side(uri, index, 'after'),
    ]);
    if (sides.length > 0) await openChanges(t('Proposed Changes'), sides);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const [approvalId = '', which, index] = uri.query.split(' ');
    const approval = await this.store.approval(approvalId);
    if (approval === null) return '';
    if (which === undefined) return approval.request.preview ?? '';
    const change = (await proposedIn(approval))[Number(index)];
    return change?.texts[which === 'before' ? 'before' : 'after'] ?? '';
  }

  dispose(): void {
    this.registration.dispose();
  }
}

async function proposedIn({ request }: Approval): Promise<readonly ProposedFileChange[]> {
  const changes: ProposedFileChange[] = [];
  for (const { access, preview } of [request, ...(request.together ?? [])]) {
    if (access.kind !== 'edit') continue;
    for (const file of proposedFiles(preview ?? '')) {
      const path = access.paths.find(({ shown }) => shown === file.shown);
      if (path === undefined) continue;
      const uri = uriOfPath(path.path);
      changes.push({ uri, kind: file.kind, texts: bothTexts(file, await presentText(uri)) });
    }
  }
  return changes;
}

/** Text of the file in the editor or on disk; null when there is none, or when it is not text. */
async function presentText(uri: vscode.Uri): Promise<string | null> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText();
  } catch {
    return null;
  }
}
