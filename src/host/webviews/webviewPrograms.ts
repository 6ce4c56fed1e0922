import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { webviewHtml, type WebviewPlace } from './webviewHtml';

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
