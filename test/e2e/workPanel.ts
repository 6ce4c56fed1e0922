import type { Locator } from 'playwright-core';
import { waitFor, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';

/** The approval card of a panel: what a person reads and presses in it. */
export class ApprovalCard {
  private constructor(
    readonly panel: ChatPanel,
    readonly card: Locator,
  ) {}

  /** Waits for the card that asks exactly this ("Run npm test?"). */
  static async asks(panel: ChatPanel, name: string): Promise<ApprovalCard> {
    const card = panel.frame.getByRole('alertdialog', { name, exact: true });
    await card.waitFor();
    return new ApprovalCard(panel, card);
  }

  button(name: string): Locator {
    return this.card.getByRole('button', { name, exact: true });
  }

  /** What can be answered. A preview may have a button of its own, an icon that copies. */
  async buttons(): Promise<readonly string[]> {
    return this.card.getByRole('button').filter({ hasText: /\S/ }).allInnerTexts();
  }

  async reasons(): Promise<readonly string[]> {
    return this.card.getByRole('listitem').allInnerTexts();
  }

  /** The lines of the change, each with its sign. */
  async changedLines(): Promise<readonly string[]> {
    return changedLines(this.card.getByRole('region', { name: 'Changes' }));
  }

  /** The card takes the focus by itself where the chat has it: the Tab key leads to its buttons. */
  async pressByKeyboard(name: string): Promise<void> {
    const { keyboard } = this.panel.workbench.page;
    await waitFor('the card to have the focus', () => this.card.evaluate((card) => card === document.activeElement));
    await waitFor(`the focus to come to "${name}"`, async () => {
      await keyboard.press('Tab');
      return this.button(name).evaluate((button) => button === document.activeElement);
    });
    await keyboard.press('Enter');
    await this.gone();
  }

  async press(name: string): Promise<void> {
    await this.button(name).click();
    await this.gone();
  }

  async deny(reason: string): Promise<void> {
    await this.button('More Actions…').click();
    await this.button('Deny with Reason…').click();
    await write(this.card.getByRole('textbox', { name: 'Reason' }), reason);
    await this.card.getByRole('textbox', { name: 'Reason' }).press('Enter');
    await this.gone();
  }

  async gone(): Promise<void> {
    await this.card.waitFor({ state: 'detached' });
  }
}

/** "-old" and "+new" of a change that is drawn below `where`. */
export async function changedLines(where: Locator): Promise<readonly string[]> {
  const changed = where.locator('.diff-removed, .diff-added');
  await changed.first().waitFor();
  const texts = await changed.evaluateAll((lines) =>
    lines.map(
      (line) =>
        `${line.querySelector('.diff-sign')?.textContent ?? ''}${line.querySelector('.diff-text')?.textContent ?? ''}`,
    ),
  );
  return texts.map((text) => text.replace(/\n$/, ''));
}

/** A tool call's row. `state` is the end of its name: "done", "running", … */
export function toolRow(panel: ChatPanel, tool: string, state: string): Locator {
  return panel.frame.getByRole('group', { name: `Tool: ${tool}, ${state}`, exact: true });
}

/** The names of all calls that are drawn, in order. */
export async function toolRows(panel: ChatPanel): Promise<readonly string[]> {
  return panel.frame
    .locator('[role=group][aria-label^="Tool: "]')
    .evaluateAll((rows) => rows.map((row) => (row.getAttribute('aria-label') ?? '').replace(/^Tool: /, '')));
}

/** Waits until nothing runs: the composer offers to send. */
export async function settled(panel: ChatPanel): Promise<void> {
  await panel.button(/^Send$/).waitFor();
}

export async function chooseMode(panel: ChatPanel, name: string): Promise<void> {
  const picker = panel.frame.getByRole('combobox', { name: 'Mode', exact: true });
  await picker.click();
  await panel.frame.getByRole('option', { name: new RegExp(`^${name}`) }).click();
  if (name === 'Edit Automatically') await panel.workbench.dialog().getByRole('button', { name: 'Turn On' }).click();
  await picker.filter({ hasText: name }).waitFor();
}
