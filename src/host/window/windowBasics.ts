import * as vscode from 'vscode';
import { systemClock as clock, type Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { idsFrom, type Ids } from '../../base/ids';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { maskSecrets, secretRules } from '../../models/secrecy/secrecy';
import type * as secretlint from '../../models/secretlint/index';
import { lazyBundle } from '../common/lazyBundle';
import { MaskedLog } from '../common/maskedLog';
import { SettingsWatcher } from '../settings/settingsWatcher';
import { FeaturePoints } from './featurePoints';

/** Parts of a window that all others use. */
export class WindowBasics extends FeaturePoints {
  /** Everything registered here is disposed with the window. */
  readonly lifetime = new DisposableStore();
  /** Makes a part end with the window, and returns it. */
  readonly own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
  readonly clock: Clock = clock;
  readonly ids: Ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
  readonly channel = this.own(vscode.window.createOutputChannel('Hermes', { log: true }));
  readonly log: Log = this.own(
    new MaskedLog(outputLog(this.channel), { clock, isReady: () => secretRules.isReady, mask: maskSecrets }),
  );
  readonly settings = this.own(new SettingsWatcher());

  /** `distFolder`: folder of the bundles. */
  constructor(
    readonly context: vscode.ExtensionContext,
    readonly distFolder: string,
  ) {
    super();
    secretRules.from({
      load: lazyBundle<typeof secretlint, 'findSecrets'>(
        distFolder,
        { file: 'secretlint.js', name: 'secretlint' },
        'findSecrets',
      ),
      onFailure: (error) =>
        this.log.warn(
          'Secrets are masked by fewer rules than usual, because those of secretlint cannot be used: ' +
            `${errorMessage(error)}`,
        ),
    });
  }
}

/** Adapts the editor's log channel to the project's `Log`. The editor provides levels, times and "Set Log Level…". */
function outputLog(channel: vscode.LogOutputChannel): Log {
  return {
    trace: (message) => channel.trace(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  };
}
