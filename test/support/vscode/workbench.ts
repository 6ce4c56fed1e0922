import fs from 'node:fs';
import path from 'node:path';
import { errors, type ConsoleMessage, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { patience, usualLimitMs, waitFor, within } from './processes';
import type { Settings } from './userSettings';
import { write } from './writing';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** What a webview is shown in: a view of a side bar or panel, or an editor tab. */
export type WebviewPlace = 'view' | 'editor';

/** One VS Code window: what a person does in it and sees of it. */
export class Workbench {
  readonly #console: string[] = [];

  constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('console', (message: ConsoleMessage) =>
      this.#console.push(`[${message.type()}] ${message.text()} (${message.location().url})`),
    );
    page.on('pageerror', (error: Error) => this.#console.push(`[pageerror] ${error.stack ?? error.message}`));
  }

  /** What the window and its webviews wrote to the developer console, since it was opened. */
  get console(): readonly string[] {
    return this.#console;
  }

  /** The console's errors that come from our own views or name us, and whatever a content security policy refused.
   *  VS Code's server has many of its own: no marketplace, no proprietary modules, work cut short by a reload. It names
   *  a file that a view still waited for when it was closed; a file that is missing fails a test by itself. */
  errors(): string[] {
    return this.#console.filter(
      (line) =>
        /^\[(error|pageerror)\]/.test(line) &&
        /hermes-vscode\.hermes-vscode|Content Security Policy/.test(line) &&
        !line.includes('Webview.loadLocalResource'),
    );
  }

  /** Opens a folder or a workspace file, or an empty window without one, and waits until the window can be used. Extensions activate a little later. */
  async open(folder?: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const kind = folder?.endsWith('.code-workspace') === true ? 'workspace' : 'folder';
    const where = folder === undefined ? { ew: 'true' } : { [kind]: folder };
    await this.page.goto(`${this.origin}/?${new URLSearchParams({ ...where, ...query }).toString()}`);
    await this.ready();
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor();
    await this.page.locator('.statusbar-item').first().waitFor();
  }

  /** Runs a command by its title in the palette ("Hermes: New Session"), as a person would; "Hermes: Export… › Export Session…"
   *  is a choice of the pick that the command opens. */
  async runCommand(title: string): Promise<void> {
    const palette = this.page.locator('.quick-input-widget');
    await waitFor(`the command "${title}" to be in the palette`, async () => {
      // A window that is still starting, or a palette that is still closing, may take the new palette away again: then once more. An open
      // palette keeps its list, so what an extension adds meanwhile is seen only in a new one.
      if (await palette.isVisible()) await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('F1');
      return this.#chooseCommand(...title.split(' › ')).then(() => true, isTimeoutOnly);
    });
  }

  /** Chooses a command by its whole title: the palette has those that were used last first, also of two that begin alike. */
  async #chooseCommand(title = '', ...choices: readonly string[]): Promise<void> {
    await this.page.locator('.quick-input-widget input.input').fill(`>${title}`, { timeout: 2_000 * patience });
    await this.#rowNamed(`${escaped(title)}(?:…|[.]{3})?$`).click({ timeout: 2_000 * patience });
    for (const choice of choices) await this.quickInputRow(choice).click({ timeout: 10_000 * patience });
  }

  /** A row of an open quick pick, by the beginning of its accessible name. */
  readonly quickInputRow = (name: string): Locator => this.#rowNamed(escaped(name));

  #rowNamed(pattern: string): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name', { hasText: new RegExp(`^${pattern}`) }) })
      .first();
  }

  /** Runs a command that opens a quick pick, and resolves with its field once the pick is there. The palette that closes may give the focus to
   *  where it was just as the pick comes, which closes it: then once more. Keys that are pressed before that go nowhere. */
  async openPick(title: string, placeholder: RegExp): Promise<Locator> {
    const field = this.page.locator('.quick-input-widget').getByPlaceholder(placeholder);
    await waitFor(`"${title}" to open its pick`, async () => {
      await this.runCommand(title);
      return field.waitFor({ timeout: 5_000 * patience }).then(() => true, isTimeoutOnly);
    });
    return field;
  }

  /** Runs a command that opens a quick pick, and chooses the row that begins so, or this one; `words`: what is looked for there. Once more where the
   *  pick was closed before that; see openPick. */
  async runAndChoose(title: string, row: string | Locator, words = ''): Promise<void> {
    const wanted = typeof row === 'string' ? this.quickInputRow(row) : row;
    const timeout = 10_000 * patience;
    await waitFor(`"${typeof row === 'string' ? row : words}" to be chosen in "${title}"`, async () => {
      await this.runCommand(title);
      if (words !== '' && !(await this.#lookFor(words, timeout))) return false;
      return wanted.click({ timeout }).then(() => true, isTimeoutOnly);
    });
  }

  /** Whether the field of the quick pick that opens behind the palette took the words. */
  async #lookFor(words: string, timeout: number): Promise<boolean> {
    const isOpen = await within(
      10_000,
      async () => (await this.#input.isVisible()) && !(await this.#input.inputValue()).startsWith('>'),
    );
    if (isOpen === undefined) return false;
    const isFilled = await this.#input.fill(words, { timeout }).then(() => true, isTimeoutOnly);
    return isFilled && (await this.#input.inputValue()) === words;
  }

  /** Answers the input box that says `asked` (its title, prompt or placeholder). What was open before it may still be there for a moment. */
  async answerInput(asked: string | RegExp, text: string): Promise<void> {
    await waitFor(`the input box that asks ${String(asked)}`, () => this.#asks(asked));
    await write(this.#input, text);
    await this.#input.press('Enter');
  }

  /** Opens an input box with `open` and answers it; opens it again where it was closed before that. A tree of the editor that had the focus takes it
   *  back when it is drawn anew just then, and a box that loses it closes. */
  async openAndAnswer(open: () => Promise<void>, asked: string | RegExp, text: string): Promise<void> {
    await waitFor(`the input box that asks ${String(asked)} to be answered`, async () => {
      if (!(await this.#asks(asked))) await open();
      await within(5_000, () => this.#asks(asked));
      const isFilled = await this.#input.fill(text, { timeout: 2_000 * patience }).then(() => true, isTimeoutOnly);
      if (isFilled) await this.#input.press('Enter', { timeout: 2_000 * patience }).catch(isTimeoutOnly);
      return isFilled;
    });
  }

  get #input(): Locator {
    return this.page.locator('.quick-input-widget input.input');
  }

  async #asks(asked: string | RegExp): Promise<boolean> {
    const widget = this.page.locator('.quick-input-widget');
    if (!(await widget.isVisible())) return false;
    const says = `${await widget.innerText({ timeout: 2_000 * patience }).catch(isTimeoutOnly)}\n${await this.#input.getAttribute('placeholder', { timeout: 2_000 * patience }).catch(isTimeoutOnly)}`;
    return typeof asked === 'string' ? says.includes(asked) : asked.test(says);
  }

  /** Saves as `file` in the editor's own file dialog. It proposes a name some time after it has opened, over whatever was typed before. */
  async saveAs(file: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    await waitFor(
      'the file dialog to propose a name',
      async () => (await input.inputValue()).length > 1 && !(await input.inputValue()).endsWith('/'),
    );
    await write(input, file);
    await waitFor('the file dialog to show what was typed', async () => (await input.inputValue()) === file);
    await this.page.keyboard.press('Enter');
  }

  /** Developer: Reload Window; waits until the new window can be used. It also resets VS Code's count of extension host crashes. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: 2 * usualLimitMs * patience });
    await Promise.all([loaded, this.runCommand('Developer: Reload Window')]);
    await this.ready();
  }

  /** A status bar item, by a part of its accessible name or text. */
  statusBarItem(name: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: name }).first();
  }

  async clickStatusBar(name: string | RegExp): Promise<void> {
    await this.statusBarItem(name).locator('a').first().click();
  }

  /** The document inside a webview of an extension. Narrow by place when the extension shows several at once. */
  webview(extensionId: string, place: WebviewPlace = 'view'): FrameLocator {
    // For a moment a view that is loaded anew, by the next extension host, stands behind the one it replaces.
    const found = this.page.locator(webviewSelector(extensionId, place));
    return (place === 'view' ? found.last() : found).contentFrame().frameLocator('#active-frame');
  }

  /** The document of one of the extension's editor tabs that are in sight, by their order on the page. */
  editorWebview(extensionId: string, index: number): FrameLocator {
    return this.page
      .locator(webviewSelector(extensionId, 'editor'))
      .nth(index)
      .contentFrame()
      .frameLocator('#active-frame');
  }

  /** Resolves when a webview of the extension is loaded and its body is there. */
  async waitForWebview(
    extensionId: string,
    place: WebviewPlace = 'view',
    timeoutMs = usualLimitMs,
  ): Promise<FrameLocator> {
    const frame = this.webview(extensionId, place);
    await frame.locator('body').waitFor({ timeout: timeoutMs * patience });
    return frame;
  }

  /** How many webviews of the extension are open in a place, loaded or not. */
  async webviewCount(extensionId: string, place: WebviewPlace): Promise<number> {
    return this.page.locator(webviewSelector(extensionId, place)).count();
  }

  /** The texts of the notifications that are shown now. */
  async toasts(): Promise<string[]> {
    return this.page.locator('.notifications-toasts .notification-list-item-message').allInnerTexts();
  }

  async clickToast(button: string): Promise<void> {
    await this.page.locator('.notifications-toasts').getByRole('button', { name: button }).first().click();
  }

  /** Resolves when a notification that contains `text` is shown. */
  async waitForToast(text: string | RegExp): Promise<string> {
    // Read in the look that finds it: it may go by itself.
    const holds = (toast: string): boolean => (typeof text === 'string' ? toast.includes(text) : text.test(toast));
    let last: readonly string[] = [];
    return waitFor(`the notification ${String(text)}`, async () => (last = await this.toasts()).find(holds), {
      seen: () => last,
    });
  }

  /** The modal dialog that is open. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Titles of the open editor tabs of all groups, in order. */
  async tabs(): Promise<string[]> {
    return this.page.locator('.tabs-container .tab .label-name').allInnerTexts();
  }

  /** Replaces the user settings in the settings editor, as a person would: takes effect at once, without a reload. */
  async writeUserSettings(settings: Settings): Promise<void> {
    await this.runCommand('Preferences: Open User Settings (JSON)');
    await this.page.locator('.tab.active', { hasText: 'settings.json' }).waitFor();
    await this.page.locator('.editor-instance .view-lines').last().click();
    await this.page.keyboard.press('ControlOrMeta+A');
    // Pasted, not typed: typing closes brackets by itself.
    await this.page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(settings, null, 2));
    await this.page.keyboard.press('ControlOrMeta+V');
    // In a browser the editor saves by itself after a second, perhaps before it is looked.
    await this.page
      .locator('.tab.active.dirty')
      .waitFor({ timeout: 2_000 * patience })
      .catch(isTimeoutOnly);
    await this.runCommand('File: Save');
    await this.page.locator('.tab.active:not(.dirty)').waitFor();
    await this.runCommand('View: Close Editor');
  }

  /** Chooses a colour theme by its name ("Dark Modern", "Light Modern", "Default High Contrast", …), and waits until the window has it. */
  async setTheme(name: string): Promise<void> {
    const field = await this.openPick('Preferences: Color Theme', /color theme/i);
    await write(field, name);
    await this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.getByText(name, { exact: true }) })
      .first()
      .click();
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    // The list closes before the theme is loaded.
    await this.page.locator(`.monaco-workbench.${themeClass(name)}`).waitFor();
  }

  /** Gives the window this size, and makes sure that it is laid out for it: one that is still starting may miss that its size has changed. */
  async resize(width: number, height: number): Promise<void> {
    const isLaidOut = async (): Promise<boolean> => {
      const box = await this.page.locator('.monaco-workbench').boundingBox();
      return box?.width === width && box.height === height;
    };
    await waitFor(`a window of ${width} by ${height}`, async () => {
      await this.page.setViewportSize({ width, height: height - 1 });
      await this.page.setViewportSize({ width, height });
      return within(3_000, isLaidOut);
    });
  }

  /** Drags the border of the secondary side bar until it is `width` pixels wide (within a pixel or two; VS Code has its own minimum). */
  async resizeSecondarySideBar(width: number): Promise<void> {
    const bar = await this.page.locator('#workbench\\.parts\\.auxiliarybar').boundingBox();
    if (!bar) throw new Error('The secondary side bar is hidden');
    const y = bar.y + bar.height / 2;
    // The border is a strip of four pixels left of the bar.
    await this.page.mouse.move(bar.x - 2, y);
    await this.page.mouse.down();
    await this.page.mouse.move(bar.x + bar.width - width, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Writes a picture to .vscode-test/screenshots/<name>.png and gives its path. */
  async screenshot(folder: string, name: string): Promise<string> {
    const file = path.join(folder, `${name.replace(/[^\w.-]+/g, '-')}.png`);
    fs.mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: file });
    return file;
  }
}

function webviewSelector(extensionId: string, place: WebviewPlace): string {
  const id = `iframe.webview.ready[src*="extensionId=${extensionId}" i]`;
  return place === 'view' ? `${id}[src*="purpose=webviewView"]` : `${id}:not([src*="purpose=webviewView"])`;
}

/** Playwright's "not yet"; anything else (a closed page) is thrown on. */
function isTimeoutOnly(error: unknown): false {
  if (error instanceof errors.TimeoutError) return false;
  throw error;
}

/** Class of a window with this theme. */
function themeClass(name: string): string {
  if (name.includes('High Contrast')) return name.includes('Light') ? 'hc-light' : 'hc-black';
  return name.includes('Light') ? 'vs' : 'vs-dark';
}
