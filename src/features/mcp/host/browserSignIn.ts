import { createServer, type Server } from 'node:http';
import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { openPage } from '../../../host/common/editorFeatures';
import type { McpRedirect, McpSignedIn, McpSignInWays } from '../core/mcpConnection';

/** Path in the editor's address for this extension. */
const path = '/mcp-sign-in';
/** Port that an authorization server may know. If it is taken, another one is registered. */
const preferredPort = 33_427;

/** Ways for a sign-in in the browser to come back to this window: the editor's own addresses, then this machine, and
 *  with both the address that the user pastes. */
export class BrowserSignIn implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly arrivals = new Emitter<string>();

  constructor(private readonly extensionId: string) {
    this.lifetime.register(
      vscode.window.registerUriHandler({
        handleUri: ({ path: at, query }) =>
          at === path ? this.arrivals.fire(`editor:?${encodedAgain(query)}`) : undefined,
      }),
    );
  }

  /** `server`: its name, for the questions. */
  waysFor(server: string): McpSignInWays {
    return {
      redirect: async (way) => {
        if (way === 0) return this.throughEditor(server);
        return way === 1 ? this.throughThisMachine(server) : null;
      },
      askClient: (issuer, redirect) => askClient(server, issuer, redirect),
    };
  }

  /** Runs a sign-in that the user can cancel at each of its steps. Rejects as `work` does. */
  async cancellable(
    server: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<McpSignedIn>,
  ): Promise<McpSignedIn> {
    const canceled = new AbortController();
    const options = { location: vscode.ProgressLocation.Notification, title: titleOf(server), cancellable: true };
    return vscode.window.withProgress(options, async (_progress, token) => {
      const listening = token.onCancellationRequested(() => canceled.abort());
      try {
        return await work(AbortSignal.any([signal, canceled.signal]));
      } catch (error) {
        if (canceled.signal.aborted && !signal.aborted) return { kind: 'canceled' };
        throw error;
      } finally {
        listening.dispose();
      }
    });
  }

  dispose(): void {
    this.lifetime.dispose();
    this.arrivals.dispose();
  }

  private async throughEditor(server: string): Promise<McpRedirect> {
    const own = vscode.Uri.parse(`${vscode.env.uriScheme}://${this.extensionId}${path}`);
    const address = (await vscode.env.asExternalUri(own)).toString(true);
    return { address, open: (...page) => this.open(server, ...page), dispose: () => undefined };
  }

  private async throughThisMachine(server: string): Promise<McpRedirect> {
    const listening = createServer(({ url = '' }, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(t('You can close this page and go back to your editor.'));
      if (url.startsWith(`${path}?`)) this.arrivals.fire(new URL(url, 'http://127.0.0.1').href);
    });
    const port = await listen(listening);
    // The editor forwards the port when this runs on another machine.
    const outside = await vscode.env.asExternalUri(vscode.Uri.parse(`http://127.0.0.1:${port}${path}`));
    return {
      address: outside.toString(true),
      open: (...page) => this.open(server, ...page),
      dispose: () => void listening.close(),
    };
  }

  /** Opens the page and waits for the browser or for the pasted address. */
  private async open(server: string, page: string, state: string, signal: AbortSignal): Promise<string> {
    const lifetime = new DisposableStore();
    try {
      signal.throwIfAborted();
      return await new Promise<string>((resolve, reject) => {
        const abort = (): void => reject(signal.reason);
        signal.addEventListener('abort', abort);
        lifetime.register({ dispose: () => signal.removeEventListener('abort', abort) });
        // Anyone can open an address of the editor or of this machine: only the one with our state counts.
        lifetime.register(
          this.arrivals.event((address) =>
            new URL(address).searchParams.get('state') === state ? resolve(address) : undefined,
          ),
        );
        lifetime.register(pasteBox(titleOf(server), page, resolve));
        openPage(page).catch(reject);
      });
    } finally {
      lifetime.dispose();
    }
  }
}

function titleOf(server: string): string {
  return t('Signing in to the MCP server “{name}”', { name: server });
}

/** The editor has decoded the query as a whole, so that an `&` of a value looks like one between values. Only what is
 *  followed by a name and `=` counts as one. */
function encodedAgain(query: string): string {
  return query
    .split(/&(?=[\w.-]+=)/)
    .map((pair) => {
      const at = pair.indexOf('=');
      return `${pair.slice(0, at + 1)}${encodeURIComponent(pair.slice(at + 1))}`;
    })
    .join('&');
}

/** Waits beside the browser. Closing it does not end the sign-in. */
function pasteBox(title: string, page: string, resolve: (answer: string) => void): Disposable {
  const box = vscode.window.createInputBox();
  const copy = { iconPath: new vscode.ThemeIcon('copy'), tooltip: t('Copy the Address of the Sign-In Page') };
  const other = {
    iconPath: new vscode.ThemeIcon('debug-restart'),
    tooltip: t('The Page Shows an Error: Try Another Way'),
  };
  box.title = title;
  box.prompt = t('Go on in your browser. If it does not come back here, paste the address that it shows at the end.');
  box.placeholder = t('Address with “code=…”');
  box.ignoreFocusOut = true;
  box.buttons = [copy, other];
  box.onDidTriggerButton((button) =>
    button === other ? resolve('anotherWay') : void vscode.env.clipboard.writeText(page),
  );
  box.onDidAccept(() => (box.value.trim() === '' ? undefined : resolve(box.value.trim())));
  box.show();
  return box;
}

async function listen(server: Server): Promise<number> {
  for (const port of [preferredPort, 0]) {
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    const address = server.address();
    if (isListening && typeof address === 'object' && address !== null) return address.port;
  }
  throw new Error('No port of this machine is free.');
}

async function askClient(server: string, issuer: string, redirect: string) {
  const title = titleOf(server);
  const id = await vscode.window.showInputBox({
    title,
    prompt: t(
      '{issuer} registers no clients by itself. Register Hermes there with the redirect address {redirect}, and enter its client ID.',
      { issuer, redirect },
    ),
    ignoreFocusOut: true,
  });
  if (id === undefined || id.trim() === '') return null;
  const secret = await vscode.window.showInputBox({
    title,
    prompt: t('Client secret. Leave it empty if there is none.'),
    password: true,
    ignoreFocusOut: true,
  });
  return secret === undefined ? null : { id: id.trim(), secret: secret.trim() === '' ? null : secret.trim() };
}

/** Asks whether to sign in now. `host`: that of the sign-in page. Null: not known. */
export async function askToSignIn(server: string, address: string, host: string | null): Promise<boolean> {
  const signIn = t('Sign In');
  const question = t('The MCP server “{name}” at {host} wants you to sign in.', {
    name: server,
    host: new URL(address).host,
  });
  const where =
    host === null
      ? t('Your browser opens its sign-in page.')
      : t('Your browser opens a sign-in page of {host}.', { host });
  const detail = `${where} ${t('Hermes keeps the token in secret storage.')}`;
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, signIn)) === signIn;
}
