import fs from 'node:fs';
import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { webviewLoaders } from '../../../scripts/build.mjs';
import { ensureChromium } from '../../../scripts/chromiumInstall.mjs';
import type { PreviewState } from './previewState';
import { states } from './states';
import { ViewServer } from './viewServer';

/** What scripts/build.mjs does for the package. */
const shippedForm = {
  minify: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
} as const;
export interface PreviewAppearance {
  readonly theme?: string;
  readonly width?: number;
  readonly height?: number;
  /** Texts of another language by English text, and what English names are called in it. */
  readonly language?: {
    /** The language of the page, as the editor names it. Default: "en". */
    readonly code?: string;
    readonly localization: Readonly<Record<string, string>>;
    readonly named: (english: string) => RegExp;
  };
}

export interface OpenPreview {
  readonly page: Page;
  /** Errors logged or thrown by the page, broken policy included. */
  readonly problems: string[];
  /** Addresses that were asked for and are not the view's own. */
  readonly strays: string[];
}

/** A page and where the listeners it got once put what they hear: in the lists of the state that it shows now. */
interface ReusedPage {
  readonly page: Page;
  shown: Omit<OpenPreview, 'page'>;
}

/** What the test files of one process share: a browser, and bundles that were made. It ends with the process. */
interface Shared {
  browser?: Promise<Browser>;
  readonly bundles: Map<string, Promise<readonly (readonly [string, Buffer])[]>>;
}
const shared: Shared = ((globalThis as { sharedPreview?: Shared }).sharedPreview ??= { bundles: new Map() });

/** A browser that shows the real view bundles in the host's own shell and policy, without VS Code. Works from the project's root. */
export class BrowserPreview {
  private readonly pages = new Map<Page, ReusedPage>();
  private readonly idle: ReusedPage[] = [];
  private visits = 0;

  private constructor(
    private readonly browser: Browser,
    private readonly files: ReadonlyMap<string, Buffer>,
    private readonly server: ViewServer,
  ) {}

  /** `extra` names further entries to bundle, for `source` and `openBare`. `only`: the view to bundle, minified as in the package;
   *  without it all are, as they are. */
  static async start(extra: Readonly<Record<string, string>> = {}, only?: string): Promise<BrowserPreview> {
    const files = new Map<string, Buffer>();
    const scripts = { page: 'test/support/webviewPreview/page.ts', ...extra };
    const views = {
      chat: 'src/webview/chat/main.tsx',
      transcript: 'src/features/transcript/view/main.tsx',
      search: 'src/features/search/view/main.tsx',
    };
    for (const [name, entry] of Object.entries(scripts))
      for (const [file, contents] of await bundle(name, entry, { format: 'iife' })) files.set(file, contents);
    for (const [name, entry] of Object.entries(views).filter(([name]) => only === undefined || name === only))
      for (const [file, contents] of await bundle(name, entry, {
        format: 'esm',
        splitting: true,
        ...(only === undefined ? {} : shippedForm),
      }))
        files.set(file, contents);
    for (const name of ['codicon.css', 'codicon.ttf'])
      files.set(`/${name}`, fs.readFileSync(path.join('node_modules/@vscode/codicons/dist', name)));
    shared.browser ??= launch();
    return new BrowserPreview(await shared.browser, files, await ViewServer.start(files));
  }

  /** The text of a bundle named in `extra`: the policy lets no page load it, so a test evaluates it. */
  source(name: string): string {
    const file = this.files.get(`/${name}.js`);
    if (file === undefined) throw new Error(`Nothing was bundled as ${name}`);
    return file.toString();
  }

  /** Closes the browser of this process, which later previews would share. */
  static async end(): Promise<void> {
    const browser = await shared.browser;
    delete shared.browser;
    await browser?.close();
  }

  async close(): Promise<void> {
    this.server.close();
    for (const page of this.pages.keys()) await page.close();
  }

  /** Opens a state of states.ts and does what it says a person does in it. In the end `leave` gives the page to the next state; one that a
   *  test changed by more than a person can (scripts, routes, emulation) is closed instead. */
  async open(name: string, appearance: PreviewAppearance = {}): Promise<OpenPreview> {
    const state = states[name];
    if (state === undefined) throw new Error(`There is no preview state ${name}`);
    const reused = this.idle.pop() ?? (await this.newPage());
    const { page } = reused;
    const [problems, strays]: [string[], string[]] = [[], []];
    reused.shown = { problems, strays };
    await page.setViewportSize({ width: appearance.width ?? 450, height: appearance.height ?? 820 });
    this.visits += 1;
    if (appearance.language !== undefined)
      this.server.localizations.set(String(this.visits), appearance.language.localization);
    await page.goto(
      `${this.server.origin}/view/${state.view}?state=${name}&theme=${appearance.theme ?? 'dark'}&visit=${this.visits}${appearance.language === undefined ? '' : `&language=${appearance.language.code ?? 'en'}`}`,
    );
    await page.getByRole('main').waitFor();
    if (appearance.language !== undefined)
      return { page, problems: [...problems, ...(await doneIn(page, state, appearance.language.named))], strays };
    for (const button of state.press ?? []) await press(page, button);
    if (state.findRows !== undefined) await findRows(page, state.findRows);
    if (state.type !== undefined) await page.getByRole('textbox', { name: 'Message' }).fill(state.type);
    if (state.find !== undefined) await find(page, state.find);
    if (state.hover !== undefined) await page.getByRole('article', { name: state.hover }).last().hover();
    return { page, problems, strays };
  }

