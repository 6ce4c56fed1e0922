import { type Disposable, toDisposable } from '../base/disposable';
import type { Log } from '../base/log';
import type { SwitchReason } from '../memory/switchReason';
import type { SessionEvent, TurnEvent } from '../transcript/turnEvent';
import type { Surface } from './gateway';

interface AttachedSurface {
  readonly surface: Surface;
  sessionId: string | null;
}

/** Which surface shows which session, and the way events take to them. A surface that throws is logged and touches nothing else. */
export class SurfaceRegistry {
  private readonly attached = new Map<string, AttachedSurface>();

  constructor(private readonly log: Log) {}

  attach(surface: Surface): Disposable {
    const entry: AttachedSurface = { surface, sessionId: null };
    this.attached.set(surface.id, entry);
    return toDisposable(() => {
      if (this.attached.get(surface.id) === entry) this.attached.delete(surface.id);
    });
  }

  shownSession(surfaceId: string): string | null {
    return this.attached.get(surfaceId)?.sessionId ?? null;
  }

  /** The id of a surface that shows this session. */
  showing(sessionId: string): string | null {
    return [...this.attached.values()].find((entry) => entry.sessionId === sessionId)?.surface.id ?? null;
  }

  /** Where a prompt of this session runs that nobody sends from a surface now. */
  surfaceOf(sessionId: string): string {
    return this.showing(sessionId) ?? `background:${sessionId}`;
  }

  allShowing(sessionId: string): readonly string[] {
    return [...this.attached.values()].filter((entry) => entry.sessionId === sessionId).map(({ surface }) => surface.id);
  }

  bind(surfaceId: string, sessionId: string | null, reason: SwitchReason): void {
    const entry = this.attached.get(surfaceId);
    if (entry === undefined) return;
    entry.sessionId = sessionId;
    this.guarded(entry.surface, (surface) => surface.onSessionSwitched(sessionId, reason));
  }

  tellTurn(sessionId: string, event: TurnEvent): void {
    for (const { surface, sessionId: shown } of this.attached.values()) {
      if (shown === sessionId) this.guarded(surface, (target) => target.onTurnEvent(sessionId, event));
    }
  }

  tellAll(event: SessionEvent): void {
    for (const { surface } of this.attached.values()) this.guarded(surface, (target) => target.onSessionEvent(event));
  }

  private guarded(surface: Surface, tell: (surface: Surface) => void): void {
    try {
      tell(surface);
    } catch (error) {
      this.log.error(`Surface ${surface.id} could not take an event.`, error);
    }
  }
}
