import { type Disposable, Emitter, toDisposable } from '../base/disposable';
import type { Log } from '../base/log';
import type { SwitchReason } from '../memory/memoryProvider';
import type { Mode } from '../transcript/approval';
import type { ReasoningEffort } from '../transcript/session';
import type { SessionEvent, TurnEvent } from '../transcript/turnEvent';
import type { Surface, SurfaceSwitch } from './gateway';

/** The kind of session that the first prompt of a surface's empty state begins. */
export interface Beginning {
  readonly reason: 'new_session' | 'reset';
  readonly isPrivate: boolean;
  /** Null: use the setting. */
  readonly mode: Mode | null;
  /** Null: use the setting. */
  readonly effort: ReasoningEffort | null;
  /** Null: the usual agent. */
  readonly agent: string | null;
  /** Model that the agent's file asks for, while `chosen` is the model of new sessions. Null: the model of new
   *  sessions. */
  readonly model: { readonly ref: string; readonly chosen: string } | null;
}

interface AttachedSurface {
  readonly surface: Surface;
  sessionId: string | null;
  beginning: Beginning;
}

export const usualBeginning: Beginning = {
  reason: 'new_session',
  isPrivate: false,
  mode: null,
  effort: null,
  agent: null,
  model: null,
};

/** Maps surfaces to their sessions and sends them events. Logs a surface that throws; the others are not affected. */
export class SurfaceRegistry implements Disposable {
  private readonly attached = new Map<string, AttachedSurface>();
  private readonly sessionsChanged = new Emitter<readonly string[]>();
  private readonly turnHappened = new Emitter<{ readonly sessionId: string; readonly event: TurnEvent }>();
  private readonly switched = new Emitter<SurfaceSwitch>();

  constructor(private readonly log: Log) {}

  /** Fires with the sessions whose list entry may have changed. */
  readonly onDidChangeSessions = (listener: (sessionIds: readonly string[]) => void): Disposable =>
    this.sessionsChanged.event((sessionIds) => this.guarded('A listener', () => listener(sessionIds)));

  /** Turn events of every session, shown or not. */
  readonly onDidTurnEvent = (
    listener: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void,
  ): Disposable => this.turnHappened.event((event) => this.guarded('A listener', () => listener(event)));

  /** Fires once per surface after the surface was notified that it shows another session. A surface that reads the
   *  same session again does not count as a switch. */
  readonly onDidSwitchSession = (listener: (event: SurfaceSwitch) => void): Disposable =>
    this.switched.event((event) => this.guarded('A listener', () => listener(event)));

  attach(surface: Surface): Disposable {
    const entry: AttachedSurface = { surface, sessionId: null, beginning: usualBeginning };
    this.attached.set(surface.id, entry);
    return toDisposable(() => {
      if (this.attached.get(surface.id) === entry) this.attached.delete(surface.id);
    });
  }

  shownSession(surfaceId: string): string | null {
    return this.attached.get(surfaceId)?.sessionId ?? null;
  }

  /** True when the first prompt sent from this surface's empty state begins a private session. */
  startsPrivate(surfaceId: string): boolean {
    return this.shownSession(surfaceId) === null && this.beginningAt(surfaceId).isPrivate;
  }

  beginningAt(surfaceId: string): Beginning {
    return this.attached.get(surfaceId)?.beginning ?? usualBeginning;
  }

  chooseForBeginning(surfaceId: string, chosen: Partial<Pick<Beginning, 'mode' | 'effort' | 'agent' | 'model'>>): void {
    const entry = this.attached.get(surfaceId);
    if (entry !== undefined) entry.beginning = { ...entry.beginning, ...chosen };
  }

  /** Called when the user chose the model of new sessions: it counts before those of agents. */
  modelChosenForBeginnings(): void {
    for (const entry of this.attached.values()) entry.beginning = { ...entry.beginning, model: null };
  }

  /** Returns the id of a surface that shows this session. */
  showing(sessionId: string): string | null {
    return this.allShowing(sessionId)[0] ?? null;
  }

  /** Returns the surface for a prompt of this session that is not sent from a surface now. */
  surfaceOf(sessionId: string): string {
    return this.showing(sessionId) ?? `background:${sessionId}`;
  }

  allShowing(sessionId: string): readonly string[] {
    return [...this.attached.values()]
      .filter((entry) => entry.sessionId === sessionId)
      .map(({ surface }) => surface.id);
  }

  /** Returns the ids of all sessions that surfaces show. */
  allShown(): readonly string[] {
    return [...new Set([...this.attached.values()].flatMap(({ sessionId }) => sessionId ?? []))];
  }

  /** True when the user can see this session now. */
  isSeen(sessionId: string): boolean {
    return [...this.attached.values()].some(
      (entry) => entry.sessionId === sessionId && (entry.surface.isVisible?.() ?? true),
    );
  }

  bind(surfaceId: string, sessionId: string | null, reason: SwitchReason, beginning: Beginning = usualBeginning): void {
    const entry = this.attached.get(surfaceId);
    if (entry === undefined) return;
    const from = entry.sessionId;
    entry.sessionId = sessionId;
    entry.beginning = beginning;
    this.guarded(`Surface ${surfaceId}`, () => entry.surface.onSessionSwitched(sessionId, reason));
    if (from !== sessionId || reason === 'rewind') this.switched.fire({ surfaceId, from, to: sessionId, reason });
  }

  notifyTurn(sessionId: string, event: TurnEvent): void {
    for (const { surface, sessionId: shown } of this.attached.values()) {
      if (shown === sessionId) this.guarded(`Surface ${surface.id}`, () => surface.onTurnEvent(sessionId, event));
    }
    this.turnHappened.fire({ sessionId, event });
  }

  notifyAll(event: SessionEvent): void {
    for (const { surface } of this.attached.values())
      this.guarded(`Surface ${surface.id}`, () => surface.onSessionEvent(event));
    if (event.kind === 'sessionsChanged') this.sessionsChanged.fire(event.sessionIds);
  }

  dispose(): void {
    this.sessionsChanged.dispose();
    this.turnHappened.dispose();
    this.switched.dispose();
  }

  private guarded(who: string, notify: () => void): void {
    try {
      notify();
    } catch (error) {
      this.log.error(`${who} could not take an event.`, error);
    }
  }
}
