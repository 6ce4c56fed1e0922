import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { BuiltinProvider, builtinName } from '../../memory/builtin/builtinProvider';
import { entriesOf, lengthOf } from '../../memory/builtin/memoryEntries';
import { threatIn } from '../../memory/builtin/memoryScan';
import { type MemoryPlace, RememberedFiles } from '../../memory/builtin/rememberedFiles';
import type { MemoryProviderFactory } from '../../memory/memoryProviders';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { SystemProcessTable } from '../../store/lock/processLookup';
import type { SessionStore } from '../../store/session/sessionStore';
import { describeError } from '../common/describeError';

interface MemoryFilesDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Folder of the memory for this whole machine. */
  readonly globalFolder: () => string;
  /** Folder in the open workspace's own storage. Null in an empty window. */
  readonly workspaceFolder: () => string | null;
  readonly isUsed: () => boolean;
}

const folderName = 'memories';

/** Built-in memory of this window: the location of its files, and Open Memory, with which the user reads and edits
 *  them like any other file. */
export class MemoryFiles implements vscode.Disposable {
  private readonly files: RememberedFiles;
  private readonly saves: vscode.Disposable;

  constructor(private readonly deps: MemoryFilesDeps) {
    const { clock, globalFolder, workspaceFolder } = deps;
    this.files = new RememberedFiles({
      fileSystem: new NodeFileSystem(),
      processes: new SystemProcessTable(),
      clock,
      uniqueName: randomUUID,
      globalFolder: () => join(globalFolder(), folderName),
      workspaceFolder: () => {
        const folder = workspaceFolder();
        return folder === null ? null : join(folder, folderName);
      },
    });
    this.saves = vscode.workspace.onDidSaveTextDocument((document) => this.saved(document));
  }

  get factory(): MemoryProviderFactory {
    const { files } = this;
    const { store, log } = this.deps;
    return {
      name: builtinName,
      kind: 'builtin',
      create: ({ wrote }) => new BuiltinProvider({ files, store, wrote, log }),
    };
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
        placeHolder: this.deps.isUsed()
          ? t('Given to Hermes at the start of every session')
          : t('Memory is turned off in the settings, so none of this is used.'),
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

function placeName({ target, scope }: MemoryPlace): string {
  if (target === 'user') return scope === 'global' ? t('About you, in all folders') : t('About you, in this workspace');
  return scope === 'global' ? t('Notes, for all folders') : t('Notes, in this workspace');
}

function usageLabels(entries: readonly string[], limit: number): string {
  return t('{used} of {limit} characters', { used: String(lengthOf(entries)), limit: String(limit) });
}
