import * as vscode from 'vscode';
import { Owner } from '../../../base/disposable';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Session } from '../../../transcript/session';
import type { CommandTable } from '../../../host/common/commands';

interface WalkthroughWindow {
  readonly context: {
    readonly extension: { readonly id: string };
    readonly globalState: Pick<vscode.Memento, 'get' | 'update'>;
  };
  readonly gateway: GatewayPart<'surfaces', 'onDidTurnEvent' | 'onDidSwitchSession'>;
  readonly history: { readonly store: { getSession(id: string): Promise<Pick<Session, 'parentKind'> | null> } };
}

/** Remembers that Hermes ran in an earlier window. */
const ranBeforeKey = 'hermes.ranBefore';

/** Context keys, and the manifest ids of the steps that they complete. */
const stepOf = {
  walkthroughOffered: null,
  modelChosen: 'model',
  promptSent: 'ask',
  turnStopped: 'stop',
  branchShown: 'branch',
  plugPulled: 'plug',
} as const;
type StepKey = keyof typeof stepOf;

/** The walkthrough "Get Started with Hermes" of the manifest, and the context keys that complete its steps:
 *  `hermes.walkthroughOffered`, `hermes.modelChosen`, `hermes.promptSent`, `hermes.turnStopped`,
 *  `hermes.branchShown`, `hermes.plugPulled`.
 *
 *  The editor opens the walkthrough of a newly installed extension automatically, unless its condition is false.
 *  Hermes prevents that with `hermes.walkthroughOffered`: in the first window, the walkthrough is available only
 *  when the user asks for it, in later windows on the Welcome page too. */
export class Walkthrough extends Owner {
  private readonly done = new Set<StepKey>();

  constructor(private readonly window: WalkthroughWindow) {
    super();
    const { gateway, context } = window;
    if (context.globalState.get(ranBeforeKey) === true) this.setKey('walkthroughOffered');
    else void context.globalState.update(ranBeforeKey, true);
    this.lifetime.register(
      gateway.surfaces.onDidTurnEvent(({ event }) => {
        if (event.kind === 'turnOpened') this.setKey('promptSent');
        if (event.kind === 'turnSettled' && event.turn.stopReason === 'user') this.setKey('turnStopped');
      }),
    );
    this.lifetime.register(gateway.surfaces.onDidSwitchSession(({ to }) => void this.switchedTo(to)));
  }

  get commands(): CommandTable {
    return {
      getStarted: async () => {
        this.setKey('walkthroughOffered');
        const id = `${this.window.context.extension.id}#getStarted`;
        await vscode.commands.executeCommand('workbench.action.openWalkthrough', id, false);
        // The editor creates its walkthroughs when the first one opens, and then ignores keys that were already set. So
        // mark the finished steps here, by the editor's own command for "Mark Done". An editor without it leaves the
        // step's circle empty, which is harmless.
        for (const step of [...this.done].map((key) => stepOf[key]))
          if (step !== null)
            await vscode.commands
              .executeCommand('welcome.markStepComplete', `${id}#${step}`)
              .then(undefined, () => undefined);
      },
    };
  }

  /** A completed step stays completed. */
  modelChosen(isChosen: boolean): void {
    if (isChosen) this.setKey('modelChosen');
  }

  /** Called by the window that opens after the plug was pulled. */
  crashDemoRun(wasPulled: boolean): void {
    if (wasPulled) this.setKey('plugPulled');
  }

  private async switchedTo(sessionId: string | null): Promise<void> {
    if (sessionId === null) return;
    this.setKey('promptSent');
    if (this.done.has('branchShown')) return;
    // A read error is reported where the session is shown.
    const session = await this.window.history.store.getSession(sessionId).catch(() => null);
    if (session?.parentKind === 'branch') this.setKey('branchShown');
  }

  private setKey(key: StepKey): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, true);
  }
}
