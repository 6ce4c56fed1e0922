import type { JsonObject } from '../../transcript/json';
import type { WireMessage } from '../chatModel';
import { isObject } from './prompt';
import { noTap, type RawTap } from './reading';

/** A summary that a service made of the conversation before it, because it or a proxy was told to (`context_management`, never by us). It is no words
 *  of the answer. The service asks for it back as it came, `encrypted_content` included, and leaves out what stands before it. */
export interface Compaction {
  readonly content: string;
  readonly signature?: string;
  readonly encrypted_content?: string;
}

const type = 'compaction';
/** Under which requests may hold such a block; one that is signed has a beta of its own, which the SDK names. */
const beta = 'compact-2026-01-12';

/** Reads compaction blocks from the raw chunks: the SDK hands them on as text, without their opaque part. */
export class CompactionTap implements RawTap {
  private block: Record<string, string> | null = null;

  readonly thinkingMetadata = noTap.thinkingMetadata;
  readonly closingMetadata = noTap.closingMetadata;

  see(chunk: unknown): void {
    if (!isObject(chunk)) return;
    const begun = chunk['content_block'];
    if (chunk['type'] === 'content_block_start') this.block = isObject(begun) && begun['type'] === type ? {} : null;
    if (this.block !== null) this.block = { ...this.block, ...fieldsOf(begun), ...fieldsOf(chunk['delta']) };
  }

  get isHiding(): boolean {
    return this.block !== null;
  }

  hiddenBlock(): JsonObject | null {
    const { block } = this;
    this.block = null;
    // Without a summary the service failed to make one, and wants nothing back.
    return block?.['content'] === undefined ? null : { anthropic: { type, ...block } };
  }
}

/** What a delta or the beginning of a block says of a compaction; each delta holds the whole. */
function fieldsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    ['content', 'signature', 'encrypted_content'].flatMap((name) => {
      const field = value[name];
      return typeof field === 'string' && field !== '' ? [[name, field]] : [];
    }),
  );
}

/** The compaction that a stored part holds, or null. */
export function compactionOf(metadata: JsonObject | undefined): Compaction | null {
  const ours = metadata?.['anthropic'];
  if (!isObject(ours) || ours['type'] !== type) return null;
  const { content, ...rest } = fieldsOf(ours);
  return content === undefined ? null : { content, ...rest };
}

export function compactionsIn(messages: readonly WireMessage[]): readonly Compaction[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.kind === 'thinking' ? (compactionOf(part.metadata) ?? []) : []))
      : [],
  );
}

/** Headers of a request that sends these back. */
export function compactionHeaders(compactions: readonly Compaction[]): Readonly<Record<string, string>> {
  return compactions.some(({ signature }) => signature === undefined) ? { 'anthropic-beta': beta } : {};
}

/** A `fetch` that puts the opaque parts into the request's blocks, which the SDK writes without them. */
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

/** A request with every block of its messages changed, in order. */
function mapBlocks(body: unknown, change: (block: JsonObject) => JsonObject): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'].map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message['content'])) return message;
    return {
      ...message,
      content: message['content'].map((block: unknown) => (isObject(block) ? change(block) : block)),
    };
  });
  return { ...body, messages };
}
