import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Gateway } from '../../gateway/gateway';
import type { Session } from '../../transcript/session';
import type { CommandTable } from '../common/commands';

export interface WalkthroughNeeds {
  readonly gateway: Pick<Gateway, 'onDidTurnEvent' | 'onDidSwitchSession'>;
  readonly sessions: { getSession(id: string): Promise<Pick<Session, 'parentKind'> | null> };
  /** Sets a context key of the editor; the walkthrough's steps depend on them. */
  readonly setContext: (key: string, value: boolean) => void;
  readonly openWalkthrough: () => Promise<void>;
  /** Marks a step as done, by its id in the manifest. */
  readonly tickOff: (step: string) => Promise<void>;
  /** Remembers that Hermes ran in an earlier window. */
  readonly memory: { get(key: string): unknown; update(key: string, value: boolean): PromiseLike<void> };
}

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
type TellingKey = keyof typeof stepOf;

/** The walkthrough "Get Started with Hermes" of the manifest, and the context keys that complete its steps:
 *  `hermes.walkthroughOffered`, `hermes.modelChosen`, `hermes.promptSent`, `hermes.turnStopped`,
 *  `hermes.branchShown`, `hermes.plugPulled`.
 *
 *  The editor opens the walkthrough of a newly installed extension automatically, unless its condition is false.
 *  Hermes prevents that with `hermes.walkthroughOffered`: in the first window, the walkthrough is available only
 *  when the user asks for it, in later windows on the Welcome page too. */
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
        // The editor creates its walkthroughs when the first one opens, and then ignores keys that were already set. So
        // mark the finished steps here.
        for (const step of [...this.done].map((key) => stepOf[key])) if (step !== null) await this.needs.tickOff(step);
      },
    };
  }

  /** A completed step stays completed. */
  modelChosen(isChosen: boolean): void {
    if (isChosen) this.tell('modelChosen');
  }

  /** Called by the window that opens after the plug was pulled. */
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
    // A read error is reported where the session is shown.
    const session = await this.needs.sessions.getSession(sessionId).catch(() => null);
    if (session?.parentKind === 'branch') this.tell('branchShown');
  }

  private tell(key: TellingKey): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    this.needs.setContext(`hermes.${key}`, true);
  }
}
