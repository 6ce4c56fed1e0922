import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Webview } from 'vscode';
import type { WebviewPort } from './viewEndpoint';

/** Loads one of our browser programs into a webview, which may then read only the program's own folder. */
export class WebviewPrograms {
  private readonly folder: vscode.Uri;

  constructor(extensionUri: vscode.Uri) {
    this.folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  }

  get options(): vscode.WebviewOptions {
    return { enableScripts: true, enableForms: false, localResourceRoots: [this.folder] };
  }

  load(program: 'chat' | 'transcript' | 'search', webview: vscode.Webview, place: WebviewPlace = 'editor'): void {
    const asset = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(this.folder, name)).toString();
    webview.options = this.options;
    webview.html = webviewHtml({
      title: 'Hermes',
      language: vscode.env.language,
      script: asset(`${program}.js`),
      styles: [asset('codicon.css'), asset(`${program}.css`)],
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      place,
    });
  }
}

interface WebviewPage {
  readonly title: string;
  readonly language: string;
  /** Files below `dist/webview`, as URIs that the webview can load. */
  readonly script: string;
  readonly styles: readonly string[];
  readonly cspSource: string;
  readonly nonce: string;
  /** Container of the page; its style sheet depends on it. */
  readonly place: WebviewPlace;
}

type WebviewPlace = 'panel' | 'editor';

/** Builds the HTML of a webview. Loads only our own files: one script by nonce, which passes the nonce to the
 *  modules it imports; styles and the icon font from the extension's folder; images from there or inlined by the
 *  page. Allows no remote host, no inline script or style, and no eval. */
export function webviewHtml(page: WebviewPage): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource}`,
    `font-src ${page.cspSource}`,
    `img-src ${page.cspSource} data:`,
    // Not covered by default-src, or repeated for clarity.
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-src 'none'`,
  ].join('; ');
  const styles = page.styles.map((href) => `  <link rel="stylesheet" href="${escapeAttribute(href)}">`).join('\n');
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(page.language)}">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${escapeAttribute(policy)}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeAttribute(page.title)}</title>
${styles}
</head>
<body data-place="${page.place}">
  <div id="root"></div>
  <script type="module" nonce="${page.nonce}" src="${escapeAttribute(page.script)}"></script>
</body>
</html>
`;
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

export function webviewPort(webview: Webview): WebviewPort {
  return {
    postMessage: (message) => webview.postMessage(message),
    onDidReceiveMessage: (listener) => webview.onDidReceiveMessage(listener),
  };
}
