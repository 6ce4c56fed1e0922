import { DisposableStore, type Disposable } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Session } from '../../transcript/session';
import type { CommandTable } from '../common/commands';

export interface WalkthroughDeps {
  readonly gateway: GatewayPart<'surfaces', 'onDidTurnEvent' | 'onDidSwitchSession'>;
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
type StepKey = keyof typeof stepOf;

/** The walkthrough "Get Started with Hermes" of the manifest, and the context keys that complete its steps:
 *  `hermes.walkthroughOffered`, `hermes.modelChosen`, `hermes.promptSent`, `hermes.turnStopped`,
 *  `hermes.branchShown`, `hermes.plugPulled`.
 *
 *  The editor opens the walkthrough of a newly installed extension automatically, unless its condition is false.
 *  Hermes prevents that with `hermes.walkthroughOffered`: in the first window, the walkthrough is available only
 *  when the user asks for it, in later windows on the Welcome page too. */
export class Walkthrough implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly done = new Set<StepKey>();

  constructor(private readonly deps: WalkthroughDeps) {
    const { gateway, memory } = deps;
    if (memory.get(ranBeforeKey) === true) this.setKey('walkthroughOffered');
    else void memory.update(ranBeforeKey, true);
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
        await this.deps.openWalkthrough();
        // The editor creates its walkthroughs when the first one opens, and then ignores keys that were already set. So
        // mark the finished steps here.
        for (const step of [...this.done].map((key) => stepOf[key])) if (step !== null) await this.deps.tickOff(step);
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

  dispose(): void {
    this.lifetime.dispose();
  }

  private async switchedTo(sessionId: string | null): Promise<void> {
    if (sessionId === null) return;
    this.setKey('promptSent');
    if (this.done.has('branchShown')) return;
    // A read error is reported where the session is shown.
    const session = await this.deps.sessions.getSession(sessionId).catch(() => null);
    if (session?.parentKind === 'branch') this.setKey('branchShown');
  }

  private setKey(key: StepKey): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    this.deps.setContext(`hermes.${key}`, true);
  }
}
