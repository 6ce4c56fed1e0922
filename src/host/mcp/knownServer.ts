import type { ServerDefinition } from '../../tools/mcp/serverDefinition';
import type { ServerDecision } from '../../tools/mcp/serverPlace';

/** A defined server, with the user's trust and decision. */
export interface KnownServer {
  readonly id: string;
  readonly definition: ServerDefinition;
  readonly fingerprint: string;
  readonly isTrusted: boolean;
  /** True when an earlier definition of it was trusted. */
  readonly hasChanged: boolean;
  readonly decision: ServerDecision;
}
