import { isJsonObject, type JsonObject } from '../../transcript/json';
import type { WireMessage } from '../chatModel';

/** A service's summary of the conversation before it. The service makes one if it or a proxy is configured for it
 *  (`context_management`, never by us). It is not part of the answer's text. The service needs it back unchanged,
 *  `encrypted_content` included, and ignores everything before it. */
interface Compaction {
  readonly content: string;
  readonly signature?: string;
  readonly encrypted_content?: string;
}

const type = 'compaction';
/** The beta for requests with such a block. A signed block has its own beta, which the SDK adds. */
const beta = 'compact-2026-01-12';

/** Returns what to keep of a block. Null without a summary: the service failed to make one, and needs nothing back. */
export function compactionMetadata(fields: Record<string, string>): JsonObject | null {
  return fields['content'] === undefined ? null : { anthropic: { type, ...fields } };
}

/** Returns the compaction fields of a delta or of a block's start. Each delta has the full values. */
export function compactionFields(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    ['content', 'signature', 'encrypted_content'].flatMap((name) => {
      const field = value[name];
      return typeof field === 'string' && field !== '' ? [[name, field]] : [];
    }),
  );
}

/** Returns the compaction in a stored part, or null. */
export function compactionOf(metadata: JsonObject | undefined): Compaction | null {
  const ours = metadata?.['anthropic'];
  if (!isJsonObject(ours) || ours['type'] !== type) return null;
  const { content, ...rest } = compactionFields(ours);
  return content === undefined ? null : { content, ...rest };
}

export function compactionsIn(messages: readonly WireMessage[]): readonly Compaction[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.kind === 'thinking' ? (compactionOf(part.metadata) ?? []) : []))
      : [],
  );
}

/** Returns the headers of a request that sends these compactions back. */
export function compactionHeaders(compactions: readonly Compaction[]): Readonly<Record<string, string>> {
  return compactions.some(({ signature }) => signature === undefined) ? { 'anthropic-beta': beta } : {};
}

/** A `fetch` that adds the opaque parts to the request's blocks, because the SDK omits them. */
export function withOpaqueParts(
  fetch: typeof globalThis.fetch,
  compactions: readonly Compaction[],
): typeof globalThis.fetch {
  if (compactions.every((compaction) => compaction.encrypted_content === undefined)) return fetch;
  return (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init);
    const opaque = compactions.map((compaction) => compaction.encrypted_content);
    const body = JSON.stringify(
      mapBlocks(JSON.parse(init.body), (block) => {
        const encrypted = block['type'] === type ? opaque.shift() : undefined;
        return encrypted === undefined ? block : { ...block, encrypted_content: encrypted };
      }),
    );
    return fetch(input, { ...init, body });
  };
}

/** Returns a copy of a request with every block of its messages changed, in order. */
function mapBlocks(body: unknown, change: (block: JsonObject) => JsonObject): unknown {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'].map((message: unknown) => {
    if (!isJsonObject(message) || !Array.isArray(message['content'])) return message;
    return {
      ...message,
      content: message['content'].map((block: unknown) => (isJsonObject(block) ? change(block) : block)),
    };
  });
  return { ...body, messages };
}
