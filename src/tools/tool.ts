import type { JsonObject, JsonValue } from '../transcript/json';
import * as v from 'valibot';
import type { GenericSchema, InferOutput } from 'valibot';

/** What a tool came back with. `text` is what the model is told; `details` is for surfaces only. */
export interface ToolOutput {
  readonly outcome: 'done' | 'failed';
  readonly text: string;
  readonly details?: JsonValue;
}

/** One thing the agent can do. `run` gets arguments that passed `schema`; it may reject, which the registry turns into a failed result. */
export interface Tool<Schema extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** For the model: what it does, when to use it, its limits. */
  readonly description: string;
  /** JSON Schema (type "object") as providers want it; says the same as `schema`. */
  readonly parameters: JsonObject;
  readonly schema: Schema;
  /** Never changes anything: runs without asking, and several may run at once. */
  readonly readOnly: boolean;
  run(input: InferOutput<Schema>, signal: AbortSignal): Promise<ToolOutput>;
}

/** Keeps the relation between a tool's schema and what its `run` takes, and lets tools of different schemas live in one list. */
export function defineTool<const Schema extends GenericSchema>(tool: Tool<Schema>): AnyTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    readOnly: tool.readOnly,
    bind: (input) => {
      const parsed = v.safeParse(tool.schema, input);
      if (!parsed.success) return { kind: 'invalid', problems: parsed.issues.map(describeIssue) };
      return { kind: 'ready', run: (signal) => tool.run(parsed.output, signal) };
    },
  };
}

export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly readOnly: boolean;
  /** Checks the arguments; nothing runs before `run` is called. */
  bind(input: unknown): BoundCall;
}

export type BoundCall =
  | { readonly kind: 'ready'; run(signal: AbortSignal): Promise<ToolOutput> }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
