import type { Access } from '../transcript/approval';
import type { JsonObject, JsonValue } from '../transcript/json';
import type { ImagePart } from '../transcript/part';
import type { ToolProgress } from '../transcript/turnEvent';
import type { Delegate } from './delegation';
import * as v from 'valibot';
import type { GenericSchema, InferOutput } from 'valibot';

/** What a tool came back with. `text` is what the model is told; `details` is for surfaces only. denied: the person did not allow it ·
 *  interrupted: it was stopped and may have run in part. */
export interface ToolOutput {
  readonly outcome: 'done' | 'failed' | 'denied' | 'interrupted';
  readonly text: string;
  readonly details?: JsonValue;
  /** Sent to models that take images. */
  readonly images?: readonly ImagePart[];
}

/** What a call is about to do, asked of the approval policy before it runs. */
export interface AskedAccess {
  readonly access: Access;
  /** What would change, as a unified diff, or Markdown; for the card. */
  readonly preview?: string;
}

/** The call a tool runs for. */
export interface ToolCallContext {
  readonly callId: string;
  /** The segment that takes the turn's rows now. With `turnUid`: what the call changes in files belongs to it; of a sub-agent, to the turn it works for. */
  readonly sessionId: string;
  readonly conversationId: string;
  readonly turnUid: string;
  readonly report: (progress: ToolProgress) => void;
  /** Aborted when the person wants the turn to go on while what the call started keeps running. */
  readonly proceed: AbortSignal;
  /** Has a sub-agent do a task; absent where none may be started: a sub-agent starts none. */
  readonly delegate?: Delegate;
}

/** One thing the agent can do. `run` gets arguments that passed `schema`; it may reject, which the registry turns into a failed result. */
export interface Tool<Schema extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** For the model: what it does, when to use it, its limits. */
  readonly description: string;
  /** JSON Schema (type "object") as providers want it; says the same as `schema`. */
  readonly parameters: JsonObject;
  readonly schema: Schema;
  /** Never changes anything: several may run at once, and it works in Plan mode. */
  readonly readOnly: boolean;
  /** Its work is done by sub-agents, whose calls are judged by themselves: it works in Plan mode, and several run side by side where an answer calls nothing else. */
  readonly delegates?: boolean;
  /** What has to be allowed before `run`; null where nothing has. A tool without this method runs without asking. Rejections become failed
   *  results: arguments that cannot work are refused here, before the person is asked. */
  asks?(input: InferOutput<Schema>, signal: AbortSignal): Promise<AskedAccess | null>;
  run(input: InferOutput<Schema>, signal: AbortSignal, call: ToolCallContext): Promise<ToolOutput>;
}

/** Keeps the relation between a tool's schema and what its `run` takes, and lets tools of different schemas live in one list. */
export function defineTool<const Schema extends GenericSchema>(tool: Tool<Schema>): AnyTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    readOnly: tool.readOnly,
    delegates: tool.delegates === true,
    bind: (input) => {
      const parsed = v.safeParse(tool.schema, input);
      if (!parsed.success) return { kind: 'invalid', problems: parsed.issues.map(describeIssue) };
      return {
        kind: 'ready',
        asks: (signal) => tool.asks?.(parsed.output, signal) ?? Promise.resolve(null),
        run: (signal, call) => tool.run(parsed.output, signal, call),
      };
    },
  };
}

export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly readOnly: boolean;
  readonly delegates?: boolean;
  /** Checks the arguments; nothing runs before `run` is called. */
  bind(input: unknown): BoundCall;
}

export type BoundCall =
  | {
      readonly kind: 'ready';
      /** Absent: nothing has to be allowed. */
      asks?(signal: AbortSignal): Promise<AskedAccess | null>;
      run(signal: AbortSignal, call: ToolCallContext): Promise<ToolOutput>;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
