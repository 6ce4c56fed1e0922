import type { ReasoningEffort } from '../transcript/reasoningEffort';

/** How hard a session's model is asked to think. Part of `Gateway`; rejections are `StoreError` or `GatewayError`. */
export interface EffortGateway {
  /** What was chosen for the session, else the setting. Null names what the empty state of the surface begins with. A model that takes no such
   *  effort is asked without one. */
  effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort>;
  /** From the next request to the model on, also within a running turn. */
  setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void>;
}
