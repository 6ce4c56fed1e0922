import * as vscode from 'vscode';
import type { LogOutputChannel } from 'vscode';
import { systemClock as clock, type Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { idsFrom, type Ids } from '../../base/ids';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { maskSecrets, secretRules } from '../../models/secrecy/secrecy';
import type * as secretlint from '../../models/secretlint/index';
import { lazyBundle } from '../common/lazyBundle';
import { MaskedLog } from '../common/maskedLog';
import { ProviderKeys } from '../models/providerKeys';
import { SettingsWatcher } from '../settings/settingsWatcher';
import { featurePoints, type FeaturePoints } from './featurePoints';
import { WindowStore } from './windowStore';

/** Parts of a window that all others use. */
export interface WindowBasics extends FeaturePoints {
  readonly context: vscode.ExtensionContext;
  /** Folder of the bundles. */
  readonly distFolder: string;
  /** Everything registered here is disposed with the window. */
  readonly lifetime: DisposableStore;
  /** Registers a part in `lifetime` and returns it. */
  readonly own: <T extends Disposable>(part: T) => T;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly channel: vscode.LogOutputChannel;
  readonly log: Log;
  readonly settings: SettingsWatcher;
  readonly keys: ProviderKeys;
  /** The history of this window. */
  readonly history: WindowStore;
}

export function createBasics(context: vscode.ExtensionContext, distFolder: string): WindowBasics {
  const lifetime = new DisposableStore();
  const own = <T extends Disposable>(part: T): T => lifetime.register(part);
  const channel = own(vscode.window.createOutputChannel('Hermes', { log: true }));
  const log = own(new MaskedLog(outputLog(channel), { clock, isReady: () => secretRules.isReady, mask: maskSecrets }));
  secretRules.from({
    load: lazyBundle<typeof secretlint, 'findSecrets'>(
      distFolder,
      { file: 'secretlint.js', name: 'secretlint' },
      'findSecrets',
    ),
    onFailure: (error) =>
      log.warn(
        'Secrets are masked by fewer rules than usual, because those of secretlint cannot be used: ' +
          `${errorMessage(error)}`,
      ),
  });
  const settings = own(new SettingsWatcher());
  const points = featurePoints();
  return {
    ...points,
    context,
    distFolder,
    lifetime,
    own,
    clock,
    ids: idsFrom((count) => crypto.getRandomValues(new Uint8Array(count))),
    channel,
    log,
    settings,
    keys: new ProviderKeys(context.secrets),
    history: own(
      new WindowStore({
        context,
        distFolder,
        storagePath: () => settings.current.storagePath,
        beforeOpening: points.beforeOpening,
        clock,
        log,
      }),
    ),
  };
}

/** Adapts the editor's log channel to the project's `Log`. The editor provides levels, times and "Set Log Level…". */
function outputLog(channel: LogOutputChannel): Log {
  return {
    trace: (message) => channel.trace(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  };
}
