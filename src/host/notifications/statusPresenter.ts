import { parsedAs } from '../../transcript/json';
import * as v from 'valibot';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Session } from '../../transcript/session';
import type { BackgroundCommand } from '../../protocol/workProtocol';
import type { TurnEvent } from '../../transcript/turnEvent';
import type { RunningSession, StatusBar, StatusFacts } from './statusBar';

interface StatusWindow {
  readonly gateway: GatewayPart<'turns', 'running' | 'onDidChangeRunning'> &
    GatewayPart<'surfaces', 'onDidTurnEvent' | 'onDidChangeSessions'> &
    GatewayPart<'compression', 'contextUse'> &
    GatewayPart<'spending', 'costs'>;
  readonly history: {
    readonly store: { getSession(id: string): Promise<Pick<Session, 'title'> | null> };
    readonly status: { readonly shown: { readonly kind: StatusFacts['store'] } };
  };
  readonly terminal: { readonly inBackground: readonly BackgroundCommand[] };
  readonly approvalNotices: { readonly count: number };
  readonly panel: {
    readonly shownSession: string | null;
    readonly modelState: { readonly chosen: StatusFacts['model'] };
  };
  readonly sync: { readonly line: string | null };
  readonly clock: Clock;
}

const tickMs = 1000;
/** Arguments of a running command. */
const commandOf = v.object({ command: v.string() });

interface Watched {
  startedAt: number | null;
  title: string | null;
  call: RunningSession['call'];
  /** Command lines of the answer's calls, by id. */
  readonly names: Map<string, string>;
}

/** Keeps the status bar up to date: the sessions that answer, for how long, and their running calls. */
export class StatusPresenter implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly watched = new Map<string, Watched>();
  private readonly contextUsed = new Map<string, number>();
  private spending: StatusFacts['spending'] = null;
  /** Session whose cost was read. Undefined: none was. */
  private costOf: string | null | undefined = undefined;
  private cancelTick: (() => void) | null = null;

  constructor(
    private readonly window: StatusWindow,
    private readonly bar: Pick<StatusBar, 'show'>,
  ) {
    const { gateway } = window;
    this.lifetime.register(gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => this.happened(sessionId, event)));
    this.lifetime.register(gateway.turns.onDidChangeRunning(() => this.show()));
    this.lifetime.register(
      gateway.surfaces.onDidChangeSessions((ids) =>
        ids.forEach((id) => this.watched.has(id) && void this.readTitle(id)),
      ),
    );
  }

  show(): void {
    const { gateway, history, terminal, approvalNotices, panel, sync, clock } = this.window;
    const running = gateway.turns.running().filter(({ isSubAgent }) => isSubAgent !== true);
    const ids = new Set(running.map(({ sessionId }) => sessionId));
    for (const id of this.watched.keys()) if (!ids.has(id)) this.watched.delete(id);
    const sessions = running.map(({ sessionId }): RunningSession => {
      const { title, startedAt, call } = this.watch(sessionId);
      return { sessionId, title, startedAt, call, contextUsed: this.contextUsed.get(sessionId) ?? null };
    });
    this.bar.show({
      running: sessions,
      commands: terminal.inBackground.filter(({ end }) => end === null),
      waiting: approvalNotices.count,
      store: history.status.shown.kind,
      model: panel.modelState.chosen,
      spending: this.spending,
      sync: sync.line,
      now: clock.now(),
    });
    if (this.costOf !== panel.shownSession) void this.readCost();
    this.tickWhile(sessions.length === 1 && sessions[0]?.call !== null);
  }

  dispose(): void {
    this.cancelTick?.();
    this.lifetime.dispose();
  }

  private happened(sessionId: string, event: TurnEvent): void {
    switch (event.kind) {
      case 'turnOpened':
        this.watch(sessionId).startedAt = event.turn.startedAt;
        return this.show();
      case 'messageStored':
        if (event.message.role === 'assistant') {
          for (const part of event.message.parts)
            if (part.kind === 'toolCall') this.watch(sessionId).names.set(part.callId, commandLine(part.arguments));
        }
        return;
      case 'activity': {
        const { activity } = event;
        const watched = this.watch(sessionId);
        const call =
          activity.kind === 'runningTool'
            ? { name: watched.names.get(activity.callId) ?? '', startedAt: activity.startedAt }
            : null;
        const next = call === null || call.name === '' ? null : call;
        if (JSON.stringify(next) === JSON.stringify(watched.call)) return;
        watched.call = next;
        return this.show();
      }
      case 'turnSettled':
        void this.readContext(sessionId);
        void this.readCost();
        return;
      default:
        return;
    }
  }

  private watch(sessionId: string): Watched {
    const known = this.watched.get(sessionId);
    if (known !== undefined) return known;
    const watched: Watched = { startedAt: null, title: null, call: null, names: new Map() };
    this.watched.set(sessionId, watched);
    void this.readTitle(sessionId);
    return watched;
  }

  private async readTitle(sessionId: string): Promise<void> {
    // A read error of the store is reported elsewhere.
    const session = await this.window.history.store.getSession(sessionId).catch(() => null);
    const watched = this.watched.get(sessionId);
    if (session === null || watched === undefined || watched.title === session.title || this.lifetime.isDisposed)
      return;
    watched.title = session.title;
    this.show();
  }

  private async readContext(sessionId: string): Promise<void> {
    const use = await this.window.gateway.compression.contextUse(sessionId).catch(() => null);
    if (use === null || use.window === null || use.window <= 0) this.contextUsed.delete(sessionId);
    else this.contextUsed.set(sessionId, Math.min(1, use.tokens / use.window));
  }

  private async readCost(): Promise<void> {
    const shown = (this.costOf = this.window.panel.shownSession);
    // While another window owns the history, the cost is not known here.
    const spending = await this.window.gateway.spending.costs(shown).catch(() => null);
    if (this.costOf !== shown || this.lifetime.isDisposed) return;
    this.spending = spending;
    if (spending === null) this.costOf = undefined;
    else this.show();
  }

  private tickWhile(isRunning: boolean): void {
    this.cancelTick?.();
    this.cancelTick = isRunning ? this.window.clock.after(tickMs, () => this.show()) : null;
  }
}

/** Returns the command line of a command. Empty for other tools: their names are the model's. */
function commandLine(text: string): string {
  return parsedAs(commandOf, text)?.command ?? '';
}
