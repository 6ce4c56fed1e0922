import type { ReasoningEffort } from '../transcript/reasoningEffort';
import { decidingSession } from './delegations';
import type { GatewayServices } from './gatewayServices';
import type { SessionDirectory } from './sessionDirectory';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { TurnRunner } from './turnRunner';

/** Reasoning effort per session. */
export class Efforts {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store' | 'defaultEffort'> & {
      readonly sessions: SessionDirectory;
      readonly surfaces: SurfaceRegistry;
      readonly runner: TurnRunner;
    },
  ) {}

  /** The session's own choice, or else the setting. Null means the empty state of the surface. A model that does not
   *  support this effort gets a request without one. */
  async effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    const { store, surfaces, runner } = this.parts;
    const chosen =
      sessionId === null
        ? surfaces.beginningAt(surfaceId).effort
        : await store.sessionEffort(decidingSession(runner, sessionId));
    return chosen ?? this.parts.defaultEffort?.() ?? 'default';
  }

  /** Takes effect with the next request to the model, also within a running turn. */
  async setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    const { store, sessions, surfaces, runner } = this.parts;
    if (sessionId === null) return surfaces.chooseForBeginning(surfaceId, { effort });
    const holder = decidingSession(runner, sessionId);
    await sessions.get(holder);
    await store.setSessionEffort(holder, effort);
    const subAgents = runner.all().filter(({ subAgent }) => subAgent?.caller.session.id === holder);
    for (const changed of [holder, ...subAgents.map(({ session }) => session.id)])
      surfaces.notifyAll({ kind: 'effortChanged', sessionId: changed, effort });
  }
}
