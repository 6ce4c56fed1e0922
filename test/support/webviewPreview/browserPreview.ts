import fs from 'node:fs';
import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { chromium, type Browser, type Page, type Route } from 'playwright-core';
import { ensureChromium } from '../../../scripts/chromiumInstall.mjs';
import { webviewHtml } from '../../../src/host/webviewHtml';
import { states } from './states';

const origin = 'http://preview.test';
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

export interface Look {
  readonly theme?: string;
  readonly width?: number;
  readonly height?: number;
}

export interface OpenPreview {
  readonly page: Page;
  /** Errors logged or thrown by the page, broken policy included. */
  readonly problems: string[];
  /** Addresses that were asked for and are not the view's own. */
  readonly strays: string[];
}

/** A browser that shows the real view bundles in the host's own shell and policy, without VS Code. Works from the project's root. */
export class BrowserPreview {
  private constructor(
    private readonly browser: Browser,
    private readonly files: ReadonlyMap<string, Buffer>,
  ) {}

  /** `extra` names further entries to bundle, for `source`. */
  static async start(extra: Readonly<Record<string, string>> = {}): Promise<BrowserPreview> {
    const files = new Map<string, Buffer>();
    const scripts = { page: 'test/support/webviewPreview/page.ts', ...extra };
    const views = { chat: 'src/webview/chat/main.tsx', transcript: 'src/webview/transcript/main.tsx', search: 'src/webview/search/main.tsx' };
    for (const [name, entry] of Object.entries(scripts)) for (const [file, contents] of await bundle(name, entry, { format: 'iife' })) files.set(file, contents);
    for (const [name, entry] of Object.entries(views)) for (const [file, contents] of await bundle(name, entry, { format: 'esm', splitting: true })) files.set(file, contents);
    for (const name of ['codicon.css', 'codicon.ttf']) files.set(`/${name}`, fs.readFileSync(path.join('node_modules/@vscode/codicons/dist', name)));
    const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] });
    return new BrowserPreview(browser, files);
  }

  /** The text of a bundle named in `extra`: the policy lets no page load it, so a test evaluates it. */
  source(name: string): string {
    const file = this.files.get(`/${name}.js`);
    if (file === undefined) throw new Error(`Nothing was bundled as ${name}`);
    return file.toString();
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** Opens a state of states.ts and does what it says a person does in it. */
  async open(name: string, look: Look = {}): Promise<OpenPreview> {
    const state = states[name];
    if (state === undefined) throw new Error(`There is no preview state ${name}`);
    const page = await this.browser.newPage({ viewport: { width: look.width ?? 450, height: look.height ?? 820 } });
    const [problems, strays]: [string[], string[]] = [[], []];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.route('**/*', (route) => this.serve(route, strays));
    await page.goto(`${origin}/view/${state.view}?state=${name}&theme=${look.theme ?? 'dark'}`);
    await page.getByRole('main').waitFor();
    for (const button of state.press ?? []) await press(page, button);
    if (state.type !== undefined) await page.getByRole('textbox', { name: 'Message' }).fill(state.type);
    if (state.hover !== undefined) await page.getByRole('article', { name: state.hover }).last().hover();
    return { page, problems, strays };
  }

  private async serve(route: Route, strays: string[]): Promise<void> {
    const { pathname, href } = new URL(route.request().url());
    const file = this.files.get(pathname);
    if (pathname.startsWith('/view/')) await route.fulfill({ contentType: 'text/html', body: shell(pathname.slice('/view/'.length)) });
    else if (file !== undefined) await route.fulfill({ contentType: types[path.extname(pathname)] ?? 'text/plain', body: file });
    else {
      strays.push(href);
      await route.abort();
    }
  }
}

async function press(page: Page, name: string): Promise<void> {
  const inGroup = page.getByRole('group', { name }).getByRole('button');
  const exact = page.getByRole('button', { name, exact: true });
  const button = (await exact.count()) > 0 ? exact : page.getByRole('button', { name }).or(inGroup);
  await (name === 'Model' || name === 'Mode' ? page.getByRole('combobox', { name, exact: true }) : button).first().click();
}

function shell(view: string): string {
  const html = webviewHtml({ title: 'Hermes', language: 'en', script: `/${view}.js`, styles: ['/codicon.css', `/${view}.css`], cspSource: origin, nonce: 'preview', place: view === 'chat' ? 'panel' : 'editor' });
  return html.replace('<script type="module"', '<script nonce="preview" src="/page.js"></script>\n  <script type="module"');
}

async function bundle(name: string, entry: string, form: Pick<BuildOptions, 'format' | 'splitting'>): Promise<readonly (readonly [string, Buffer])[]> {
  const result = await build({
    entryPoints: [entry],
    outdir: '/',
    entryNames: name,
    chunkNames: '[name]-[hash]',
    bundle: true,
    write: false,
    ...form,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2022',
    logLevel: 'warning',
  });
  return result.outputFiles.map((file) => [`/${path.basename(file.path)}`, Buffer.from(file.contents)] as const);
}
