import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Gateway } from '../../gateway/gateway';
import type { Session } from '../../transcript/session';
import type { CommandTable } from '../common/commands';

export interface WalkthroughNeeds {
  readonly gateway: Pick<Gateway, 'onDidTurnEvent' | 'onDidSwitchSession'>;
  readonly sessions: { getSession(id: string): Promise<Pick<Session, 'parentKind'> | null> };
  /** Tells the editor what the steps ask for, as context keys. */
  readonly setContext: (key: string, value: boolean) => void;
  /** Opens the walkthrough of this extension. */
  readonly openWalkthrough: () => Promise<void>;
  /** Ticks a step of it off, by its id in the manifest. */
  readonly tickOff: (step: string) => Promise<void>;
  /** Whether Hermes ran in an earlier window; told once that it does. */
  readonly memory: { get(key: string): unknown; update(key: string, value: boolean): PromiseLike<void> };
}

const ranBeforeKey = 'hermes.ranBefore';

/** The context keys, and the ids in the manifest of the steps they tick off. */
const stepOf = {
  walkthroughOffered: null,
  modelChosen: 'model',
  promptSent: 'ask',
  turnStopped: 'stop',
  branchShown: 'branch',
  plugPulled: 'plug',
} as const;
type TellingKey = keyof typeof stepOf;

/** The walkthrough "Get Started with Hermes" of the manifest, and the context keys by which its steps are ticked off:
 *  `hermes.walkthroughOffered`, `hermes.modelChosen`, `hermes.promptSent`, `hermes.turnStopped`, `hermes.branchShown`, `hermes.plugPulled`.
 *
 *  The editor opens the walkthrough of an extension that was just installed by itself, unless its condition does not hold yet. Nothing opens
 *  by itself here: in the first window it is offered when the person asks for it, later on the Welcome page too. */
export class Walkthrough implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly done = new Set<TellingKey>();

  constructor(private readonly needs: WalkthroughNeeds) {
    const { gateway, memory } = needs;
    if (memory.get(ranBeforeKey) === true) this.tell('walkthroughOffered');
    else void memory.update(ranBeforeKey, true);
    this.lifetime.register(
      gateway.onDidTurnEvent(({ event }) => {
        if (event.kind === 'turnOpened') this.tell('promptSent');
        if (event.kind === 'turnSettled' && event.turn.stopReason === 'user') this.tell('turnStopped');
      }),
    );
    this.lifetime.register(gateway.onDidSwitchSession(({ to }) => void this.switchedTo(to)));
  }

  get commands(): CommandTable {
    return {
      getStarted: async () => {
        this.tell('walkthroughOffered');
        await this.needs.openWalkthrough();
        // The editor makes its walkthroughs when the first is shown, and then takes no step for done whose key held before.
        for (const step of [...this.done].map((key) => stepOf[key])) if (step !== null) await this.needs.tickOff(step);
      },
    };
  }

  /** A step that was done stays done. */
  modelChosen(isChosen: boolean): void {
    if (isChosen) this.tell('modelChosen');
  }

  /** Told by the window that came back after the plug was pulled. */
  plugPulled(wasPulled: boolean): void {
    if (wasPulled) this.tell('plugPulled');
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async switchedTo(sessionId: string | null): Promise<void> {
    if (sessionId === null) return;
    this.tell('promptSent');
    if (this.done.has('branchShown')) return;
    // A session that cannot be read says so where it is shown.
    const session = await this.needs.sessions.getSession(sessionId).catch(() => null);
    if (session?.parentKind === 'branch') this.tell('branchShown');
  }

  private tell(key: TellingKey): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    this.needs.setContext(`hermes.${key}`, true);
  }
}
