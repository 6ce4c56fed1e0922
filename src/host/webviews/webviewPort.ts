import type { Webview } from 'vscode';
import type { WebviewPort } from './viewEndpoint';

export function webviewPort(webview: Webview): WebviewPort {
  return {
    postMessage: (message) => webview.postMessage(message),
    onDidReceiveMessage: (listener) => webview.onDidReceiveMessage(listener),
  };
}
