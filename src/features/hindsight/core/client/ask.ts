import * as v from 'valibot';
import { systemCode } from '../../../../models/http/networkFault';
import { withoutSecrets } from '../../../../models/secrecy/secrecy';
import { failed, type HindsightAnswer, type HindsightCause } from '../failure';
import type { HindsightApiSettings } from '../hindsightApi';

/** A call of the client's generated functions. `fetch` can be replaced per call. */
export type ClientCall = (options: { readonly fetch: typeof globalThis.fetch }) => Promise<{ readonly data?: unknown }>;

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
export async function ask<T>(
  { fetch, after, key }: HindsightApiSettings,
  question: Question<T>,
): Promise<HindsightAnswer<T>> {
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
