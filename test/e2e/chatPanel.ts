import type { FrameLocator, Locator } from 'playwright-core';
import { patience, waitFor, type Workbench } from '../support/vscode';
import { EXTENSION_ID } from './extensionId';

/** One message of the panel as a person sees it: who, in which state, and the rendered text of its body. */
export interface SeenMessage {
  readonly uid: string;
  readonly name: string;
  readonly state: string;
  readonly text: string;
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
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** Every message that is drawn, in order, read in one step. */
  async messages(): Promise<readonly SeenMessage[]> {
    return this.frame.locator('body').evaluate((body) =>
      [...body.querySelectorAll('[role=article][data-uid], article[data-uid]')].map((article) => ({
        uid: article.getAttribute('data-uid') ?? '',
        name: article.getAttribute('aria-label') ?? '',
        state: article.getAttribute('data-state') ?? '',
        text: [...article.querySelectorAll('[data-part=text]')].map((part) => part.textContent ?? '').join('').trim(),
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

  async waitForAnswer(what: string, holds: (text: string) => boolean, timeoutMs = 30_000): Promise<string> {
    return waitFor(
      what,
      async () => {
        const text = await this.lastAnswer();
        return holds(text) ? { text } : undefined;
      },
      timeoutMs,
    ).then(({ text }) => text);
  }

  /** Waits for a text anywhere in the panel. */
  async sees(text: string | RegExp, timeoutMs = 20_000): Promise<void> {
    await this.frame.getByText(text).first().waitFor({ timeout: timeoutMs * patience });
  }
}
