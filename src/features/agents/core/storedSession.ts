import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { AgentCommand } from './agentUpdate';

const tokens = v.pipe(v.number(), v.minValue(0));
const knownSchema = v.object({
  /** Its id there. */
  id: v.string(),
  /** The last turn whose prompt it got. */
  turn: v.string(),
  /** Tokens of its context, as the agent last said. */
  context: v.optional(v.object({ used: tokens, size: tokens })),
  /** US dollars of it that are counted. */
  countedUsd: v.optional(v.number()),
});
/** An agent's session as it is stored, for later windows. */
export type KnownSession = Readonly<v.InferOutput<typeof knownSchema>>;
const commandsSchema = v.array(v.object({ name: v.string(), description: v.string(), hint: v.nullable(v.string()) }));

type Meta = Pick<SessionStore, 'getMeta' | 'setMeta'>;

export async function readKnown(store: Meta, conversationId: string, agentId: string): Promise<KnownSession | null> {
  return parsedAs(knownSchema, await store.getMeta(`agent-session/${conversationId}/${agentId}`));
}

export function storeKnown(store: Meta, conversationId: string, agentId: string, known: KnownSession): Promise<void> {
  return store.setMeta(`agent-session/${conversationId}/${agentId}`, JSON.stringify(known));
}

/** Commands of an agent's session. Null conversation, or one without a session yet: those of its newest session. */
export async function readCommands(
  store: Meta,
  conversationId: string | null,
  agentId: string,
): Promise<readonly AgentCommand[]> {
  for (const id of conversationId === null ? [''] : [conversationId, '']) {
    const stored = parsedAs(commandsSchema, await store.getMeta(`agent-commands/${id}/${agentId}`));
    if (stored !== null) return stored;
  }
  return [];
}

/** Resolves to false when they are stored already. */
export async function storeCommands(
  store: Meta,
  conversationId: string,
  agentId: string,
  commands: readonly AgentCommand[],
): Promise<boolean> {
  const text = JSON.stringify(commands);
  const keys = [conversationId, ''].map((id) => `agent-commands/${id}/${agentId}`);
  if ((await store.getMeta(keys[0] ?? '')) === text) return false;
  for (const key of keys) await store.setMeta(key, text);
  return true;
}
