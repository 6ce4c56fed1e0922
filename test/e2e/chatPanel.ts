import { isDeepStrictEqual } from 'node:util';
import type { FrameLocator, Locator } from 'playwright-core';
import { patience, usualLimitMs, waitFor, type Workbench, write } from '../support/vscode';
import { EXTENSION_ID } from '../support/extensionId';

/** One message of the panel as a person sees it: who, in which state, and the rendered text of its body. */
export interface SeenMessage {
  readonly uid: string;
  readonly name: string;
  readonly state: string;
  readonly text: string;
}

/** Whether a look failed because its page went away under it; anything else is thrown on. */
function isReplaced(error: unknown): undefined {
  if (
    error instanceof Error &&
    /Frame was detached|Execution context was destroyed|frame got detached/i.test(error.message)
  )
    return undefined;
  throw error;
}

/** What is drawn of an answer, for the message of a test that fails: its state, and the beginning and the end of its text. */
export function drawn(answer: SeenMessage | undefined): string {
  if (answer === undefined) return 'no answer';
  const { state, text } = answer;
  return `an answer that is "${state}", of ${text.length} characters: ${JSON.stringify(text.length <= 160 ? text : `${text.slice(0, 80)} … ${text.slice(-80)}`)}`;
}

/** The Hermes panel of a window: what a person does in it and sees of it. Finds everything by role and name. */
export class ChatPanel {
  private constructor(
    readonly workbench: Workbench,
    readonly frame: FrameLocator,
  ) {}

  /** Brings the panel to the front and waits until it can be typed into. */
  static async open(workbench: Workbench): Promise<ChatPanel> {
    await workbench.runCommand('Hermes: Focus Chat');
    return ChatPanel.attach(workbench);
  }

  /** The panel that is open already, as soon as it can be typed into. */
  static async attach(workbench: Workbench): Promise<ChatPanel> {
    const frame = await workbench.waitForWebview(EXTENSION_ID);
    const panel = new ChatPanel(workbench, frame);
    await panel.composer.waitFor();
    return panel;
  }

  /** A session in an editor tab; `index` counts the tabs of ours that are in sight. */
  static async inEditor(workbench: Workbench, index = 0): Promise<ChatPanel> {
    const panel = new ChatPanel(workbench, workbench.editorWebview(EXTENSION_ID, index));
    await panel.composer.waitFor();
    return panel;
  }

