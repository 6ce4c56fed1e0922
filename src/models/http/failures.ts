import { parsedJson } from '../../transcript/json';
import { t } from '../../base/translate';
import { joinSentences } from '../../base/messageText';
import type { Failure, ModelFailureCause } from '../../transcript/stopReason';
import { shownAddress, withoutSecrets } from '../secrecy/secrecy';
import type { TransportFault } from '../transport';

/** Facts about the request for a failure's sentence. */
export interface FailureContext {
  /** The provider's name as the user knows it: "OpenRouter", "Local". */
  readonly provider: string;
  readonly modelId: string | null;
  readonly baseUrl: string | null;
  readonly key: string | null;
  /** request: a prompt was sent · listing: only the models or the connection were checked, so no user data is at
   *  risk. */
  readonly purpose: 'request' | 'listing';
  /** True when answer text or thinking had arrived before the failure. */
  readonly delivered: boolean;
}

/** Maximum characters of a service's message in the technical text. */
const longestQuote = 2000;

/** Advice; of two, a listing gets the one without another model: the user may not have one yet. */
type Next = string | readonly [alone: string, orAnotherModel: string];

const setKey = (): Next => [t('Set a key.'), t('Set a key or choose another model.')];
const setNewKey = (): Next => [t('Set a new key.'), t('Set a new key or choose another model.')];
const addCredit = (): Next => [t('Add credit there.'), t('Add credit there, or choose another model.')];
const rephrase = (): Next => [t('Rephrase it.'), t('Rephrase it, or choose another model.')];
const retry = (): Next => [t('Retry.'), t('Retry, or choose another model.')];
const retrySoon = (): Next => [t('Retry in a moment.'), t('Retry in a moment, or choose another model.')];
const makeShorter = (): Next => t('Compress the session, start a new one, or choose a model with a larger context.');
const checkAddress = (): Next => t('Check the base URL; most end in /v1.');
const goOn = ({ delivered }: FailureContext): Next => (delivered ? t('Continue or retry.') : t('Retry.'));

/** Turns a fault into a `Failure`: its cause class, a sentence that says what happened, what is safe and what to do
 *  now, and the technical text for "Copy details". Keys are removed from both texts. */
export function failureOf(fault: TransportFault, context: FailureContext): Failure {
  const { cause, happened, next } = describe(fault, context);
  const sentence = joinSentences([happened, safety(context), advice(next, context.purpose)]);
  return {
    cause,
    sentence: withoutSecrets(sentence, context.key),
    technical: withoutSecrets(technical(fault, context), context.key),
  };
}

/** Returns the cause class of a fault. */
export function failureCause(fault: TransportFault): ModelFailureCause {
  const nobody = { provider: '', modelId: null, baseUrl: null, key: null } as const;
  return describe(fault, { ...nobody, purpose: 'request', delivered: false }).cause;
}

/** Place of a service: on this machine, or anywhere else. */
export type ServicePlace = 'thisMachine' | 'remote';

/** True when the same request may succeed a moment later. Only used before anything was delivered. */
export function mayRetry(fault: TransportFault, place: ServicePlace): boolean {
  switch (fault.kind) {
    case 'http':
      return (
        ([408, 429].includes(fault.status) || fault.status >= 500) && !isQuota(fault.status, bodyMessage(fault.body))
      );
    case 'inStream':
      return ['overloaded', 'rateLimit'].includes(classOfStreamError(fault));
    case 'network':
      return !isPermanent(fault.code, place);
    case 'noFinish':
      return true;
    default:
      return false;
  }
}

/** Returns the pause that the service requests, in milliseconds. Null when it requests none. Parses seconds or an
 *  HTTP date (RFC 9110 §10.2.3). */
export function retryAfterMs(fault: TransportFault, epochMs: number): number | null {
  if (fault.kind !== 'http') return null;
  const exact = Number.parseFloat(fault.headers['retry-after-ms'] ?? '');
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = fault.headers['retry-after'];
  if (value === undefined) return null;
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - epochMs);
}

