import path from 'node:path';
import { type FrameLocator, type Locator } from 'playwright-core';
import {
  patience,
  projectRoot,
  type VscodeSession,
  usualLimitMs,
  waitFor,
  within,
  type Workbench,
} from '../support/vscode';
import { axeFindings } from '../support/webviewPreview/audit';
import { ChatPanel } from './chatPanel';
import { expectFocus, walkTo } from './keyboardFocus';
import { notYet } from './sessionsView';

/** A person at a window who has no mouse. The page is only looked at; whatever is done goes through the keys. */
export class KeyboardHands {
  #panel: ChatPanel | undefined;

  private constructor(readonly workbench: Workbench) {}

  /** Opens a folder and the chat in it. */
  static async openChat(vscode: VscodeSession, folder: string): Promise<KeyboardHands> {
    const hands = new KeyboardHands(await vscode.open(folder));
    await hands.command('Hermes: Focus Chat');
    hands.#panel = await ChatPanel.attach(hands.workbench);
    await hands.onComposer();
    return hands;
  }

  get panel(): ChatPanel {
    if (this.#panel === undefined) throw new Error('The chat is not open');
    return this.#panel;
  }

  get #input(): Locator {
    return this.workbench.page.locator('.quick-input-widget input.input');
  }

  get #chosenRow(): Locator {
    return this.workbench.page.locator('.quick-input-list .monaco-list-row.focused');
  }

  async press(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.workbench.page.keyboard.press(name);
  }

  type(text: string): Promise<void> {
    return this.workbench.page.keyboard.type(text);
  }

  /** A command by its title in the palette. A window that still starts may not have it yet: then once more. */
  async command(path: string): Promise<void> {
    const [title = '', ...choices] = path.split(' › ');
    await waitFor(`the command "${title}" to be run`, async () => {
      await this.press('F1');
      const isOpen = await this.#input.waitFor({ timeout: 5_000 * patience }).then(() => true, notYet);
      if (!isOpen) return false;
      await this.press('ControlOrMeta+A');
      await this.type(`>${title}`);
      return this.#goTo((words) => words === title, 5_000 * patience);
    });
    await this.press('Enter');
    for (const choice of choices) await this.choose(choice);
  }

  /** The entry of an open quick pick that begins so; where `typed` is given, it is looked for by typing that. */
  async choose(beginning: string, typed = ''): Promise<void> {
    // The palette that ran the command may still be closing.
    await waitFor(
      'the list that was asked for',
      async () => (await this.#input.isVisible()) && !(await this.#input.inputValue()).startsWith('>'),
    );
    if (typed !== '') await this.type(typed);
    if (!(await this.#goTo((words) => words.startsWith(beginning), usualLimitMs * patience)))
      throw new Error(`The list has no “${beginning}”`);
    await this.press('Enter');
  }

  /** Goes down an open list until the row in focus is the one; false where it is not there in time. */
  async #goTo(isIt: (words: string) => boolean, timeoutMs: number): Promise<boolean> {
    const rows = this.workbench.page.locator('.quick-input-list .monaco-list-row .label-name');
    const isListed = async (): Promise<boolean> => (await rows.allInnerTexts()).some((words) => isIt(plain(words)));
    if (!(await within(timeoutMs, isListed))) return false;
    // The list may be in sight before it has the keys: what is pressed until then goes elsewhere.
    const isChosen = async (): Promise<boolean> => {
      const words = await this.#chosenRow
        .locator('.label-name')
        .first()
        .innerText({ timeout: 2_000 * patience })
        .catch(notYet);
      if (words !== false && isIt(plain(words))) return true;
      await this.press('ArrowDown');
      return false;
    };
    return (await within(timeoutMs, isChosen)) === true;
  }

  /** Saves as `file` in the editor's own dialog. It proposes a name some time after it has opened, over whatever was typed before. */
  async saveAs(file: string): Promise<void> {
    await waitFor(
      'the file dialog to propose a name',
      async () => (await this.#input.inputValue()).length > 1 && !(await this.#input.inputValue()).endsWith('/'),
    );
    await this.press('ControlOrMeta+A');
    await this.type(file);
    await waitFor('the file dialog to show what was typed', async () => (await this.#input.inputValue()) === file);
    await this.press('Enter');
  }

  /** Tab until the focus is there. */
  tabTo(role: string, name: string | RegExp, frame: FrameLocator = this.panel.frame): Promise<void> {
    return walkTo(frame, () => this.press('Tab'), role, name);
  }

  /** Shift+Tab until the focus is there: the way from the composer up into the conversation. */
  backTo(role: string, name: string | RegExp, frame: FrameLocator = this.panel.frame): Promise<void> {
    return walkTo(frame, () => this.press('Shift+Tab'), role, name);
  }

  /** Along a row of buttons, which is one stop of Tab. */
  along(role: string, name: string | RegExp): Promise<void> {
    return walkTo(this.panel.frame, () => this.press('ArrowRight'), role, name, 10);
  }

  onComposer(): Promise<void> {
    return expectFocus(this.panel.frame, 'textbox', 'Message');
  }

  /** Writes into the composer, which has the focus, and waits for the answer. */
  async ask(prompt: string, answer: string): Promise<void> {
    await this.type(prompt);
    await this.press('Enter');
    await this.answered(answer);
  }

  async answered(answer: string): Promise<void> {
    await this.panel.waitForSettledAnswer(`the answer "${answer}"`, (text) => text.includes(answer));
    await this.panel.button(/^Send$/).waitFor();
  }

  async newSession(): Promise<void> {
    await this.command('Hermes: New Session');
    await this.panel.sees('Hermes works in your folder');
    await this.onComposer();
  }

  /** What axe finds in a view. */
  async findings(frame: FrameLocator = this.panel.frame): Promise<readonly string[]> {
    const inside = await (await frame.locator('body').elementHandle())?.ownerFrame();
    if (inside === null || inside === undefined) throw new Error('The view is gone');
    return axeFindings(inside);
  }

  picture(name: string): Promise<string> {
    return this.workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots/keyboard'), name);
  }
}

/** Labels break lines where the list has no room, and hold blanks that do not break. */
function plain(words: string): string {
  return words.replace(/\s+/g, ' ').trim();
}
