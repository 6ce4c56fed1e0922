import { createClient, createConfig, sdk } from '@vectorize-io/hindsight-client';
import * as v from 'valibot';
import { failed, type HindsightAnswer, type HindsightCause } from '../failure';
import {
  type HindsightApi,
  type HindsightApiSettings,
  type RetainItem,
  type ServerVersion,
  type StoredDocument,
  appendsFrom,
} from '../hindsightApi';

import { systemCode } from '../../../../models/http/networkFault';
import { withoutSecrets } from '../../../../models/secrecy/secrecy';

/** A call of the client's generated functions. `fetch` can be replaced per call. */
type ClientCall = (options: { readonly fetch: typeof globalThis.fetch }) => Promise<{ readonly data?: unknown }>;

interface Question<T> {
  readonly schema: v.GenericSchema<unknown, T>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly call: ClientCall;
}

/** Error codes of connections that were never established: the server has not received the request. */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
]);

interface Seen {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Makes one call of the client through our own `fetch`. The client has no time limit, follows redirects together
 *  with its headers, and reports a refused connection and a stop the same way. Therefore this reads the whole body
 *  within the limit, and takes the cause of a failure from our own signal and from the response. Never rejects. */
async function ask<T>({ fetch, after, key }: HindsightApiSettings, question: Question<T>): Promise<HindsightAnswer<T>> {
  const cut = new AbortController();
  let timedOut = false;
  const cancelTimer = after(question.timeoutMs, () => {
    timedOut = true;
    cut.abort();
  });
  const signal = AbortSignal.any([cut.signal, question.signal]);
  let seen: Seen | null = null;
  let fault: unknown = null;
  const observed: typeof globalThis.fetch = async (...request) => {
    try {
      const response = await fetch(request[0], { ...request[1], redirect: 'manual', signal });
      const text = await response.text();
      seen = { status: response.status, retryAfter: response.headers.get('retry-after'), text };
      const bodyless = [101, 204, 205, 304].includes(response.status);
      return new Response(bodyless ? null : text, {
        status: response.status,
        headers: { 'content-type': response.headers.get('content-type') ?? 'text/plain' },
      });
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  let data: unknown;
  try {
    ({ data } = await question.call({ fetch: observed }));
  } catch (error) {
    // The client rejects for a body that is not the JSON it claims to be. `fault` shows a broken connection.
    fault ??= error;
  } finally {
    cancelTimer();
  }
  return seen === null
    ? broken(fault, { timedOut, stopped: question.signal.aborted })
    : judge(seen, data, question.schema, key);
}

function judge<T>(
  { status, text, retryAfter }: Seen,
  data: unknown,
  schema: v.GenericSchema<unknown, T>,
  key: string | null,
): HindsightAnswer<T> {
  if (status >= 200 && status < 300) {
    const parsed = v.safeParse(schema, data);
    if (parsed.success) return { kind: 'ok', value: parsed.output };
    return failed('notHindsight', { status, detail: `an answer of another shape (${status})`, uncertain: true });
  }
  const cause = causeOf(status);
  const uncertain = cause === 'server';
  return failed(cause, { status, detail: detailOf(text, key), uncertain, retryAfterMs: retryAfterMs(retryAfter) });
}

function causeOf(status: number): HindsightCause {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'notFound';
  if (status === 409) return 'conflict';
  if (status === 429 || status === 503) return 'busy';
  if (status >= 500) return 'server';
  return status >= 400 ? 'refused' : 'notHindsight';
}

function broken(
  fault: unknown,
  { timedOut, stopped }: { readonly timedOut: boolean; readonly stopped: boolean },
): ReturnType<typeof failed> {
  // Decided by our own signals, never by the class of an error: a stop and a broken connection reject the same way.
  if (timedOut) return failed('timeout', { uncertain: true });
  if (stopped) return failed('stopped', { uncertain: true });
  const code = systemCode(fault);
  return failed('network', { detail: code ?? '', uncertain: code === null || !neverSent.has(code) });
}

const errorSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    detail: v.union([
      v.string(),
      v.array(v.object({ msg: v.string(), loc: v.optional(v.array(v.union([v.string(), v.number()]))) })),
    ]),
  }),
);

/** Parses FastAPI's `detail`: a sentence, or a list of problems with their locations. */
function detailOf(text: string, key: string | null): string {
  const parsed = v.safeParse(errorSchema, text);
  if (!parsed.success) return withoutSecrets(text, key).replace(/\s+/g, ' ').trim().slice(0, 200);
  const { detail } = parsed.output;
  return withoutSecrets(
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${(loc ?? []).join('.')}: ${msg}`).join('; '),
    key,
  ).slice(0, 300);
}

function retryAfterMs(header: string | null): number | null {
  const seconds = header === null ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : null;
}
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
