import { createClient, createConfig, sdk } from '@vectorize-io/hindsight-client';
import * as v from 'valibot';
import { failed, type HindsightAnswer } from '../failure';
import {
  type HindsightApi,
  type HindsightApiSettings,
  type RetainItem,
  type ServerVersion,
  type StoredDocument,
  appendsFrom,
} from '../hindsightApi';
import { ask, type ClientCall } from './ask';

/** Time limits in milliseconds for each kind of request. Reflecting runs a model on the server. */
const limitsMs = { small: 10_000, retain: 30_000, recall: 30_000, reflect: 120_000 } as const;
const pageSize = 100;
const maxPages = 50;

const anything = v.unknown();
const featuresSchema = v.optional(v.object({ store_document_text: v.optional(v.boolean(), true) }), {});
const versionSchema = v.union([
  v.object({ api_version: v.string(), features: featuresSchema }),
  v.object({ version: v.string(), features: featuresSchema }),
]);
const healthSchema = v.object({ status: v.string(), database: v.string() });
const retainSchema = v.object({ success: v.literal(true), operation_id: v.nullish(v.string()) });
const operationSchema = v.object({
  status: v.picklist(['pending', 'processing', 'completed', 'failed', 'cancelled', 'not_found']),
  error_message: v.nullish(v.string()),
});
const operationsSchema = v.object({ total: v.number() });
const documentsSchema = v.object({
  items: v.array(v.object({ id: v.string(), tags: v.nullish(v.array(v.string())) })),
  total: v.number(),
});
const recallSchema = v.object({ results: v.array(v.object({ text: v.string() })) });
const reflectSchema = v.object({ text: v.string() });

/** Adapts Hindsight's official client to `HindsightApi`. Uses its generated functions and not its class: only they
 *  accept our own `fetch` and support operations. */
export function createHindsightApi(settings: HindsightApiSettings): HindsightApi {
  const { place, key } = settings;
  const client = createClient(
    createConfig({
      baseUrl: place.baseUrl,
      headers: { 'User-Agent': 'hermes-vscode', ...(key === null ? {} : { Authorization: `Bearer ${key}` }) },
    }),
  );
  const path = { bank_id: place.bank };
  const question = <T>(
    schema: v.GenericSchema<unknown, T>,
    timeoutMs: number,
    signal: AbortSignal,
    call: ClientCall,
  ): Promise<HindsightAnswer<T>> => ask(settings, { schema, timeoutMs, signal, call });
  // The first servers reported no version. Other web servers report none either, but they do not have this kind of
  // health response.
  const firstServer = async (signal: AbortSignal): Promise<HindsightAnswer<ServerVersion>> => {
    const answer = await question(healthSchema, limitsMs.small, signal, (options) =>
      sdk.healthEndpointHealthGet({ client, ...options }),
    );
    if (answer.kind === 'ok') return ok({ version: '0', appends: false });
    return answer.failure.cause === 'notFound' ? failed('notHindsight', answer.failure) : answer;
  };

  return {
    version: async (signal) => {
      const answer = await question(versionSchema, limitsMs.small, signal, (options) =>
        sdk.getVersion({ client, ...options }),
      );
      if (answer.kind === 'failed') return answer.failure.cause === 'notFound' ? firstServer(signal) : answer;
      const version = 'api_version' in answer.value ? answer.value.api_version : answer.value.version;
      // A server that does not store document text cannot append to it.
      return ok({ version, appends: appendsFrom(version) && answer.value.features.store_document_text });
    },
    retain: async (item, signal) => {
      const body = { items: [memoryItem(item)], async: true, operation_id: item.operationId };
      const answer = await question(retainSchema, limitsMs.retain, signal, (options) =>
        sdk.retainMemories({ client, path, body, ...options }),
      );
      return answer.kind === 'ok' ? ok(answer.value.operation_id ?? null) : answer;
    },
    operation: async (id, signal) => {
      const answer = await question(operationSchema, limitsMs.small, signal, (options) =>
        sdk.getOperationStatus({ client, path: { ...path, operation_id: id }, ...options }),
      );
      if (answer.kind === 'failed')
        return answer.failure.cause === 'notFound' ? ok({ state: 'not_found', error: null }) : answer;
      return ok({ state: answer.value.status, error: answer.value.error_message ?? null });
    },
    cancelOperation: (id, signal) =>
      gone(
        question(anything, limitsMs.small, signal, (options) =>
          sdk.cancelOperation({ client, path: { ...path, operation_id: id }, ...options }),
        ),
      ),
    openOperations: async (signal) => {
      let open = 0;
      for (const status of ['pending', 'processing']) {
        const answer = await question(operationsSchema, limitsMs.small, signal, (options) =>
          sdk.listOperations({ client, path, query: { status, limit: 1 }, ...options }),
        );
        if (answer.kind === 'failed' && answer.failure.cause !== 'notFound') return answer;
        if (answer.kind === 'ok') open += answer.value.total;
      }
      return ok(open);
    },
    deleteDocument: (id, signal) =>
      gone(
        question(anything, limitsMs.small, signal, (options) =>
          sdk.deleteDocument({ client, path: { ...path, document_id: id }, ...options }),
        ),
      ),
    documentsTagged: async (tag, signal) => {
      const found: StoredDocument[] = [];
      for (let page = 0; page < maxPages; page++) {
        const query = { tags: [tag], tags_match: 'all_strict' as const, limit: pageSize, offset: page * pageSize };
        const answer = await question(documentsSchema, limitsMs.small, signal, (options) =>
          sdk.listDocuments({ client, path, query, ...options }),
        );
        if (answer.kind === 'failed') return answer.failure.cause === 'notFound' ? ok(found) : answer;
        // A server without support for the filter lists everything.
        found.push(
          ...answer.value.items
            .map(({ id, tags }) => ({ id, tags: tags ?? [] }))
            .filter(({ tags }) => tags.includes(tag)),
        );
        if ((page + 1) * pageSize >= answer.value.total || answer.value.items.length === 0) break;
      }
      return ok(found);
    },
    recall: async ({ query, budget, maxTokens }, signal) => {
      const body = {
        query,
        budget,
        max_tokens: maxTokens,
        types: ['world', 'experience', 'observation'],
        prefer_observations: true,
        include: { entities: null },
      };
      const answer = await question(recallSchema, limitsMs.recall, signal, (options) =>
        sdk.recallMemories({ client, path, body, ...options }),
      );
      if (answer.kind === 'failed') return answer.failure.cause === 'notFound' ? ok([]) : answer;
      return ok(answer.value.results.map(({ text }) => text));
    },
    reflect: async (query, signal) => {
      const answer = await question(reflectSchema, limitsMs.reflect, signal, (options) =>
        sdk.reflect({ client, path, body: { query, budget: 'low' }, ...options }),
      );
      return answer.kind === 'ok' ? ok(answer.value.text) : answer;
    },
  };
}

function memoryItem({ documentId, content, context, timestamp, tags, metadata, mode }: RetainItem) {
  return {
    content,
    context,
    document_id: documentId,
    tags: [...tags],
    metadata: { ...metadata },
    ...(timestamp === null ? {} : { timestamp }),
    ...(mode === null ? {} : { update_mode: mode }),
  };
}

async function gone(answer: Promise<HindsightAnswer<unknown>>): Promise<HindsightAnswer<null>> {
  const result = await answer;
  return result.kind === 'ok' || result.failure.cause === 'notFound' ? ok(null) : result;
}

function ok<T>(value: T): { readonly kind: 'ok'; readonly value: T } {
  return { kind: 'ok', value };
}
