import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { WindowContext } from '../../../host/window/windowContext';
import { builtinFactory } from '../core/builtinProvider';
import { entriesOf, lengthOf } from '../core/memoryEntries';
import { threatIn } from '../core/memoryScan';
import { memoryDisk } from '../core/memoryFile';
import { type MemoryPlace, RememberedFiles } from '../core/rememberedFiles';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { describeError } from '../../../host/common/describeError';

const folderName = 'memories';

/** Built-in memory of this window: the location of its files, and Open Memory, with which the user reads and edits
 *  them like any other file. */
export class MemoryFiles implements vscode.Disposable {
  private readonly files: RememberedFiles;
  private readonly saves: vscode.Disposable;

  constructor(private readonly window: Pick<WindowContext, 'context' | 'history' | 'settings' | 'clock' | 'log'>) {
    const { context, history, settings, clock } = window;
    this.files = new RememberedFiles({
      ...memoryDisk(clock),
      globalFolder: () => join(settings.current.storagePath ?? context.globalStorageUri.fsPath, folderName),
      workspaceFolder: () => (isFolderOpen() ? join(history.folder, folderName) : null),
    });
    this.saves = vscode.workspace.onDidSaveTextDocument((document) => this.saved(document));
  }

  get factory(): MemoryProviderFactory {
    return builtinFactory(this.files, this.window.history.store, this.window.log);
  }

  dispose(): void {
    this.saves.dispose();
  }

  /** Runs Open Memory: lets the user choose a file and opens it in an editor. */
  async open(): Promise<void> {
    const chosen = await vscode.window.showQuickPick(
      this.files.places.map((place) => ({
        label: placeName(place),
        description: this.usage(place),
        detail: place.path,
        place,
      })),
      {
        title: t('Open Memory'),
        placeHolder:
          this.window.settings.current.memoryProvider === 'none'
            ? t('Memory is turned off in the settings, so none of this is used.')
            : t('Given to Hermes at the start of every session'),
      },
    );
    if (chosen === undefined) return;
    this.files.create(chosen.place);
    await vscode.window.showTextDocument(vscode.Uri.file(chosen.place.path));
  }

  private usage(place: MemoryPlace): string {
    try {
      const entries = this.files.entries(place);
      if (entries.length === 0) return t('empty');
      return usageLabels(entries, place.limit);
    } catch (error) {
      return describeError(error).sentence;
    }
  }

  /** Keeps whatever the user wrote by hand. Warns about entries that will not be used as they are. */
  private saved(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file') return;
    const place = this.files.places.find(({ path }) => vscode.Uri.file(path).toString() === document.uri.toString());
    if (place === undefined) return;
    const entries = entriesOf(document.getText());
    const planted = entries.find((entry) => threatIn(entry) !== null);
    if (lengthOf(entries) > place.limit) {
      void vscode.window.showWarningMessage(
        t(
          '{name} is over its limit ({usage}). Entries past the limit are kept here but not sent to the model. Separate entries with a line that contains only §.',
          { name: placeName(place), usage: usageLabels(entries, place.limit) },
        ),
      );
    } else if (planted !== undefined) {
      void vscode.window.showWarningMessage(
        t('This entry is not sent to the model because it reads like an instruction: {entry}', {
          entry: planted.slice(0, 120),
        }),
      );
    }
  }
}

function isFolderOpen(): boolean {
  return vscode.workspace.workspaceFile !== undefined || (vscode.workspace.workspaceFolders ?? []).length > 0;
}

function placeName({ target, scope }: MemoryPlace): string {
  if (target === 'user') return scope === 'global' ? t('About you, in all folders') : t('About you, in this workspace');
  return scope === 'global' ? t('Notes, for all folders') : t('Notes, in this workspace');
}

function usageLabels(entries: readonly string[], limit: number): string {
  return t('{used} of {limit} characters', { used: String(lengthOf(entries)), limit: String(limit) });
}
