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
    private readonly storeStatus: Pick<StoreStatus, 'setNotices'>,
    private readonly t: Translate,
  ) {
    this.lifetime.register(settings.onDidChange(() => this.notifyProblems()));
    this.lifetime.register(onDidChangeWorkspaceSettings(() => void this.notifyOverrides()));
    this.notifyProblems();
    void this.notifyOverrides();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private notifyProblems(): void {
    this.storeStatus.setNotices(
      'settings',
      this.settings.problems.map(({ setting, sentence }) => ({
        sentence,
        actions: [{ action: `openSettings:${setting}`, label: this.t('Open Settings') }],
      })),
    );
  }

  private async notifyOverrides(): Promise<void> {
    const overrides = await readWorkspaceOverrides();
    if (!this.lifetime.isDisposed)
      this.storeStatus.setNotices(
        'workspace settings',
        overrides.map((override) => overrideNotice(override, this.t)),
      );
  }
}

function overrideNotice({ setting, file }: WorkspaceOverride, t: Translate): StoreNotice {
  return {
    sentence: t(
      '{file} sets `{setting}`, but Hermes ignores it: a workspace can’t decide where prompts, keys, or sessions go. To use it, add it to your user settings.',
      { file, setting },
    ),
    actions: [{ action: `openUserSettings:${setting}`, label: t('Open User Settings') }],
  };
}
