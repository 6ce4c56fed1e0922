import { isAbsolute, relative, resolve } from 'node:path';
import * as vscode from 'vscode';
import { Emitter, Owner } from '../../base/disposable';
import { errorMessage } from '../../base/errorMessage';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { ProviderSettings } from '../../models/providerSettings';
import { allowRuleProblem } from '../../tools/approval/ruleText';
import { type NotificationMode, readSettings, type HermesSettings, type SettingProblem } from './settings';

/** Remotes whose machine settings may come from the `devcontainer.json` of the repository. */
const containers: readonly (string | undefined)[] = ['dev-container', 'attached-container', 'codespaces'];

/** True when the settings of the machine may be the repository's. `remoteName`: `vscode.env.remoteName`. */
export function hasRepositorysSettings(remoteName: string | undefined): boolean {
  return containers.includes(remoteName);
}

/** Tells if a path of the machine's settings may be a place that the repository filled. */
export function isInRepository(remoteName: string | undefined, folders: readonly string[]): (path: string) => boolean {
  return (path) =>
    hasRepositorysSettings(remoteName) &&
    folders.some((folder) => {
      const way = relative(folder, resolve(path));
      return !/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way);
    });
}

/** Current settings, read again whenever the editor reports a change. */
export class SettingsWatcher extends Owner {
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private now = read();
  /** Model that was chosen while the settings could not be written. */
  private unsavedModel: string | null = null;
  readonly onDidChange = this.changes.event;

  constructor() {
    super();
    this.lifetime.register(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('hermes')) this.reread();
      }),
    );
  }

  get current(): HermesSettings {
    return this.unsavedModel === null ? this.now.settings : { ...this.now.settings, model: this.unsavedModel };
  }

  get problems(): readonly SettingProblem[] {
    return this.now.problems;
  }

  /** Saves the model of new sessions in the user's settings. If those cannot be written (they contain an error, or
   *  are open with unsaved changes), the choice still applies to this window, and the rejection says so. */
  async saveModel(ref: string): Promise<void> {
    try {
      this.unsavedModel = null;
      await this.write('model', ref);
    } catch (error) {
      this.unsavedModel = ref;
      this.changes.fire();
      const reason = errorMessage(error);
      throw new GatewayError(
        'invalid',
        t('{model} is selected in this window, but it couldn’t be saved to your settings: {reason}', {
          model: ref,
          reason,
        }),
      );
    }
  }

  async addProvider(provider: ProviderSettings): Promise<void> {
    const written: unknown = vscode.workspace.getConfiguration('hermes').inspect('providers')?.globalValue;
    // Keep entries that we do not understand as the user wrote them.
    const kept: readonly unknown[] = Array.isArray(written) ? written : [];
    await this.write('providers', [...kept, provider]);
  }

  /** Replaces the rules that allow something everywhere. Keeps invalid entries as the user wrote them. */
  async saveAllowRules(rules: readonly string[]): Promise<void> {
    const written: unknown = vscode.workspace.getConfiguration('hermes').inspect('approvals.allow')?.globalValue;
    const entries: readonly unknown[] = Array.isArray(written) ? written : [];
    await this.write('approvals.allow', [
      ...entries.filter((entry) => typeof entry !== 'string' || allowRuleProblem(entry) !== null),
      ...rules,
    ]);
  }

  async saveNotifications(mode: NotificationMode): Promise<void> {
    await this.write('notifications', mode);
  }

  async saveMemoryProvider(provider: 'builtin' | 'none'): Promise<void> {
    await this.write('memory.provider', provider);
  }

  async saveHindsight(url: string, bank: string): Promise<void> {
    await this.write('memory.hindsight.url', url);
    await this.write('memory.hindsight.bank', bank);
    await this.write('memory.provider', 'hindsight');
  }

  private async write(name: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('hermes').update(name, value, vscode.ConfigurationTarget.Global);
    this.reread();
  }

  private reread(): void {
    const before = JSON.stringify(this.now);
    this.now = read();
    if (JSON.stringify(this.now) !== before) this.changes.fire();
  }
}

function read(): ReturnType<typeof readSettings> {
  const configuration = vscode.workspace.getConfiguration();
  return readSettings({
    get: (setting) => configuration.get(setting),
    inspect: (setting) => configuration.inspect(setting),
    isInRepository: isInRepository(
      vscode.env.remoteName,
      (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    ),
  });
}
