import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import { privateFolder } from '../../base/privateFolder';
import type { Translate } from '../../base/translate';

const temporaryFoldersKey = 'spillFolders';
/** Milliseconds that an answer waits for the user's decision; then it stops. */
const askForMs = 60_000;

/** Folders for answers that the store cannot save: the editor's global storage without asking; the system's
 *  temporary folder only if the user agrees. Remembers temporary folders until they are gone, so that a later start
 *  finds spills in them. */
export class SpillFolders {
  private readonly global: string;

  constructor(
    private readonly context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'globalState'>,
    private readonly clock: Clock,
    private readonly t: Translate,
  ) {
    this.global = join(context.globalStorageUri.fsPath, 'unsaved');
  }

  get withoutAsking(): string {
    return this.global;
  }

  /** Every folder that may hold a spill, except the store's own. */
  get all(): readonly string[] {
    return [this.global, ...this.temporaryFolders().filter((folder) => existsSync(folder))];
  }

  /** Creates a temporary folder. Null when the user refuses or does not answer. */
  async temporary(): Promise<string | null> {
    const { t } = this;
    const parent = privateFolder();
    const yes = t('Save It There');
    const sentence = t(
      'Hermes can’t save this answer with your sessions or in VS Code’s own storage. It can save the rest in the temporary folder {folder}, which the system may delete. Otherwise the answer stops here. Everything shown is kept.',
      { folder: parent },
    );
    const asked = vscode.window.showWarningMessage(sentence, yes, t('Stop the Answer'));
    const answer = await resultWithin(this.clock, askForMs, asked, undefined);
    if (answer !== yes) return null;
    const folder = mkdtempSync(join(parent, 'unsaved-'));
    await this.context.globalState.update(temporaryFoldersKey, [
      ...this.temporaryFolders().filter((known) => existsSync(known)),
      folder,
    ]);
    return folder;
  }

  private temporaryFolders(): readonly string[] {
    const known: unknown = this.context.globalState.get(temporaryFoldersKey);
    return Array.isArray(known) ? known.filter((folder): folder is string => typeof folder === 'string') : [];
  }
}