  /** Gives a page of `open` back: the next state is shown in it, in a document of its own that finds nothing of this one. A process of its
   *  own for each state would cost three times as much. */
  async leave(page: Page): Promise<void> {
    const reused = this.pages.get(page);
    if (reused === undefined) throw new Error('Only a page of this preview can be left');
    // Nothing of the next state is under the pointer.
    await page.mouse.move(-10, -10);
    this.idle.push(reused);
  }

  private async newPage(): Promise<ReusedPage> {
    const page = await this.browser.newPage();
    // The limit of the test that hangs is enough.
    page.setDefaultTimeout(0);
    const reused: ReusedPage = { page, shown: { problems: [], strays: [] } };
    page.on('console', (message) => message.type() === 'error' && reused.shown.problems.push(message.text()));
    page.on('pageerror', (error) => reused.shown.problems.push(String(error)));
    page.on('request', (request) => {
      const address = new URL(request.url());
      if (/^(?:http|ws)s?:$/.test(address.protocol) && !this.server.has(address))
        reused.shown.strays.push(address.href);
    });
    this.pages.set(page, reused);
    return reused;
  }

  /** Opens a view with a script of `extra` in the place of VS Code: nothing is told to it but what that script tells. */
  async openBare(
    view: string,
    script: string,
    appearance: PreviewAppearance = {},
  ): Promise<{ readonly browser: Browser; readonly page: Page }> {
    const page = await this.browser.newPage({
      viewport: { width: appearance.width ?? 450, height: appearance.height ?? 820 },
    });
    await page.goto(`${this.server.origin}/view/${view}?script=${script}&theme=${appearance.theme ?? 'dark'}`);
    return { browser: this.browser, page };
  }
}

/** Waits until the page rests: for a tenth of a second and three frames nothing in it changed or was scrolled. What changes all the time is
 *  looked at after 300 frames. */
export async function untilAtRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    let [last, frames, all] = [performance.now(), 0, 0];
    const moved = (): void => void ([last, frames] = [performance.now(), 0]);
    const observer = new MutationObserver(moved);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    document.addEventListener('scroll', moved, { capture: true, passive: true });
    await new Promise<void>((resolve) => {
      const frame = (now: number): void => {
        const isResting = ++frames > 2 && now - last >= 100;
        if (isResting || ++all > 300) resolve();
        else requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    observer.disconnect();
    document.removeEventListener('scroll', moved, { capture: true });
  });
}

/** The same as in English, by the names of another language; what could not be found there is told. */
async function doneIn(page: Page, state: PreviewState, named: (english: string) => RegExp): Promise<readonly string[]> {
  const missed: string[] = [];
  const attempt = async (what: string, target: Locator, act: (target: Locator) => Promise<void>): Promise<void> => {
    for (let rests = 0; rests < 20 && (await target.count()) === 0; rests++) await untilAtRest(page);
    if ((await target.count()) === 0) missed.push(what);
    else await act(target);
  };
  for (const name of state.press ?? []) {
    const button = page
      .getByRole('button', { name: named(name) })
      .or(page.getByRole('group', { name: named(name) }).getByRole('button'))
      .or(page.getByRole('combobox', { name: named(name) }));
    const asItIs = page.getByRole('button', { name, exact: true });
    await attempt(name, asItIs.or(button).first(), (target) => target.click());
  }
  if (state.type !== undefined)
    await attempt('Message', page.getByRole('textbox', { name: named('Message') }), (field) =>
      field.fill(state.type ?? ''),
    );
  if (state.hover !== undefined) await attempt('hover', page.getByRole('article').last(), (article) => article.hover());
  return missed;
}

/** Opens the find bar, as soon as the part of the program is there that has it. */
async function find(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Find' });
  while ((await field.count()) === 0) {
    await page.keyboard.press('Control+f');
    await page.waitForTimeout(50);
  }
  await field.fill(text);
}

async function findRows(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Find', exact: true });
  await field.fill(text);
  await page.getByRole('search').getByRole('status').filter({ hasText: /./ }).waitFor();
  if (await page.getByRole('button', { name: 'Next Match' }).isEnabled()) await field.press('Enter');
}

async function press(page: Page, name: string): Promise<void> {
  const inGroup = page.getByRole('group', { name }).getByRole('button');
  const exact = page.getByRole('button', { name, exact: true });
  const button = (await exact.count()) > 0 ? exact : page.getByRole('button', { name }).or(inGroup);
  await (
    ['Model', 'Mode', 'Effort', 'Custom Agent'].includes(name)
      ? page.getByRole('combobox', { name, exact: true })
      : button
  )
    .first()
    .click();
}

/** A browser that finds no other machine. */
async function launch(): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ executablePath: await ensureChromium(), args });
}

type Form = Pick<BuildOptions, 'format' | 'splitting' | 'minify' | 'legalComments' | 'define'>;

function bundle(name: string, entry: string, form: Form): Promise<readonly (readonly [string, Buffer])[]> {
  const key = JSON.stringify([name, entry, form]);
  const made = shared.bundles.get(key) ?? makeBundle(name, entry, form);
  shared.bundles.set(key, made);
  return made;
}

async function makeBundle(name: string, entry: string, form: Form): Promise<readonly (readonly [string, Buffer])[]> {
  const result = await build({
    entryPoints: [entry],
    outdir: '/',
    entryNames: name,
    chunkNames: '[name]-[hash]',
    bundle: true,
    write: false,
    ...form,
    loader: webviewLoaders,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2022',
    logLevel: 'warning',
  });
  return result.outputFiles.map((file) => [`/${path.basename(file.path)}`, Buffer.from(file.contents)] as const);
}
