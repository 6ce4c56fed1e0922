import { join } from 'node:path';
import type { Gateway } from '../../../gateway/conversationGateway';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { Clock } from '../../../base/clock';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { CommandTable } from '../../common/commands';
import { CrashDemoRecord, CrashDemo } from './crashDemo';
import { describeError } from '../../common/describeError';
import type { StoreStatus } from '../../storage/storeStatus';
import { VerifyService, type VerifyServiceDeps } from './verifyService';
import { DeliveryReports } from './deliveryReports';

interface VerifyFeatureDeps {
  readonly gateway: Gateway;
  readonly store: SessionStore;
  readonly storeStatus: StoreStatus;
  /** Folder of this window's history. */
  readonly storageFolder: () => string;
  readonly folder: () => string | null;
  readonly surfaceId: string;
  readonly server: VerifyServiceDeps['server'];
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** Features that compare shown text with stored text: delivery reports of the views, Verify Session, Pull the Plug. */
export class VerifyFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly record: CrashDemoRecord;
  readonly reports: DeliveryReports;
  readonly verification: VerifyService;

  constructor(private readonly deps: VerifyFeatureDeps) {
    const { gateway, store, storeStatus, storageFolder, clock, log } = deps;
    this.record = new CrashDemoRecord(
      () => join(storageFolder(), 'pulled-plug.json'),
      () => clock.now(),
    );
    this.reports = this.lifetime.register(
      new DeliveryReports({
        sessions: store,
        store: storeStatus,
        onDidChangeSessions: gateway.surfaces.onDidChangeSessions,
        crashDemo: this.record,
        clock,
        log,
      }),
    );
    this.verification = new VerifyService({
      store,
      clock,
      log,
      reports: this.reports,
      t,
      copy: (text) => vscode.env.clipboard.writeText(text),
      notify: (sentence) => void vscode.window.showInformationMessage(sentence),
      server: this.deps.server,
      isAnswering: () => gateway.turns.running().some(({ isWaiting }) => !isWaiting),
      storeSentence: () => ('sentence' in storeStatus.shown ? storeStatus.shown.sentence : null),
    });
  }

  /** True when the user pulled the plug on the previous window and has not yet seen how the session was restored. */
  get hasCrashDemoRun(): boolean {
    return this.record.current !== null;
  }

  /** `chat`: the panel. */
  commands(chat: { show(): Promise<void>; focus(): Promise<void> }): CommandTable {
    const { gateway, store, storeStatus, surfaceId, folder, ids, clock, log } = this.deps;
    const crashDemo = this.lifetime.register(
      new CrashDemo({
        gateway,
        surfaceId,
        folder,
        ids,
        clock,
        showChat: () => chat.show(),
        focusChat: () =>
          void chat
            .focus()
            .catch((error: unknown) =>
              log.warn(`The panel could not be given the focus: ${describeError(error).sentence}`),
            ),
        sessions: store,
        storeState: () => storeStatus.shown.kind,
        reports: this.reports,
        record: this.record,
        t,
        confirm: async (question, detail, yes) =>
          (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes,
        kill: () => void process.kill(process.pid, 'SIGKILL'),
      }),
    );
    return { pullThePlug: () => crashDemo.run() };
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
