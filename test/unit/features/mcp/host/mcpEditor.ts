import { readFile, stat, writeFile } from 'node:fs/promises';

export const begun = () => ({
  isTrusted: true,
  folder: '' as string | null,
  /** `hermes.mcp.servers` of the user. */
  setting: undefined as unknown,
  isDirty: false,
  /** What the user answers to lists, boxes and questions with buttons, in order: a row or button by how it begins. */
  answers: new Array<string | undefined>(),
  /** Everything the user saw, a line each. */
  shown: new Array<string>(),
  questions: new Array<{ readonly sentence: string; readonly detail: string; readonly choices: readonly string[] }>(),
  lists: new Array<readonly { readonly label: string; readonly description?: string }[]>(),
  notifications: new Array<string>(),
  /** Runs while a modal question is open. */
  meanwhile: (): void => undefined,
  /** Tells that .vscode/mcp.json has changed. */
  fire: (): void => undefined,
});

/** The editor, as far as servers see it: `vi.mock('vscode', () => import('./mcpEditor'))`. It imports nothing that
 *  imports `vscode`. */
export const editor = begun();

const uri = (path: string) => ({ fsPath: path, scheme: 'file', path, toString: () => `file://${path}` });
const nothing = () => ({ dispose: () => undefined });

function answer(labels: readonly string[]): string | undefined {
  const next = editor.answers.shift();
  const found = labels.find((label) => next !== undefined && label.startsWith(next));
  if (next !== undefined && found === undefined) throw new Error(`"${next}" is none of ${labels.join(', ')}`);
  return found;
}

export class FileSystemError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

export const Uri = {
  file: uri,
  parse: uri,
  joinPath: (base: { readonly fsPath: string }, ...parts: readonly string[]) => uri([base.fsPath, ...parts].join('/')),
};
export const QuickPickItemKind = { Separator: -1 };
export const ConfigurationTarget = { Global: 1 };
export const ProgressLocation = { Notification: 15 };
export class ThemeIcon {}
export class CancellationTokenSource {
  readonly token = {};
  readonly cancel = () => undefined;
  readonly dispose = () => undefined;
}
export const lm = undefined;
export const extensions = { all: [] as { readonly id: string; readonly packageJSON: object }[] };
export const FileType = { File: 1 };
export const commands = {
  executeCommand: async (...args: readonly unknown[]) => void editor.shown.push(args.join(' ')),
};

export const workspace = {
  get isTrusted() {
    return editor.isTrusted;
  },
  get workspaceFolders() {
    return editor.folder === null ? undefined : [{ name: 'repo', uri: uri(editor.folder) }];
  },
  get textDocuments() {
    return [{ uri: uri(`${editor.folder}/.vscode/mcp.json`), isDirty: editor.isDirty }];
  },
  fs: {
    stat: ({ fsPath }: { readonly fsPath: string }) =>
      stat(fsPath).then(
        (found) => ({ type: found.isFile() ? FileType.File : 2 }),
        (error: { readonly code?: string }) =>
          Promise.reject(new FileSystemError(error.code === 'ENOENT' ? 'FileNotFound' : 'NoPermissions')),
      ),
    readFile: ({ fsPath }: { readonly fsPath: string }) => readFile(fsPath),
    writeFile: ({ fsPath }: { readonly fsPath: string }, bytes: Uint8Array) => writeFile(fsPath, bytes),
  },
  // The repository always tries to define a server through its settings.
  getConfiguration: () => ({
    inspect: () => ({
      globalValue: editor.setting,
      workspaceValue: { evil: { command: 'evil' } },
      workspaceFolderValue: { evil: { command: 'evil' } },
    }),
    update: async (name: string, value: unknown, target: number) => {
      editor.shown.push(`wrote ${name} ${target}`);
      editor.setting = value;
    },
  }),
  createFileSystemWatcher: () => ({
    ...nothing(),
    onDidCreate: nothing,
    onDidChange: (listener: () => void) => ((editor.fire = listener), nothing()),
    onDidDelete: nothing,
  }),
  onDidChangeWorkspaceFolders: nothing,
  onDidGrantWorkspaceTrust: nothing,
  onDidChangeConfiguration: nothing,
};

export const window = {
  registerUriHandler: nothing,
  showInformationMessage: async (sentence: string, ...buttons: readonly string[]) => {
    editor.shown.push(sentence);
    editor.notifications.push(sentence);
    return buttons.length === 0 ? undefined : answer(buttons);
  },
  showWarningMessage: async (sentence: string, { detail }: { readonly detail: string }, ...choices: string[]) => {
    editor.meanwhile();
    editor.questions.push({ sentence, detail, choices });
    editor.shown.push(`! ${sentence} | ${detail.replaceAll('\n', ' ')} | ${choices.join(', ')}`);
    return answer(choices);
  },
  showQuickPick: async (
    items: readonly { readonly label: string; readonly kind?: number }[],
    { title = '', canPickMany = false }: { readonly title?: string; readonly canPickMany?: boolean } = {},
  ) => {
    const rows = items.filter(({ kind }) => kind !== QuickPickItemKind.Separator);
    editor.lists.push(items);
    editor.shown.push(`${title}: ${rows.map(({ label }) => label).join(', ')}`);
    if (canPickMany) {
      const chosen = editor.answers.shift()?.split(',');
      return chosen === undefined ? undefined : rows.filter(({ label }) => chosen.includes(label));
    }
    const picked = answer(rows.map(({ label }) => label));
    return rows.find(({ label }) => label === picked);
  },
  // An answer is what the user types and, after ">", the row that they choose: by default the first.
  createQuickPick: () => {
    const listeners: ((value: string) => void)[][] = [[], [], []];
    const on = (kind: number) => (listener: (value: string) => void) => void listeners[kind]?.push(listener);
    const fire = (kind: number): void => listeners[kind]?.forEach((listener) => listener(box.value));
    const box = {
      value: '',
      items: new Array<{ readonly label: string }>(),
      selectedItems: new Array<{ readonly label: string }>(),
      onDidChangeValue: on(0),
      onDidAccept: on(1),
      onDidHide: on(2),
      hide: () => fire(2),
      dispose: () => undefined,
      show: () => {
        const [typed, row] = editor.answers.shift()?.split('>') ?? [];
        if (typed === undefined) return fire(2);
        box.value = typed;
        fire(0);
        const accept = (tries: number): void => {
          const chosen = box.items.find(({ label }) => row === undefined || label === row);
          if (chosen === undefined && tries > 0) return void setTimeout(() => accept(tries - 1), 10);
          editor.lists.push(box.items);
          box.selectedItems = chosen === undefined ? [] : [chosen];
          fire(1);
        };
        accept(500);
      },
    };
    return box;
  },
  showInputBox: async (box: {
    readonly prompt?: string;
    readonly value?: string;
    readonly validateInput?: (text: string) => string | undefined;
  }) => {
    const next = editor.answers.shift();
    const typed = next === 'default' ? box.value : next;
    const problem = typed === undefined ? undefined : box.validateInput?.(typed);
    editor.shown.push(`${box.prompt} [${box.value}]${problem === undefined ? '' : ` refused: ${problem}`}`);
    return problem === undefined ? typed : undefined;
  },
  showTextDocument: async ({ fsPath }: { readonly fsPath: string }) => void editor.shown.push(`opened ${fsPath}`),
  withProgress: async (_options: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
    work({}, { onCancellationRequested: () => undefined }),
};
