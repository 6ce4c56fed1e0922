import * as v from 'valibot';
import type { Log } from '../../../base/log';
import type { MemoryProvider, RecallStatus } from '../../../memory/memoryProvider';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { withoutSecrets } from '../../../models/secrecy/secrecy';
import type * as api from './hermes';
import { ApiError } from './hermesError';
import { adaptedTool, describe } from './apiTools';
import { frozen, shownCopy } from './plainCopies';

/** Names that have a special meaning in the setting. */
const reserved: readonly string[] = ['none', 'builtin', 'hindsight'];

const hook = v.optional(v.function());
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
  isAvailable: hook,
  systemPromptBlock: hook,
  prefetch: hook,
  queuePrefetch: hook,
  recallStatus: hook,
  onTurnStart: hook,
  onSessionEnd: hook,
  onSessionSwitch: hook,
  onPreCompress: hook,
  onMemoryWrite: hook,
  onDelegation: hook,
  onSessionForgotten: hook,
  shutdown: hook,
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
    ...recallHooks(theirs),
    ...sessionHooks(theirs),
  };
}

type Hooks<K extends keyof MemoryProvider> = Partial<Pick<MemoryProvider, K>>;

function recallHooks(
  theirs: api.MemoryProvider,
): Hooks<'isAvailable' | 'systemPromptBlock' | 'prefetch' | 'queuePrefetch' | 'recallStatus' | 'onPreCompress'> {
  return {
    ...(theirs.isAvailable && { isAvailable: () => theirs.isAvailable?.() === true }),
    ...(theirs.systemPromptBlock && { systemPromptBlock: () => theirs.systemPromptBlock?.() ?? '' }),
    ...(theirs.prefetch && {
      prefetch: async (query, sessionId, signal) => (await theirs.prefetch?.(query, sessionId, signal)) ?? '',
    }),
    ...(theirs.queuePrefetch && {
      queuePrefetch: async (query, sessionId, signal) => theirs.queuePrefetch?.(query, sessionId, signal),
    }),
    ...(theirs.recallStatus && { recallStatus: () => recallStatus(theirs.recallStatus?.()) }),
    ...(theirs.onPreCompress && {
      onPreCompress: async (messages, signal) =>
        (await theirs.onPreCompress?.(frozen(messages.flatMap((message) => shownCopy(message) ?? [])), signal)) ?? '',
    }),
  };
}

function sessionHooks(
  theirs: api.MemoryProvider,
): Hooks<
  | 'onTurnStart'
  | 'onSessionEnd'
  | 'onSessionSwitch'
  | 'onMemoryWrite'
  | 'onDelegation'
  | 'onSessionForgotten'
  | 'shutdown'
> {
  return {
    ...(theirs.onTurnStart && {
      onTurnStart: async ({ turnUid, ...turn }, signal) =>
        theirs.onTurnStart?.(frozen({ ...turn, turnId: turnUid }), signal),
    }),
    ...(theirs.onSessionEnd && { onSessionEnd: async (sessionId, signal) => theirs.onSessionEnd?.(sessionId, signal) }),
    ...(theirs.onSessionSwitch && {
      onSessionSwitch: async (sessionId, change, signal) =>
        theirs.onSessionSwitch?.(sessionId, frozen({ ...change }), signal),
    }),
    ...(theirs.onMemoryWrite && {
      onMemoryWrite: async (write, signal) => theirs.onMemoryWrite?.(frozen({ ...write }), signal),
    }),
    ...(theirs.onDelegation && {
      onDelegation: async (delegation, signal) => theirs.onDelegation?.(frozen({ ...delegation }), signal),
    }),
    ...(theirs.onSessionForgotten && {
      onSessionForgotten: async (sessionIds, signal) =>
        sentenceOf(await theirs.onSessionForgotten?.(frozen([...sessionIds]), signal)),
    }),
    ...(theirs.shutdown && { shutdown: async (signal) => theirs.shutdown?.(signal) }),
  };
}

function recallStatus(value: unknown): RecallStatus | null {
  const parsed = v.safeParse(v.nullish(statusSchema, null), value);
  return parsed.success ? parsed.output : null;
}

function sentenceOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
