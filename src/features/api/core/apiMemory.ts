import * as v from 'valibot';
import type { Log } from '../../../base/log';
import type { MemoryProvider } from '../../../memory/memoryProvider';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { withoutSecrets } from '../../../models/secrecy/secrecy';
import type { AnyTool } from '../../../tools/tool';
import { type JsonObject, parseJsonObject } from '../../../transcript/json';
import type * as api from './hermes';
import { ApiError } from './hermesError';
import { frozen, shownCopy } from './plainCopies';

/** Names that have a special meaning in the setting. */
const reserved: readonly string[] = ['none', 'builtin', 'hindsight'];

/** Hooks that a provider may lack. */
const hookNames = [
  'isAvailable',
  'systemPromptBlock',
  'prefetch',
  'queuePrefetch',
  'recallStatus',
  'onTurnStart',
  'onSessionEnd',
  'onSessionSwitch',
  'onPreCompress',
  'onMemoryWrite',
  'onDelegation',
  'onSessionForgotten',
  'shutdown',
] as const;
type Hooks = Required<Pick<MemoryProvider, (typeof hookNames)[number]>>;
const factorySchema = v.object({
  name: v.pipe(
    v.string(),
    v.regex(/^[\w.-]{1,64}$/, 'is no name of 1 to 64 letters, digits, dots, hyphens and underscores'),
  ),
  create: v.function(),
});
const providerSchema = v.object({
  initialize: v.function(),
  syncTurn: v.function(),
  ...v.entriesFromList(hookNames, v.optional(v.function())),
});
const statusSchema = v.object({ label: v.string(), count: v.number() });

/** Adapts a memory provider factory of another extension to our interface. Throws an `ApiError` when it is not a
 *  valid factory or its name is reserved. */
export function adaptedFactory(factory: api.MemoryProviderFactory, log: Log): MemoryProviderFactory {
  const parsed = v.safeParse(factorySchema, factory);
  if (!parsed.success)
    throw new ApiError('invalid', `This cannot be registered as a memory provider: ${describe(parsed.issues)}.`);
  const { name } = parsed.output;
  if (reserved.includes(name))
    throw new ApiError(
      'invalid',
      `A memory provider cannot be named "${name}": the setting hermes.memory.provider gives that name a meaning ` +
        'of its own.',
    );
  return { name, kind: 'external', create: () => adaptedProvider(name, factory.create({ log: namedLog(name, log) })) };
}

function namedLog(name: string, log: Log): api.MemoryContext['log'] {
  const line = (message: unknown): string => `Memory provider ${name}: ${withoutSecrets(String(message), null)}`;
  return Object.freeze({
    info: (message: string) => log.info(line(message)),
    warn: (message: string) => log.warn(line(message)),
  });
}

/** Adapts a memory provider of another extension to our interface. Has only the hooks that the original has, so a
 *  hook the provider lacks is never called. Throws a `TypeError` that says what is wrong when it is not a valid
 *  provider. */
function adaptedProvider(name: string, theirs: api.MemoryProvider): MemoryProvider {
  const parsed = v.safeParse(providerSchema, theirs);
  if (!parsed.success) throw new TypeError(`what it made is no provider: ${describe(parsed.issues)}`);
  return {
    name,
    initialize: async (sessionId, signal, start) => theirs.initialize(sessionId, signal, frozen({ ...start })),
    syncTurn: async ({ turnUid, ...turn }, signal) => theirs.syncTurn(frozen({ ...turn, turnId: turnUid }), signal),
    get tools() {
      return (theirs.tools ?? []).map(adaptedTool);
    },
    ...hooksOf(theirs),
  };
}

function hooksOf(theirs: api.MemoryProvider): Partial<Hooks> {
  const all: Hooks = {
    isAvailable: () => theirs.isAvailable?.() === true,
    systemPromptBlock: () => theirs.systemPromptBlock?.() ?? '',
    prefetch: async (...given) => (await theirs.prefetch?.(...given)) ?? '',
    queuePrefetch: async (...given) => theirs.queuePrefetch?.(...given),
    recallStatus: () => {
      const parsed = v.safeParse(statusSchema, theirs.recallStatus?.());
      return parsed.success ? parsed.output : null;
    },
    onTurnStart: async ({ turnUid, ...turn }, signal) =>
      theirs.onTurnStart?.(frozen({ ...turn, turnId: turnUid }), signal),
    onSessionEnd: async (...given) => theirs.onSessionEnd?.(...given),
    onSessionSwitch: async (sessionId, change, signal) =>
      theirs.onSessionSwitch?.(sessionId, frozen({ ...change }), signal),
    onPreCompress: async (messages, signal) =>
      (await theirs.onPreCompress?.(frozen(messages.flatMap((message) => shownCopy(message) ?? [])), signal)) ?? '',
    onMemoryWrite: async (write, signal) => theirs.onMemoryWrite?.(frozen({ ...write }), signal),
    onDelegation: async (delegation, signal) => theirs.onDelegation?.(frozen({ ...delegation }), signal),
    onSessionForgotten: async (sessionIds, signal) => {
      const said: unknown = await theirs.onSessionForgotten?.(frozen([...sessionIds]), signal);
      return typeof said === 'string' && said.trim() !== '' ? said : null;
    },
    shutdown: async (signal) => theirs.shutdown?.(signal),
  };
  const own = hookNames.filter((name) => theirs[name] !== undefined).map((name) => [name, all[name]] as const);
  return Object.fromEntries(own) as Partial<Hooks>;
}

const toolSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'is no name of 1 to 64 letters, digits, hyphens and underscores')),
  description: v.string(),
  parameters: v.record(v.string(), v.unknown()),
  readOnly: v.boolean(),
  run: v.function(),
});
const inputSchema = v.record(v.string(), v.unknown());

/** Adapts a tool of another extension to our interface. Throws a `TypeError` that says what is wrong when it is not
 *  a valid tool. */
function adaptedTool(tool: api.MemoryTool): AnyTool {
  const parsed = v.safeParse(toolSchema, tool);
  if (!parsed.success) throw new TypeError(`one of its tools is no tool: ${describe(parsed.issues)}`);
  const { name, description, readOnly } = parsed.output;
  return {
    name,
    description,
    readOnly,
    parameters: objectSchema(name, parsed.output.parameters),
    bind: (input) => {
      const given = v.safeParse(inputSchema, input);
      if (!given.success) return { kind: 'invalid', problems: ['not an object'] };
      return {
        kind: 'ready',
        run: async (signal) => {
          const text: unknown = await tool.run(given.output, signal);
          if (typeof text !== 'string') throw new TypeError(`${name} came back with ${typeof text} in place of text.`);
          return { outcome: 'done', text };
        },
      };
    },
  };
}

/** Returns the schema as models receive it: plain JSON, of type "object". */
function objectSchema(name: string, parameters: object): JsonObject {
  const parsed = parseJsonObject(JSON.stringify(parameters));
  if (parsed.kind === 'invalid')
    throw new TypeError(`the parameters of its tool ${name} are no JSON Schema of an object`);
  return { ...parsed.value, type: 'object' };
}

function describe(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`).join('; ');
}
