import type { ReasoningEffort } from '../transcript/reasoningEffort';

/** Reasoning effort of a session's model. Part of `Gateway`. Rejects with `StoreError` or `GatewayError`. */
export interface EffortGateway {
  /** Returns the session's own choice, or else the setting. Null means the empty state of the surface. A model that
   *  does not support this effort gets a request without one. */
  effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort>;
  /** Takes effect with the next request to the model, also within a running turn. */
  setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void>;
}
