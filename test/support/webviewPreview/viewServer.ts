import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { webviewHtml } from '../../../src/host/webviews/webviewPrograms';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** Serves the views' files and the host's shell around them on a port of this machine. A browser keeps the files and their compiled code,
 *  which it would not for requests that a test answers. */
export class ViewServer {
  /** Texts of another language, by visit. */
  readonly localizations = new Map<string, Readonly<Record<string, string>>>();
  /** Stays known when the server is closed: a browser may still ask then. */
  origin = '';

  private constructor(
    private readonly server: Server,
    private readonly files: ReadonlyMap<string, Buffer>,
  ) {}

  static async start(files: ReadonlyMap<string, Buffer>): Promise<ViewServer> {
    const server = createServer();
    const views = new ViewServer(server, files);
    server.on('request', ({ url = '/' }, response) => {
      const { type, body, isKept } = views.answer(new URL(url, views.origin)) ?? {};
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': type ?? 'text/plain',
        'cache-control': isKept === true ? 'max-age=31536000, immutable' : 'no-store',
      });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    views.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // A browser that is killed keeps its connections open for a while; the tests do not wait for it.
    server.unref();
    return views;
  }

  /** True for an address that a view may ask for. */
  has(address: URL): boolean {
    return address.origin === this.origin && this.answer(address) !== undefined;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({
    pathname,
    searchParams,
  }: URL): { type: string; body: string | Buffer; isKept: boolean } | undefined {
    if (pathname.startsWith('/view/')) {
      const [visit, language] = [searchParams.get('visit'), searchParams.get('language')];
      const scripts = [...(language === null ? [] : [`language/${visit}`]), searchParams.get('script') ?? 'page'];
      const body = shell(this.origin, pathname.slice('/view/'.length), scripts, language ?? 'en');
      return { type: 'text/html', body, isKept: false };
    }
    const localization = this.localizations.get(/^\/language\/(\d+)\.js$/.exec(pathname)?.[1] ?? '');
    if (localization !== undefined) {
      const body = `window.previewLanguage = ${JSON.stringify({ localization })};`;
      return { type: 'text/javascript', body, isKept: false };
    }
    // A browser asks for it by itself.
    if (pathname === '/favicon.ico') return { type: 'image/x-icon', body: '', isKept: true };
    const file = this.files.get(pathname);
    return file && { type: types[path.extname(pathname)] ?? 'text/plain', body: file, isKept: true };
  }
}

function shell(origin: string, view: string, scripts: readonly string[], language: string): string {
  const html = webviewHtml({
    title: 'Hermes',
    language,
    script: `/${view}.js`,
    styles: ['/codicon.css', `/${view}.css`],
    cspSource: origin,
    nonce: 'preview',
    place: view === 'chat' ? 'panel' : 'editor',
  });
  const before = scripts.map((script) => `<script nonce="preview" src="/${script}.js"></script>`).join('\n  ');
  return html.replace('<script type="module"', `${before}\n  <script type="module"`);
}
