import { beforeEach } from 'vitest';

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly picked?: boolean;
}

interface Picking {
  /** Labels of the rows that the user ends with. */
  readonly rows?: readonly string[];
  /** True: presses the button of the picker instead. */
  readonly button?: boolean;
}

/** The editor's boxes, answered by a test. */
class AnsweringEditor {
  /** Label of the row to choose in each QuickPick, in order. Undefined: cancel. */
  readonly picks: (string | undefined)[] = [];
  readonly multiPicks: Picking[] = [];
  /** Button to press in each modal question, in order. */
  readonly buttons: (string | undefined)[] = [];
  /** Button to press in each information message, in order. */
  readonly messageButtons: (string | undefined)[] = [];
  /** File to choose in each file dialog, in order. Undefined: cancel. */
  readonly files: (string | undefined)[] = [];
  readonly shown: string[] = [];
  /** File to choose in each dialog to save one, in order. Undefined: cancel. */
  readonly saves: (string | undefined)[] = [];
  /** Listeners to the Cancel button of the progress that is shown. */
  readonly cancels: (() => void)[] = [];
  /** Commands that were run, with their arguments. */
  readonly ran: (readonly unknown[])[] = [];
  /** Contents of the documents that were opened. */
  readonly documents: string[] = [];
  /** Rows of each QuickPick. */
  readonly offered: (readonly string[])[] = [];
  /** Placeholder of each picker, and the number of its buttons. */
  readonly pickers: (readonly [placeholder: string, buttons: number])[] = [];
  /** Rows that were chosen before the user did anything. */
  readonly preselected: (readonly string[])[] = [];

  reset(): void {
    for (const list of [this.picks, this.multiPicks, this.buttons, this.messageButtons, this.files]) list.length = 0;
    for (const list of [this.shown, this.documents, this.offered, this.preselected]) list.length = 0;
    for (const list of [this.saves, this.cancels, this.pickers, this.ran]) list.length = 0;
  }

  readonly window = {
    showQuickPick: async (items: readonly Row[], options?: { readonly canPickMany?: boolean }) => {
      this.offered.push(items.map(({ label, description = '' }) => `${label} | ${description}`));
      if (options?.canPickMany === true) {
        this.preselected.push(items.filter(({ picked }) => picked === true).map(({ label }) => label));
        const rows = this.multiPicks.shift()?.rows;
        return rows === undefined ? undefined : items.filter((item) => rows.includes(item.label));
      }
      const label = this.picks.shift();
      return items.find((item) => item.label === label);
    },
    createQuickPick: () => this.picker(),
    showInformationMessage: async (sentence: string, ...buttons: readonly string[]) => {
      this.shown.push(sentence);
      return buttons.length === 0 ? undefined : this.messageButtons.shift();
    },
    showOpenDialog: async () => {
      const path = this.files.shift();
      return path === undefined ? undefined : [{ fsPath: path }];
    },
    showSaveDialog: async () => {
      const path = this.saves.shift();
      return path === undefined ? undefined : uriOf(path);
    },
    showTextDocument: async () => undefined,
    showWarningMessage: async (sentence: string, options?: { readonly detail?: string }) => {
      this.shown.push([sentence, options?.detail].filter((text) => text !== undefined).join(' / '));
      return options === undefined ? undefined : this.buttons.shift();
    },
    withProgress: (_options: unknown, work: (progress: unknown, canceled: unknown) => Promise<unknown>) =>
      work(
        { report: () => undefined },
        { onCancellationRequested: (listener: () => void) => void this.cancels.push(listener) },
      ),
  };

  readonly commands = { executeCommand: async (...args: readonly unknown[]) => void this.ran.push(args) };
  readonly workspace = {
    asRelativePath: ({ path }: FakeUri) => path.slice(path.lastIndexOf('/') + 1),
    openTextDocument: async ({ content }: { readonly content: string }) => void this.documents.push(content),
  };

  private picker() {
    const answer = this.multiPicks.shift() ?? {};
    const listeners: Record<string, () => void> = {};
    const on =
      (name: string) =>
      (listener: () => void): void =>
        void (listeners[name] = listener);
    const picker = {
      items: new Array<Row>(),
      selectedItems: new Array<Row>(),
      placeholder: '',
      buttons: new Array<unknown>(),
      onDidAccept: on('accept'),
      onDidTriggerButton: on('button'),
      onDidHide: on('hide'),
      dispose: () => undefined,
      show: () => {
        this.offered.push(picker.items.map(({ label, description = '' }) => `${label} | ${description}`));
        this.pickers.push([picker.placeholder, picker.buttons.length]);
        this.preselected.push(picker.selectedItems.map(({ label }) => label));
        if (answer.rows !== undefined)
          picker.selectedItems = picker.items.filter((row) => answer.rows?.includes(row.label));
        listeners[answer.button === true ? 'button' : answer.rows === undefined ? 'hide' : 'accept']?.();
      },
    };
    return picker;
  }
}

export interface FakeUri {
  readonly scheme: string;
  readonly path: string;
  readonly fsPath: string;
  with(change: { readonly path: string }): FakeUri;
}

/** The URI of a path, or of `scheme:path`. */
export function uriOf(text: string): FakeUri {
  const [, scheme = 'file', path = text] = /^([a-z-]{2,}):(.*)$/.exec(text) ?? [];
  return { scheme, path, fsPath: path, with: (change) => uriOf(`${scheme}:${change.path}`) };
}

/** What follows stands for `vscode`: `vi.mock('vscode', () => import('../answeringEditor'))`. Each test begins
 *  without answers. */
export const editor = new AnsweringEditor();
beforeEach(() => editor.reset());
export const { window, workspace, commands } = editor;
export const env = { language: 'en' };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const QuickPickItemKind = { Separator: -1 };
export class ThemeIcon {}
export class Uri {}
