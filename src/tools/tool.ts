import type { Access, Approval } from '../transcript/approval';
import { isJsonObject, parsedJson, type JsonObject, type JsonValue } from '../transcript/json';
import type { ImagePart } from '../transcript/part';
import type { ToolProgress } from '../transcript/turnEvent';
import type { Delegate } from './delegation';
import * as v from 'valibot';
import type { GenericSchema, InferOutput } from 'valibot';

/** Result of a tool. `text` is for the model; `details` is for surfaces only. denied: the user did not allow it.
 *  interrupted: it was stopped and may have run in part. */
export interface ToolOutput {
  readonly outcome: 'done' | 'failed' | 'denied' | 'interrupted';
  readonly text: string;
  readonly details?: JsonValue;
  /** Sent to models that accept images. */
  readonly images?: readonly ImagePart[];
}

export function done(text: string, details?: JsonValue): ToolOutput {
  return { outcome: 'done', text, ...(details === undefined ? {} : { details }) };
}

/** `text`: what is wrong, and what the model can do instead. */
export function failed(text: string): ToolOutput {
  return { outcome: 'failed', text };
}

type InputAccess = Access & { readonly kind: 'input' };
export type JudgedAccess = Exclude<Access, InputAccess>;

/** Access that a call needs. The approval policy judges it before the call runs. */
export interface AskedAccess {
  readonly access: JudgedAccess;
  /** Preview for the card: a unified diff, or Markdown. */
  readonly preview?: string;
  /** True for an edit after which its files are as before. */
  readonly changesNothing?: boolean;
}

/** Call that a tool runs for. */
export interface ToolCallContext {
  readonly callId: string;
  /** Segment that receives the turn's rows now. Together with `turnUid` it owns the call's file changes. For a
   *  sub-agent, these are the ids of the parent's turn. */
  readonly sessionId: string;
  readonly conversationId: string;
  readonly turnUid: string;
  readonly report: (progress: ToolProgress) => void;
  /** Aborted when the user wants the turn to continue while the call's command keeps running. */
  readonly proceed: AbortSignal;
  /** Asks the user for input in the middle of the call. Resolves with the decision, which is on disk. Aborting the
   *  signal withdraws the request. Rejects when the turn ends. */
  readonly ask: (asked: InputAccess, subject: string, signal: AbortSignal) => Promise<Approval>;
  /** Runs a task with a sub-agent. Absent when none may be started: a sub-agent cannot start one. */
  readonly delegate?: Delegate;
}

/** One capability of the agent. `run` gets arguments that passed `schema`. It may reject; the registry turns that
 *  into a failed result. */
export interface Tool<Schema extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** Text for the model: purpose, when to use it, limits. */
  readonly description: string;
  /** Of the arguments. The JSON Schema for providers is derived from it. */
  readonly schema: Schema;
  /** True when it never changes anything: several may run at once, and it works in Plan mode. */
  readonly readOnly: boolean;
  /** True when sub-agents do its work and each of their calls is judged: it works in Plan mode, and several run in
   *  parallel if the response calls nothing else. */
  readonly delegates?: boolean;
  /** Access that needs approval before `run`; null when none does. A tool without this method runs without approval.
   *  Rejections become failed results: this refuses arguments that cannot work before the user is asked. */
  asks?(input: InferOutput<Schema>, signal: AbortSignal): Promise<AskedAccess | null>;
  run(input: InferOutput<Schema>, signal: AbortSignal, call: ToolCallContext): Promise<ToolOutput>;
}

/** Checks that `run` matches the tool's schema type, and lets tools of different schemas share one list. */
export function defineTool<const Schema extends GenericSchema>(tool: Tool<Schema>): AnyTool {
  const parameters = jsonSchemaOf(tool.schema);
  return {
    name: tool.name,
    description: tool.description,
    parameters,
    readOnly: tool.readOnly,
    delegates: tool.delegates === true,
    bind: (input) => {
      const exact = v.safeParse(tool.schema, input);
      const parsed = exact.success ? exact : v.safeParse(tool.schema, asMeant(input, parameters));
      if (!parsed.success) return { kind: 'invalid', problems: parsed.issues.map(describeIssue) };
      return {
        kind: 'ready',
        input: parsed.output,
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
  /** Validates the arguments; nothing runs before `run` is called. */
  bind(input: unknown): BoundCall;
}

export type BoundCall =
  | {
      readonly kind: 'ready';
      /** Arguments that `run` uses. Default: those that were bound. */
      readonly input?: unknown;
      /** Absent: no approval needed. */
      asks?(signal: AbortSignal): Promise<AskedAccess | null>;
      run(signal: AbortSignal, call: ToolCallContext): Promise<ToolOutput>;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The parts of a schema, or of an action on one, that a JSON Schema can say. */
interface SchemaPart {
  readonly type: string;
  readonly pipe?: readonly SchemaPart[];
  readonly entries?: Readonly<Record<string, SchemaPart>>;
  readonly wrapped?: SchemaPart;
  readonly item?: SchemaPart;
  readonly options?: readonly string[];
  readonly requirement?: JsonValue;
  readonly description?: string;
  readonly metadata?: JsonObject;
}

/** JSON Schema with the same types and descriptions. Of the checks only those of numbers and of the length of a list. A
 *  choice without options is left out: nothing would fit it. */
function jsonSchemaOf({ type, pipe, entries, wrapped, item, options }: SchemaPart): JsonObject {
  const [base, ...actions] = pipe ?? [];
  if (base !== undefined)
    return actions.reduce((schema, action) => ({ ...schema, ...limitOf(action, schema) }), jsonSchemaOf(base));
  if (wrapped !== undefined) return jsonSchemaOf(wrapped);
  if (options !== undefined) return { type: 'string', enum: options };
  if (item !== undefined) return { type, items: jsonSchemaOf(item) };
  if (entries === undefined) return { type };
  const properties = Object.entries(entries).map(([name, part]) => [name, jsonSchemaOf(part)] as const);
  const required = Object.keys(entries).filter((name) => entries[name]?.type !== 'optional');
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.filter(([, { enum: values }]) => !Array.isArray(values) || values.length > 0),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

function limitOf(
  { type, requirement = null, description = '', metadata = {} }: SchemaPart,
  of: JsonObject,
): JsonObject {
  switch (type) {
    case 'integer':
      return { type };
    case 'min_value':
      return { minimum: requirement };
    case 'max_value':
      return { maximum: requirement };
    case 'max_length':
      return of['type'] === 'array' ? { maxItems: requirement } : {};
    case 'description':
      return { description };
    default:
      return metadata;
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}

/** Arguments as weak models mean them, where the schema leaves no doubt: numbers, booleans, lists and objects written
 *  as text, and null for an optional one that is left out. */
function asMeant(value: unknown, schema: unknown): unknown {
  if (!isJsonObject(schema)) return value;
  const { type, properties, items, required } = schema;
  if (typeof value === 'string') {
    const isNumber = (type === 'number' || type === 'integer') && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value);
    if (isNumber) return Number(value);
    if (type === 'boolean' && /^(?:true|false)$/i.test(value.trim())) return value.trim().toLowerCase() === 'true';
    if (type !== 'array' && type !== 'object') return value;
    const parsed = parsedJson(value);
    return (type === 'array' ? Array.isArray(parsed) : isJsonObject(parsed)) ? asMeant(parsed, schema) : value;
  }
  if (Array.isArray(value)) return value.map((each) => asMeant(each, items));
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const needed = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => inner !== null || needed.includes(name))
      .map(([name, inner]) => [name, asMeant(inner, properties[name])]),
  );
}
