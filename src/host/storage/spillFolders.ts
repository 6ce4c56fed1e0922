import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';

const temporaryFoldersKey = 'spillFolders';
/** How long an answer waits for the person to decide; then it stops. */
const askForMs = 60_000;

type Translate = (message: string, args?: Record<string, string>) => string;

/** Where answers are kept that the store cannot take: in the editor's global storage without asking, in the system's temporary folder only when
 *  the person agrees. Temporary folders are remembered until they are gone, so that a later start finds what lies there. */
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

  /** Every folder a spill may lie in, beside the store's own. */
  get all(): readonly string[] {
    return [this.global, ...this.temporaryFolders().filter((folder) => existsSync(folder))];
  }

  /** Null when the person says no, or nothing. */
  async temporary(): Promise<string | null> {
    const { t } = this;
    const yes = t('Save It There');
    let cancel: () => void = () => undefined;
    const silence = new Promise<undefined>(
      (resolve) => (cancel = this.clock.after(askForMs, () => resolve(undefined))),
    );
    const sentence = t(
      'Hermes can’t save this answer with your sessions or in VS Code’s own storage. It can save the rest in the temporary folder {folder}, which the system may delete. Otherwise the answer stops here. Everything shown is kept.',
      { folder: tmpdir() },
    );
    const answer = await Promise.race([vscode.window.showWarningMessage(sentence, yes, t('Stop the Answer')), silence]);
    cancel();
    if (answer !== yes) return null;
    // A folder of its own that only this person can enter.
    const folder = mkdtempSync(join(tmpdir(), 'hermes-unsaved-'));
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