/** Failure: no key is known for an endpoint that needs one. */
export function noKeyFailure(provider: string, destination: string, purpose: FailureContext['purpose']): Failure {
  return {
    cause: 'noKey',
    sentence: joinSentences([
      t('No key is set for {provider} ({destination}).', { provider, destination }),
      purpose === 'request' ? t('Your prompt is saved.') : '',
      advice(setKey(), purpose),
    ]),
    technical: `no key for ${destination}`,
  };
}

export function invalidBaseUrlFailure(provider: string, baseUrl: string): Failure {
  const shown = shownAddress(baseUrl);
  return {
    cause: 'badRequest',
    sentence: t(
      'The base URL of {provider}, “{address}”, is not a web address. Correct it in the settings. It must begin with http:// or https://, and most end in /v1.',
      { provider, address: shown },
    ),
    technical: `invalid base URL ${shown}`,
  };
}

/** Failure: the reference names no known provider or model. */
export function noModelFailure(ref: string): Failure {
  return {
    cause: 'noModel',
    sentence:
      ref === ''
        ? t('No model is chosen. Your prompt is kept. Choose a model.')
        : t(
            'The model “{model}” is not set up here. Your prompt is kept. Choose another model or add its provider in the settings.',
            { model: ref },
          ),
    technical: `no model ${ref}`,
  };
}

interface Description {
  readonly cause: ModelFailureCause;
  readonly happened: string;
  readonly next: Next;
}

function advice(next: Next, purpose: FailureContext['purpose']): string {
  return typeof next === 'string' ? next : next[purpose === 'listing' ? 0 : 1];
}

function safety({ purpose, delivered }: FailureContext): string {
  if (purpose === 'listing') return '';
  return delivered ? t('Everything shown is saved.') : t('Your prompt is saved.');
}

function describe(fault: TransportFault, context: FailureContext): Description {
  const { provider } = context;
  switch (fault.kind) {
    case 'http':
      return describeStatus(fault.status, fault.body, fault.headers, context);
    case 'inStream': {
      const cause = classOfStreamError(fault);
      const message = clip(fault.message, context.key);
      return {
        cause,
        happened: t('{provider} reported an error: {message}', { provider, message }),
        next: nextFor(cause),
      };
    }
    case 'network':
      return isProxyRefusal(fault.message) ? describeProxy(context) : describeNetwork(fault.code, context);
    case 'notAnApi':
      return describeNotAnApi(fault.contentType, context);
    case 'noFinish': {
      const happened = t('The answer of {provider} ended before it was complete.', { provider });
      return { cause: 'network', happened, next: goOn(context) };
    }
    case 'empty':
      return { cause: 'empty', happened: t('{provider} returned an empty answer.', { provider }), next: retry() };
    case 'malformed':
      return {
        cause: 'notAnApi',
        happened: t('{provider} sent an invalid answer.', { provider }),
        next: context.delivered
          ? goOn(context)
          : [
              t('Check the base URL and the protocol.'),
              t('Check the base URL and the protocol, or choose another model.'),
            ],
      };
    case 'timeout': {
      const words = { provider, duration: duration(fault.ms) };
      return fault.of === 'firstByte'
        ? {
            cause: 'timeout',
            happened: t('{provider} did not begin to answer within {duration}.', words),
            next: retry(),
          }
        : { cause: 'timeout', happened: t('{provider} stopped sending for {duration}.', words), next: goOn(context) };
    }
    case 'internal':
      return {
        cause: 'unknown',
        happened: t('The request to {provider} could not be made.', { provider }),
        next: [
          t('Retry. Choose Copy Details for the reason.'),
          t('Retry, or choose another model. Choose Copy Details for the reason.'),
        ],
      };
  }
}

