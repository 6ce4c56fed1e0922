import { errors, type Locator } from 'playwright-core';
import { patience, waitFor, type Workbench } from '../support/vscode';

/** Presses an entry of an open menu. A menu takes a button that is let go soon after it has opened for the end of the press that opened it. */
export async function chooseFromMenu(item: Locator, entry: string): Promise<void> {
  await waitFor(`"${entry}" to be chosen`, async () => {
    if ((await item.count()) === 0) return true;
    await item.click({ timeout: 2_000 * patience }).catch(notYet);
    return item.waitFor({ state: 'detached', timeout: 2_000 * patience }).then(() => true, notYet);
  });
}

/** Playwright's "not yet"; anything else is thrown on. */
export function notYet(error: unknown): false {
  if (error instanceof errors.TimeoutError) return false;
  throw error;
}

/** The sessions view of a window: what a person does in it and sees of it. Finds everything by role and name. */
export class SessionsView {
  private constructor(private readonly workbench: Workbench) {}

  static async open(workbench: Workbench): Promise<SessionsView> {
    await workbench.runCommand('Hermes: Focus on Sessions View');
    return new SessionsView(workbench);
  }

  get tree(): Locator {
    return this.workbench.page.getByRole('tree', { name: 'Sessions' });
  }

  /** A session or group, by the beginning of what is read out of it. */
  row(name: string | RegExp): Locator {
    const beginning = typeof name === 'string' ? new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`) : name;
    return this.tree.getByRole('treeitem', { name: beginning }).first();
  }

  /** Unfolds a group. The editor may draw the view anew under a press, which is then lost on it. */
  async unfold(group: string): Promise<void> {
    const row = this.row(group);
    await row.waitFor();
    await waitFor(`${group} to be unfolded`, async () => {
      if ((await row.getAttribute('aria-expanded')) === 'true') return true;
      await this.atRest();
      await row.click();
      // A second press would fold it again: only one that had no effect for long was lost.
      return this.tree
        .locator('[role=treeitem][aria-expanded=true]')
        .and(row)
        .waitFor({ timeout: 5_000 * patience })
        .then(() => true, notYet);
    });
  }

  /** Every row that is drawn, indented by its level, with the part of its accessible name before the age. */
  async outline(): Promise<readonly string[]> {
    const rows = await this.tree
      .getByRole('treeitem')
      .evaluateAll((items) =>
        items.map(
          (item) => [Number(item.getAttribute('aria-level') ?? '1'), item.getAttribute('aria-label') ?? ''] as const,
        ),
      );
    return rows.map(([level, label]) => `${'  '.repeat(level - 1)}${label.split(', ')[0]}`);
  }

  async waitForOutline(what: string, holds: (outline: readonly string[]) => boolean): Promise<readonly string[]> {
    let last: readonly string[] = [];
    await waitFor(what, async () => holds((last = await this.outline())), { seen: () => last.join('\n') });
    return last;
  }

  /** Opens a session with the mouse. */
  async click(row: string | RegExp, modifiers: readonly 'ControlOrMeta'[] = []): Promise<void> {
    await this.row(row).waitFor();
    await this.atRest();
    await this.row(row)
      .locator('.monaco-icon-label')
      .first()
      .click({ modifiers: [...modifiers] });
  }

  /** Resolves when the mouse is elsewhere and five looks have seen no change in the view: while it is drawn anew, the editor does not know what is
   *  pressed, and what it says of the row under the mouse may lie upon others. */
  private async atRest(): Promise<void> {
    await this.workbench.page.mouse.move(2, 2);
    await this.workbench.page
      .locator('.workbench-hover-container, .context-view .hover-contents')
      .first()
      .waitFor({ state: 'hidden' });
    let last = '';
    let same = 0;
    await waitFor('the sessions view to be at rest', async () => {
      const now = JSON.stringify(
        await this.tree
          .getByRole('treeitem')
          .evaluateAll((items) =>
            items.map((item) => [item.getAttribute('aria-label'), item.getBoundingClientRect().top]),
          ),
      );
      same = now === last ? same + 1 : 0;
      last = now;
      return same >= 5;
    });
  }

  /** Chooses from the menu of a row, with the mouse. */
  async choose(row: string, entry: string): Promise<void> {
    await this.row(row).waitFor();
    await this.atRest();
    const item = this.workbench.page.getByRole('menuitem', { name: entry });
    await waitFor(`the menu of ${row}`, async () => {
      // The view may be drawn anew under the press, which closes the menu.
      await this.row(row).click({ button: 'right' });
      return item.waitFor({ timeout: 5_000 * patience }).then(() => true, notYet);
    });
    await chooseFromMenu(item, entry);
  }

  /** Presses one of the buttons that a row shows under the mouse. */
  async press(row: string, button: string): Promise<void> {
    await this.row(row).waitFor();
    await this.atRest();
    await this.row(row).hover();
    await this.row(row).getByRole('button', { name: button }).click();
  }

  /** Leaves only sessions with these words in title or first prompt. */
  async filter(words: string): Promise<void> {
    const { page } = this.workbench;
    await page.getByRole('button', { name: 'Sessions Section' }).hover();
    const clear = page.getByRole('button', { name: 'Clear Filter' }).first();
    if (await clear.isVisible()) await clear.click();
    await this.workbench.openAndAnswer(
      () => page.getByRole('button', { name: 'Filter Sessions…' }).click(),
      'Words from titles or first prompts',
      words,
    );
  }
}
