import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import { Owner } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { FileNames, mostNames, type NameList } from '../../../host/attachments/fileNames';
import { within } from '../../../host/attachments/mentionDeps';
import type { WindowContext } from '../../../host/window/windowContext';
import type { Reference } from '../../../protocol/codeProtocol';
import { WorkspacePaths } from '../../../tools/workspacePaths';
import { FileIndex, symbolNamed, type NamedSymbol, fileNamed, hrefOf } from '../core/referenceText';

/** Milliseconds that each symbol search of a request may take; all run at the same time. Links that come later than
 *  that are not missed. */
const symbolTimeoutMs = 1000;
/** Maximum number of symbols searched for at once: language extensions answer one query after the other. */
const mostSymbols = 40;

export interface ReferenceLookup {
  readonly clock: Clock;
  files(): Promise<FileIndex>;
  /** Looks up a path that no list has (an ignored file, a folder). Resolves to the path as shown to the user, or to
   *  null if nothing exists there or it is outside the open folders. */
  elsewhere(path: string): Promise<string | null>;
  /** Number of symbols in the open folders with exactly this name. */
  symbols(symbol: NamedSymbol): Promise<number>;
}

/** Finds the files and symbols that texts of answers name. Caches results until something changes (`forget`). */
export class ReferenceFinder {
  private known = new Map<string, Promise<Reference>>();

  constructor(private readonly lookup: ReferenceLookup) {}

  /** Resolves in the order of the texts. Never rejects: a text that cannot be resolved becomes null. */
  async resolve(texts: readonly string[]): Promise<readonly Reference[]> {
    const { known } = this;
    const asked = texts.filter((text) => !known.has(text));
    const left = { symbols: mostSymbols };
    for (const text of asked) known.set(text, this.find(text, left, known));
    return Promise.all(texts.map((text) => known.get(text) ?? null));
  }

  forget(): void {
    this.known = new Map();
  }

  private async find(
    text: string,
    left: { symbols: number },
    known: Map<string, Promise<Reference>>,
  ): Promise<Reference> {
    const symbol = symbolNamed(text);
    const mayAsk = symbol !== null && left.symbols-- > 0;
    const file = await this.file(text).catch(() => null);
    if (file !== null || symbol === null) return file;
    const count = mayAsk ? await within(this.lookup.clock, symbolTimeoutMs, this.lookup.symbols(symbol), null) : null;
    // Do not cache an unknown result: a later request may succeed.
    if (count === null) known.delete(text);
    return count === null || count === 0 ? null : { kind: 'symbol', name: text };
  }

  private async file(text: string): Promise<Reference> {
    const named = fileNamed(text);
    if (named === null) return null;
    const listed = (await this.lookup.files()).find(named.path);
    const path = listed ?? (named.path.includes('/') ? await this.lookup.elsewhere(named.path) : null);
    return path === null ? null : { kind: 'file', href: hrefOf(path, named) };
  }
}

const listTimeoutMs = 60_000;

/** Resolves names in answers for this window: files by the file list, symbols by language extensions. */
export class ReferenceService extends Owner {
  private readonly paths: WorkspacePaths;
  private readonly names: FileNames;
  private readonly finder: ReferenceFinder;
  private readonly indexes = new WeakMap<NameList, FileIndex>();
  private isWatching = false;

  constructor(private readonly window: WindowContext) {
    super();
    const { files, clock, log } = window;
    this.paths = new WorkspacePaths(files);
    this.names = new FileNames(async () => {
      const found = await files.findFiles(
        { pattern: '**/*', order: 'name', maxFiles: mostNames },
        AbortSignal.timeout(listTimeoutMs),
      );
      return { paths: found.paths.map((path) => this.paths.display(path)), limited: found.limited };
    }, log);
    this.finder = new ReferenceFinder({
      clock,
      files: () => this.files(),
      elsewhere: (path) => this.elsewhere(path),
      symbols: async (symbol) => (await this.symbols(symbol)).length,
    });
  }

  resolve(texts: readonly string[]): Promise<readonly Reference[]> {
    this.watch();
    return this.window.files.roots().length === 0 ? Promise.resolve(texts.map(() => null)) : this.finder.resolve(texts);
  }

  /** Opens a symbol. If there is more than one, opens the editor's own picker. */
  async openSymbol(text: string): Promise<void> {
    const symbol = symbolNamed(text);
    const [only, another] = symbol === null ? [] : await this.symbols(symbol);
    if (symbol === null || only === undefined) {
      void vscode.window.showWarningMessage(
        t('No extension can find “{name}” in the open folders anymore.', { name: text }),
      );
    } else if (another !== undefined)
      await vscode.commands.executeCommand('workbench.action.quickOpen', `#${symbol.name}`);
    else
      await vscode.window.showTextDocument(only.location.uri, {
        preview: true,
        selection: new vscode.Range(only.location.range.start, only.location.range.start),
      });
  }

  /** Index of the open folders' files by name. */
  async files(): Promise<FileIndex> {
    this.watch();
    const list = await this.names.fresh();
    const known = this.indexes.get(list) ?? new FileIndex(list.files.map(({ shown }) => shown));
    this.indexes.set(list, known);
    return known;
  }

  private async elsewhere(path: string): Promise<string | null> {
    return this.paths.resolveExisting(path).then(
      (found) => this.paths.display(found),
      () => null,
    );
  }

  private async symbols({ name, container }: NamedSymbol): Promise<readonly vscode.SymbolInformation[]> {
    const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      name,
    );
    const ours = (found ?? []).filter(
      (symbol) =>
        plainName(symbol.name) === name && vscode.workspace.getWorkspaceFolder(symbol.location.uri) !== undefined,
    );
    const within = container === null ? [] : ours.filter(({ containerName }) => containerName === container);
    // Drop duplicates: two extensions may report the same place.
    return [
      ...new Map(
        (within.length > 0 ? within : ours).map((symbol) => [
          `${symbol.location.uri.toString()}#${symbol.location.range.start.line}`,
          symbol,
        ]),
      ).values(),
    ];
  }

  /** Starts to watch for file changes at the first request: most windows never need the list. */
  private watch(): void {
    if (this.isWatching) return;
    this.isWatching = true;
    const changed = (): void => (this.names.changed(), this.finder.forget());
    const watcher = this.lifetime.register(vscode.workspace.createFileSystemWatcher('**/*', false, true, false));
    this.lifetime.register(watcher.onDidCreate(changed));
    this.lifetime.register(watcher.onDidDelete(changed));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(changed));
    // Symbols change when files are saved and when extensions change.
    this.lifetime.register(vscode.workspace.onDidSaveTextDocument(() => this.finder.forget()));
    this.lifetime.register(vscode.extensions.onDidChange(() => this.finder.forget()));
  }
}

/** Removes the arguments: some extensions write "sleep()" or "sleep(ms)" for a function named sleep. */
function plainName(name: string): string {
  return name.replace(/\(.*$/s, '');
}