function describeStatus(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
  context: FailureContext,
): Description {
  const { provider, modelId: model } = context;
  const message = bodyMessage(body);
  const said = message === '' ? '' : t('{provider} says: {message}', { provider, message: clip(message, context.key) });
  const quoted = (...sentences: readonly string[]): string => joinSentences([...sentences, said]);
  if (isQuota(status, message)) {
    const happened = quoted(t('The account at {provider} has no credit left ({status}).', { provider, status }));
    return { cause: 'quota', happened, next: addCredit() };
  }
  if (isTooLong(status, message)) {
    const happened =
      model === null
        ? t('The conversation is longer than the model can take ({status}).', { status })
        : t('The conversation is longer than {model} can take ({status}).', { model, status });
    return { cause: 'context', happened, next: makeShorter() };
  }
  switch (status) {
    case 401:
      return context.key === null
        ? {
            cause: 'noKey',
            happened: t('{provider} requires a key (401), but none is set.', { provider }),
            next: setKey(),
          }
        : { cause: 'auth', happened: t('The key for {provider} was refused (401).', { provider }), next: setNewKey() };
    case 403:
      return {
        cause: 'auth',
        happened: quoted(t('{provider} does not allow this (403).', { provider })),
        next: [
          t('Check the key’s permissions or set a new key.'),
          t('Check the key’s permissions, set a new key, or choose another model.'),
        ],
      };
    case 404:
      return describeNotFound(message, body, context);
    case 407:
      return describeProxy(context);
    case 429:
      return {
        cause: 'rateLimit',
        happened: joinSentences([t('{provider} is limiting requests (429).', { provider }), said, waitHint(headers)]),
        next: [t('Wait and retry.'), t('Wait and retry, or choose another model.')],
      };
    default:
      break;
  }
  if (isHtml(body) && status < 500) return describeNotAnApi('text/html', context);
  // Gemini and xAI send 400 instead of 401.
  if (status === 400 && /api key not valid|incorrect api key/i.test(message))
    return { cause: 'auth', happened: t('The key for {provider} was refused (400).', { provider }), next: setNewKey() };
  if (isContentFilter(message)) {
    const happened = t('{provider} declined the request because of its content ({status}).', { provider, status });
    return { cause: 'contentFilter', happened: quoted(happened), next: rephrase() };
  }
  const isOverloaded = status === 503 || status === 529 || /overloaded/i.test(message);
  if (isOverloaded || status >= 500) {
    const happened = isOverloaded
      ? t('{provider} is overloaded ({status}).', { provider, status })
      : t('{provider} had a server error ({status}).', { provider, status });
    return { cause: 'overloaded', happened: quoted(happened), next: retrySoon() };
  }
  if (status >= 300 && status < 400) {
    const happened = t('The base URL of {provider} redirects to another address ({status}).', { provider, status });
    return { cause: 'notAnApi', happened, next: checkAddress() };
  }
  return {
    cause: 'badRequest',
    happened: quoted(t('{provider} refused the request ({status}).', { provider, status })),
    next: [t('Retry.'), t('Retry, start a new session, or choose another model.')],
  };
}

/** Tells apart the two meanings of 404: no such model, or no such path. */
function describeNotFound(message: string, body: string, context: FailureContext): Description {
  const { provider, modelId: model, baseUrl } = context;
  const namesModel = /model|deployment|endpoints? found/i.test(message) || (model !== null && message.includes(model));
  if (namesModel && !isHtml(body) && model !== null) {
    const happened = t('{provider} has no model “{model}” (404).', { provider, model });
    return { cause: 'notFound', happened, next: t('Choose another model.') };
  }
  const happened = t('Nothing answers at {where} (404).', { where: baseUrl ?? provider });
  return { cause: 'notAnApi', happened, next: checkAddress() };
}

function describeNotAnApi(contentType: string, { provider, baseUrl }: FailureContext): Description {
  const where = baseUrl ?? provider;
  const happened = contentType.includes('html')
    ? t('{where} answered with a web page, not with a model.', { where })
    : t('{where} answered with something else, not with a model.', { where });
  return { cause: 'notAnApi', happened, next: checkAddress() };
}

function describeNetwork(code: string | null, context: FailureContext): Description {
  const { provider, baseUrl, delivered } = context;
  const where = baseUrl === null ? provider : `${provider} (${baseUrl})`;
  const network = (happened: string, next: Next): Description => ({ cause: 'network', happened, next });
  if (delivered) return network(t('The connection to {provider} was lost.', { provider }), t('Continue or retry.'));
  if (code === 'ECONNREFUSED')
    return network(t('Can’t reach {where}. The connection was refused.', { where }), [
      t('Start the server or check the base URL.'),
      t('Start the server, check the base URL, or choose another model.'),
    ]);
  if (/^(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code ?? ''))
    return network(t('Can’t reach {where}.', { where }), [
      t('Check your connection, proxy, or VPN.'),
      t('Check your connection, proxy, or VPN, or choose another model.'),
    ]);
  if (isPlainHttp(code))
    return network(
      t('{where} does not speak https.', { where }),
      t('Check the port in the base URL, or use http:// instead.'),
    );
  if (isTls(code))
    return network(
      t('The certificate of {where} is not trusted ({code}).', { where, code: code ?? 'TLS' }),
      t('Check the base URL and the proxy, or install the certificate.'),
    );
  return network(t('The connection to {where} failed.', { where }), [
    t('Check your connection and retry.'),
    t('Check your connection and retry, or choose another model.'),
  ]);
}

