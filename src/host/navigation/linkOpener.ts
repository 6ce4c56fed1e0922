import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { FileNotFound } from '../../tools/workspaceFiles';
import { PathRefused, type WorkspacePaths } from '../../tools/workspacePaths';
import { openPage } from '../common/editorFeatures';

/** Opens links in answers: files of the open folders in an editor, web pages outside. The editor's trusted domains
 *  decide if a web page may open. */
export class LinkOpener {
  constructor(private readonly paths: WorkspacePaths) {}

  async open(href: string): Promise<void> {
    const target = linkTarget(href);
    if (target.kind === 'web') await openPage(asciiHost(target.url));
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

/** Target of a link in an answer. */
type LinkTarget =
  | { readonly kind: 'web'; readonly url: string }
  /** Path as the answer wrote it, with a position in the file (from 1) if given. */
  | { readonly kind: 'file'; readonly path: string; readonly line: number | null; readonly column: number | null }
  | { readonly kind: 'refused'; readonly scheme: string };

/** Parses a link. Opens only web, mail and file links: a `command:` or `vscode:` link in an answer could act in the
 *  user's name. */
export function linkTarget(href: string): LinkTarget {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return { kind: 'web', url: href };
  // "upload.ts:12" is a path with a line, not a scheme; a one-letter scheme is a drive.
  if (scheme !== undefined && scheme !== 'file' && !/^[^/:]+:\d+(:\d+)?$/.test(href))
    return { kind: 'refused', scheme };
  const place = /^(.*?)(?:#L?(\d+)(?:[-,:].*)?|:(\d+)(?::(\d+))?(?:-\d+)?|#.*)?$/.exec(href.replace(/^file:\/\//i, ''));
  return {
    kind: 'file',
    // Decode only after removing the fragment: a "%23" in a name is not a fragment.
    path: decoded(place?.[1] ?? href),
    line: numberOf(place?.[2] ?? place?.[3]),
    column: numberOf(place?.[4]),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone "%" is legal in a file name
  }
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Math.max(1, Number(digits));
}
