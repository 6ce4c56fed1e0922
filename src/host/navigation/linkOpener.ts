import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { PathRefused, type WorkspacePaths } from '../../tools/workspacePaths';
import { FileNotFound } from '../../tools/workspaceFiles';
import { linkTarget } from './linkTarget';

/** Opens links in answers: files of the open folders in an editor, web pages outside. The editor's trusted domains
 *  decide if a web page may open. */
export class LinkOpener {
  constructor(private readonly paths: WorkspacePaths) {}

  async open(href: string): Promise<void> {
    const target = linkTarget(href);
    if (target.kind === 'web') await vscode.env.openExternal(vscode.Uri.parse(asciiHost(target.url), true));
    else if (target.kind === 'file') await this.openFile(target.path, target.line, target.column);
    else void vscode.window.showWarningMessage(t('Hermes doesn’t open “{scheme}:” links.', { scheme: target.scheme }));
  }

  private async openFile(written: string, line: number | null, column: number | null): Promise<void> {
    try {
      const uri = vscode.Uri.file(await this.paths.resolveExisting(written));
      if (((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0) {
        await vscode.commands.executeCommand('revealInExplorer', uri);
        return;
      }
      const position = new vscode.Position((line ?? 1) - 1, (column ?? 1) - 1);
      await vscode.window.showTextDocument(uri, {
        preview: true,
        ...(line === null ? {} : { selection: new vscode.Range(position, position) }),
      });
    } catch (error) {
      if (!(error instanceof FileNotFound) && !(error instanceof PathRefused)) throw error;
      void vscode.window.showWarningMessage(error.message);
    }
  }
}

/** Returns the URL with its host in ASCII (Punycode), so that look-alike letters of other scripts are visible in the
 *  editor's dialog. */
function asciiHost(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address;
}