function describeProxy({ provider }: FailureContext): Description {
  return {
    cause: 'network',
    happened: t('The proxy for {provider} requires a sign-in (407).', { provider }),
    next: [
      t('Set a user name and password, or another proxy, in VS Code’s setting http.proxy, then retry.'),
      t(
        'Set a user name and password, or another proxy, in VS Code’s setting http.proxy, then retry, or choose another model.',
      ),
    ],
  };
}

function nextFor(cause: ModelFailureCause): Next {
  const known: Partial<Record<ModelFailureCause, () => Next>> = {
    auth: setNewKey,
    quota: addCredit,
    context: makeShorter,
    contentFilter: rephrase,
    overloaded: retrySoon,
    rateLimit: retrySoon,
  };
  return (known[cause] ?? retry)();
}

function classOfStreamError({
  code,
  status,
  message,
}: TransportFault & { readonly kind: 'inStream' }): ModelFailureCause {
  const word = `${code ?? ''} ${message}`;
  if (status !== null && isQuota(status, message)) return 'quota';
  if (isTooLong(400, message)) return 'context';
  if (status === 401 || status === 403 || /authentication|permission_error|invalid_api_key/i.test(word)) return 'auth';
  if (status === 429 || /rate.?limit/i.test(word)) return 'rateLimit';
  if (isContentFilter(word)) return 'contentFilter';
  if ((status !== null && status >= 500) || /overloaded|server_error|api_error|unavailable/i.test(word))
    return 'overloaded';
  return 'unknown';
}

function isQuota(status: number, message: string): boolean {
  return (
    status === 402 ||
    (status !== 401 &&
      /insufficient.?quota|exceeded your current quota|credit balance is too low|insufficient (?:credits|balance)|billing/i.test(
        message,
      ))
  );
}

const tooLong: readonly RegExp[] = [
  /context.?(?:length|window|size|limit)|maximum context|too many (?:input |total )?tokens/i,
  /\b(?:prompt|inputs?|context|conversation|messages?|request|history|text)\b[^.]{0,80}\b(?:too (?:long|large)|longer than|exceed\w*|more than|greater than|must (?:be|have)|should be)\b[^.]{0,80}(?:\btokens?\b|\blength\b|\blimit\b|\bcontext\b|\bmodel\b|\d{4})/i,
  /\b(?:prompt|inputs?|context|conversation|history)\b[^.]{0,20}\btoo (?:long|large)\b/i,
  /\b(?:token count|tokens?)\b[^.]{0,80}\b(?:exceed\w*|more than|over|greater than|longer than)\b[^.]{0,60}(?:\bmax\w*|\blimit\b|\ballowed\b|\bcontext\b)/i,
  /max(?:imum)? (?:prompt|input) (?:length|tokens)|range of input length|reduce (?:the )?(?:length|size) of (?:the|your) (?:messages?|prompt|input)|token.?limit|max_prompt_tokens/i,
  /(?:上下文|输入|提示)[^。]{0,20}(?:过长|超过|超出|长度)/,
];

/** True when a service refused a request because the conversation does not fit into the model's context. */
export function isTooLong(status: number, message: string): boolean {
  if (status === 413) return true;
  if (status !== 400 && status !== 422 && status !== 500) return false;
  // Rates, pictures and tools have limits too.
  if (/\bper (?:min|day|sec)|rate.?limit/i.test(message)) return false;
  if (/\b(?:images?|tools?|functions?)\b/i.test(message)) return tooLong[0]?.test(message) === true;
  return tooLong.some((pattern) => pattern.test(message));
}