  get composer(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message' });
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name });
  }

  /** Resolves when the header names this model as the one that answers. */
  async answersWith(model: string | RegExp): Promise<void> {
    await this.frame.getByRole('combobox', { name: 'Model' }).filter({ hasText: model }).waitFor();
  }

  async send(text: string): Promise<void> {
    await write(this.composer, text);
    await this.composer.press('Enter');
  }

  /** Sends a prompt and waits for exactly this answer. */
  async ask(prompt: string, answer: string): Promise<void> {
    await this.send(prompt);
    await this.answered(answer);
  }

  /** Waits until this is the newest answer, and nothing runs. */
  async answered(answer: string): Promise<void> {
    await this.waitForSettledAnswer(`the answer "${answer.slice(0, 80)}"`, (text) => text === answer);
  }

  /** Waits until nothing runs: the composer offers to send. */
  async settled(): Promise<void> {
    await this.button(/^Send$/).waitFor();
  }

  async newSession(): Promise<void> {
    await this.workbench.runCommand('Hermes: New Session');
    await this.sees('Hermes works in your folder');
    // The command gives the composer the focus when the session is shown. A menu that is open then would close.
    await this.frame.locator('textarea:focus').waitFor();
  }

  /** Loads the window again. Resolves with the panel as it is then. */
  async reload(): Promise<ChatPanel> {
    await this.workbench.reload();
    return ChatPanel.attach(this.workbench);
  }

  /** Waits until the session in the panel has this title. */
  async titled(title: string): Promise<void> {
    await this.frame.getByRole('button', { name: `Rename Session: ${title}`, exact: true }).waitFor();
  }

  async composerHas(text: string): Promise<void> {
    await waitFor(`"${text}" in the composer`, async () => (await this.composer.inputValue()) === text, {
      seen: () => this.composer.inputValue(),
    });
  }

  /** The newest message that says exactly this. */
  message(text: string): Locator {
    return this.frame
      .getByRole('article')
      .filter({ has: this.frame.getByText(text, { exact: true }) })
      .last();
  }

  /** Presses a button of the message that says exactly this. */
  async act(on: string, action: string): Promise<void> {
    await this.message(on).hover();
    await this.message(on).getByRole('button', { name: action }).click();
  }

  /** Waits for exactly these messages. */
  async shows(...texts: readonly string[]): Promise<void> {
    let last: readonly string[] = [];
    const areShown = async (): Promise<boolean> =>
      isDeepStrictEqual((last = (await this.messages()).map(({ text }) => text)), texts);
    await waitFor(`the messages ${texts.join(', ')}`, areShown, { seen: () => last });
  }

  /** Every message that is drawn, in order, read in one step; of the next page where this one is replaced under the look. */
  async messages(): Promise<readonly SeenMessage[]> {
    return waitFor('the messages of the panel', () => this.#readMessages().catch(isReplaced));
  }

  #readMessages(): Promise<readonly SeenMessage[]> {
    return this.frame.locator('body').evaluate((body) =>
      [...body.querySelectorAll('[role=article][data-uid], article[data-uid]')].map((article) => ({
        uid: article.getAttribute('data-uid') ?? '',
        name: article.getAttribute('aria-label') ?? '',
        state: article.getAttribute('data-state') ?? '',
        text: [...article.querySelectorAll('[data-part=text]')]
          .map((part) => part.textContent ?? '')
          .join('')
          .trim(),
      })),
    );
  }

  async answers(): Promise<readonly SeenMessage[]> {
    return (await this.messages()).filter(({ name }) => name.startsWith('Hermes'));
  }

  async prompts(): Promise<readonly SeenMessage[]> {
    return (await this.messages()).filter(({ name }) => name.startsWith('You'));
  }

  /** The text of the newest answer, '' while there is none. */
  async lastAnswer(): Promise<string> {
    return (await this.answers()).at(-1)?.text ?? '';
  }

  /** Resolves with the text of the newest answer as soon as it holds; the answer may still be being written. */
  async waitForAnswer(what: string, holds: (text: string) => boolean): Promise<string> {
    return (await this.#newestAnswer(what, ({ text }) => holds(text))).text;
  }

  /** Resolves with the newest answer once it is whole: it is not being written any more, and the composer offers to send, so nothing runs.
   *  After a prompt was sent, the answer before it still is the newest for a moment: then `holds` has to tell them apart. */
  async waitForSettledAnswer(what: string, holds: (text: string) => boolean = () => true): Promise<SeenMessage> {
    return this.#newestAnswer(
      what,
      ({ state, text }) => ['saved', 'interrupted', 'failed'].includes(state) && text !== '' && holds(text),
      async (answer) => {
        const isIdle = await this.button(/^Send$/).isVisible();
        return isIdle && JSON.stringify((await this.answers()).at(-1)) === JSON.stringify(answer);
      },
    );
  }

  async #newestAnswer(
    what: string,
    holds: (answer: SeenMessage) => boolean,
    isLast: (answer: SeenMessage) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<SeenMessage> {
    let last: SeenMessage | undefined;
    const newest = async (): Promise<SeenMessage | undefined> => {
      last = (await this.answers()).at(-1);
      return last !== undefined && holds(last) && (await isLast(last)) ? last : undefined;
    };
    return waitFor(what, newest, { seen: () => drawn(last) });
  }

  /** Waits for a text anywhere in the panel. */
  async sees(text: string | RegExp, timeoutMs = usualLimitMs): Promise<void> {
    await this.frame
      .getByText(text)
      .first()
      .waitFor({ timeout: timeoutMs * patience });
  }
}
