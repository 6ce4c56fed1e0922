import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Translate } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { SettingsWatcher } from './settingsWatcher';
import type { StoreStatus } from '../storage/storeStatus';
import type { WorkspaceOverride } from './workspaceOverrides';
import { onDidChangeWorkspaceSettings, readWorkspaceOverrides } from './workspaceSettingsFiles';

/** Shows in the chat which settings have no effect, and why: unreadable values, and settings that a workspace may
 *  not set. */
export class SettingsNotices implements Disposable {
  private readonly lifetime = new DisposableStore();

  constructor(
    private readonly settings: Pick<SettingsWatcher, 'problems' | 'onDidChange'>,
    private readonly desk: Pick<StoreStatus, 'setNotices'>,
    private readonly t: Translate,
  ) {
    this.lifetime.register(settings.onDidChange(() => this.tellProblems()));
    this.lifetime.register(onDidChangeWorkspaceSettings(() => void this.tellOverrides()));
    this.tellProblems();
    void this.tellOverrides();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private tellProblems(): void {
    this.desk.setNotices(
      'settings',
      this.settings.problems.map(({ setting, sentence }) => ({
        sentence,
        actions: [{ action: `openSettings:${setting}`, label: this.t('Open Settings') }],
      })),
    );
  }

  private async tellOverrides(): Promise<void> {
    const overrides = await readWorkspaceOverrides();
    if (!this.lifetime.isDisposed)
      this.desk.setNotices(
        'workspace settings',
        overrides.map((override) => overrideNotice(override, this.t)),
      );
  }
}

export function overrideNotice({ setting, file }: WorkspaceOverride, t: Translate): StoreNotice {
  return {
    sentence: t(
      '{file} sets `{setting}`, but Hermes ignores it: a workspace can’t decide where prompts, keys, or sessions go. To use it, add it to your user settings.',
      { file, setting },
    ),
    actions: [{ action: `openUserSettings:${setting}`, label: t('Open User Settings') }],
  };
}