function isContentFilter(message: string): boolean {
  return /content.?(?:filter|policy|management)|flagged|moderation|safety system|data_inspection_failed/i.test(message);
}

/** True when the server did not answer the TLS handshake with TLS. */
function isPlainHttp(code: string | null): boolean {
  return code !== null && /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code);
}

/** True when a proxy refused to open a tunnel. The refusal has no error code, only text. */
function isProxyRefusal(message: string): boolean {
  return /\b407\b/.test(message) && /proxy|tunnel/i.test(message);
}

function isTls(code: string | null): boolean {
  return code !== null && /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO/.test(code);
}

/** True when a retry cannot help: no such host, or a certificate that is not trusted. A refused connection to this
 *  machine means that the server is not running, and the user is waiting; a remote service may be restarting. */
function isPermanent(code: string | null, place: ServicePlace): boolean {
  return code === 'ENOTFOUND' || (code === 'ECONNREFUSED' && place === 'thisMachine') || isTls(code);
}

function isHtml(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)/i.test(body);
}

/** Returns the service's own words in an error body, in whatever field and however nested they are. */
export function bodyMessage(body: string): string {
  const parsed = parsedJson(body);
  if (parsed !== undefined) return messageIn(parsed);
  return isHtml(body) ? '' : body.trim();
}

/** Fields with a service's words, the most telling first. */
const wordFields = (
  'error errors message detail details msg error_message errorMessage error_msg error_description reason title ' +
  'description status_msg base_resp body response data type'
).split(' ');

function messageIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return /^\s*[{[]/.test(value) && depth < 8 ? bodyMessage(value) : value.trim();
  if (Array.isArray(value)) return value.map((each) => messageIn(each, depth + 1)).find((each) => each !== '') ?? '';
  if (typeof value !== 'object' || value === null || depth > 8) return '';
  const fields = new Map<string, unknown>(Object.entries(value));
  const found = wordFields.map((name) => messageIn(fields.get(name), depth + 1)).find((each) => each !== '') ?? '';
  // A router's own words say little; those of the service behind it are here.
  const metadata = fields.get('metadata');
  const raw =
    typeof metadata === 'object' && metadata !== null && 'raw' in metadata ? messageIn(metadata.raw, depth + 1) : '';
  return raw === '' || found.includes(raw) ? found : [found, raw].filter((each) => each !== '').join(': ');
}

function waitHint(headers: Readonly<Record<string, string>>): string {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0
    ? t('It asks to wait {duration}.', { duration: duration(seconds * 1000) })
    : '';
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? t('{seconds} s', { seconds }) : t('{minutes} minutes', { minutes: Math.round(seconds / 60) });
}

function clip(text: string, key: string | null): string {
  const line = withoutSecrets(text, key).replace(/\s+/g, ' ').trim();
  const short = line.length > 200 ? `${line.slice(0, 199).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function technical(fault: TransportFault, { provider, modelId, baseUrl, key }: FailureContext): string {
  const cut = (text: string): string => withoutSecrets(text, key).slice(0, longestQuote).toWellFormed();
  const where = [provider, modelId, baseUrl].filter((part) => part !== null).join(' · ');
  switch (fault.kind) {
    case 'http':
      return `${where}\nHTTP ${fault.status}\n${cut(fault.body)}`;
    case 'inStream':
      return (
        `${where}\nerror in stream: ` +
        `${cut([fault.status, fault.code, fault.message].filter((part) => part !== null).join(' '))}`
      );
    case 'network':
      return `${where}\n${fault.code ?? 'network'}: ${cut(fault.message)}`;
    case 'notAnApi':
      return `${where}\ncontent-type: ${fault.contentType}\n${cut(fault.excerpt)}`;
    case 'noFinish':
      return `${where}\nthe stream ended with the finish reason ${fault.reason ?? 'none'}`;
    case 'empty':
      return `${where}\nempty body`;
    case 'malformed':
    case 'internal':
      return `${where}\n${cut(fault.message)}`;
    case 'timeout':
      return `${where}\nno ${fault.of === 'firstByte' ? 'first byte' : 'further byte'} within ${fault.ms} ms`;
  }
}
