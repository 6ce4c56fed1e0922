import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import {
  bodyMessage,
  failureOf,
  invalidBaseUrlFailure,
  isTooLong,
  mayRetry,
  noKeyFailure,
  noModelFailure,
  retryAfterMs,
} from '../../../../src/models/http/failures';
import type { FailureContext } from '../../../../src/models/http/failures';
import { systemClock } from '../../../../src/base/clock';
import { parseEndpoint } from '../../../../src/models/http/endpoint';
import { EndpointProvider } from '../../../../src/models/catalog/endpointProvider';
import { withoutSecrets } from '../../../../src/models/secrecy/secrecy';
import type { TransportFault } from '../../../../src/models/transport';
import { refuses, reply, startModelServer } from '../../../support/modelServer';
import { ask, modelAt } from '../asking';

const about = (change: Partial<FailureContext> = {}): FailureContext => ({
  provider: 'OpenRouter',
  modelId: 'qwen/qwen3',
  baseUrl: 'https://openrouter.ai/api/v1',
  key: 'sk-or-secret',
  purpose: 'request',
  delivered: false,
  ...change,
});
const http = (status: number, body: string | object = '', headers: Record<string, string> = {}): TransportFault => ({
  kind: 'http',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const openai = (message: string): object => ({ error: { message, type: 'x', code: null } });
const anthropic = (type: string, message: string): object => ({ type: 'error', error: { type, message } });

describe('a failure sentence', () => {
  it.each<[TransportFault, string, RegExp]>([
    [http(401, openai('No auth')), 'auth', /^The key for OpenRouter was refused \(401\)/],
    [http(400, [{ error: { code: 400, message: 'API key not valid.' } }]), 'auth', /was refused \(400\)/],
    [
      http(402, openai('Insufficient credits')),
      'quota',
      /no credit left \(402\). OpenRouter says: Insufficient credits/,
    ],
    [http(400, anthropic('x', 'Your credit balance is too low.')), 'quota', /no credit left \(400\)/],
    [http(403, openai('Country not supported')), 'auth', /does not allow this \(403\). .* Country not supported/],
    [http(404, anthropic('not_found_error', 'model: qwen/qwen3')), 'notFound', /has no model “qwen\/qwen3” \(404\)/],
    [http(404, '404 page not found'), 'notAnApi', /^Nothing answers at https:.* \(404\)/],
    [{ kind: 'notAnApi', contentType: 'text/html', excerpt: '<html>' }, 'notAnApi', /answered with a web page/],
    [http(308, '', { location: 'https://other' }), 'notAnApi', /redirects to another address \(308\)/],
    [http(400, openai("This model's maximum context length is 8192 tokens.")), 'context', /is longer than qwen\/qwen3/],
    [http(413), 'context', /is longer than qwen\/qwen3 can take \(413\)/],
    [
      http(429, openai('Slow down'), { 'retry-after': '90' }),
      'rateLimit',
      /is limiting requests \(429\). .* wait 90 s/,
    ],
    [http(529, anthropic('overloaded_error', 'Overloaded')), 'overloaded', /is overloaded \(529\)/],
    [http(502, '<html>Bad gateway</html>'), 'overloaded', /had a server error \(502\)/],
    [http(400, openai('filtered by the content management policy')), 'contentFilter', /because of its content/],
    [http(422, { detail: [{ msg: 'Extra inputs' }] }), 'badRequest', /refused the request \(422\). .* Extra inputs/],
    [
      { kind: 'network', code: 'ECONNREFUSED', message: 'x' },
      'network',
      /The connection was refused. .* Start the server/,
    ],
    [
      { kind: 'network', code: 'ENOTFOUND', message: 'x' },
      'network',
      /^Can’t reach OpenRouter .* Check your connection/,
    ],
    [
      { kind: 'network', code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'x' },
      'network',
      /^The certificate .* not trusted/,
    ],
    [http(407), 'network', /^The proxy for OpenRouter requires a sign-in \(407\)/],
    [{ kind: 'network', code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: 'x' }, 'network', /does not speak https/],
    [
      { kind: 'empty' },
      'empty',
      /^OpenRouter returned an empty answer\. Your prompt is saved\. Retry, or choose another model\.$/,
    ],
  ])('for %o says what happened, that the prompt is safe and what to do', (fault, cause, happened) => {
    const failure = failureOf(fault, about());
    expect([failure.cause, failure.sentence]).toEqual([cause, expect.stringMatching(happened)]);
    expect(failure.sentence).toMatch(/ Your prompt is saved\. [A-Z].*\.$/);
  });

  it('mentions shown text once something was shown', () => {
    expect(
      failureOf({ kind: 'network', code: 'UND_ERR_SOCKET', message: 'other side closed' }, about({ delivered: true }))
        .sentence,
    ).toBe('The connection to OpenRouter was lost. Everything shown is saved. Continue or retry.');
  });

  it('does not doubt the address of a service that has begun to answer', () => {
    const sentence = (delivered: boolean) =>
      failureOf({ kind: 'malformed', message: 'x' }, about({ delivered })).sentence;
    expect([sentence(false), sentence(true)].map((each) => each.includes('base URL'))).toEqual([true, false]);
    expect(sentence(true)).toContain('Continue or retry.');
  });

  it('does not mention prompts if only the models were requested', () => {
    expect(failureOf(http(401), about({ purpose: 'listing' })).sentence).toBe(
      'The key for OpenRouter was refused (401). Set a new key.',
    );
  });

  it('suggests no other model if only the models were requested', () => {
    const faults: readonly TransportFault[] = [
      ...[400, 401, 402, 403, 404, 407, 418, 422, 429, 500, 503].map((status) => http(status, openai('no'))),
      { kind: 'empty' },
      { kind: 'malformed', message: 'x' },
      { kind: 'timeout', of: 'firstByte', ms: 1000 },
      { kind: 'internal', message: 'x' },
      ...['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE'].map(
        (code) => ({ kind: 'network', code, message: 'x' }) as const,
      ),
      ...['overloaded', 'insufficient_quota', 'invalid_api_key'].map(
        (code) => ({ kind: 'inStream', code, status: null, message: 'x' }) as const,
      ),
    ];
    const sentences = faults.map((fault) => failureOf(fault, about({ purpose: 'listing' })).sentence);
    expect(
      sentences.filter((sentence) => /another model|new session/.test(sentence) || !/[^,\s]\.$/.test(sentence)),
    ).toEqual([]);
    expect(noKeyFailure('OpenAI', 'api.openai.com', 'listing').sentence).toBe(
      'No key is set for OpenAI (api.openai.com). Set a key.',
    );
  });

  it('asks for a key if none was sent', () => {
    expect(failureOf(http(401), about({ key: null }))).toMatchObject({
      cause: 'noKey',
      sentence:
        'OpenRouter requires a key (401), but none is set. Your prompt is saved. Set a key or choose another model.',
    });
  });

  it('names what is missing before anything is sent', () => {
    expect([
      noKeyFailure('OpenAI', 'api.openai.com', 'request').sentence,
      invalidBaseUrlFailure('Local', 'localhost:1234').sentence,
      noModelFailure('').sentence,
    ]).toEqual([
      'No key is set for OpenAI (api.openai.com). Your prompt is saved. Set a key or choose another model.',
      'The base URL of Local, “localhost:1234”, is not a web address. Correct it in the settings. It must begin with http:// or https://, and most end in /v1.',
      'No model is chosen. Your prompt is kept. Choose a model.',
    ]);
  });

  it('finds the message in every shape of error body', () => {
    const bodies = [
      openai('a'),
      anthropic('t', 'b'),
      { error: 'c' },
      { message: 'd' },
      { detail: 'e' },
      { detail: [{ msg: 'f' }] },
      [{ error: { message: 'g' } }],
      {},
    ];
    expect(bodies.map((body) => bodyMessage(JSON.stringify(body)))).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', '']);
    expect([bodyMessage('plain words'), bodyMessage('<!doctype html><p>no'), bodyMessage('')]).toEqual([
      'plain words',
      '',
      '',
    ]);
  });

  it.each([
    [http(429), true],
    [http(500), true],
    [http(503), true],
    [http(529), true],
    [http(408), true],
    [http(400), false],
    [http(401), false],
    [http(404), false],
    [{ kind: 'network', code: 'ECONNRESET', message: '' } as const, true],
    [{ kind: 'network', code: 'ENOTFOUND', message: '' } as const, false],
    [{ kind: 'network', code: 'CERT_HAS_EXPIRED', message: '' } as const, false],
    [{ kind: 'noFinish' } as const, true],
    [{ kind: 'notAnApi', contentType: '', excerpt: '' } as const, false],
  ])('knows whether %o may be retried', (fault, expected) => {
    expect([mayRetry(fault, 'remote'), mayRetry(fault, 'thisMachine')]).toEqual([expected, expected]);
  });

  it('retries a refused connection to another machine, which may be a restart, but not one to this machine', () => {
    const fault = { kind: 'network', code: 'ECONNREFUSED', message: '' } as const;
    expect([mayRetry(fault, 'remote'), mayRetry(fault, 'thisMachine')]).toEqual([true, false]);
  });

  it('reads Retry-After in milliseconds, seconds and dates', () => {
    const at = Date.parse('2026-11-20T10:00:00Z');
    const headers = [
      { 'retry-after-ms': '250' },
      { 'retry-after': '1.5' },
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT' },
      { 'retry-after': 'soon' },
      {},
    ];
    expect(headers.map((header) => retryAfterMs(http(429, '', { ...header }), at))).toEqual([
      250,
      1500,
      9000,
      null,
      null,
    ]);
  });

  it('contains no key, in whatever shape a service repeats it', () => {
    const leaks = [
      'Incorrect API key provided: sk-or-secret',
      'key sk-proj-abcDEF123456789',
      'gsk_abcdefgh12345678',
      'xai-abcdefgh12345678',
      '{"authorization":"Bearer abcdefghijk"}',
      'x-api-key: abcdefghijkl',
    ];
    expect(leaks.map((leak) => withoutSecrets(leak, 'sk-or-secret'))).toEqual([
      'Incorrect API key provided: [key]',
      'key [key]',
      '[key]',
      '[key]',
      '{"authorization":"Bearer [key]"}',
      'x-api-key: [key]',
    ]);
    expect(withoutSecrets('Please ask-for-something-else about the basket-weaving', null)).toBe(
      'Please ask-for-something-else about the basket-weaving',
    );
  });
});

describe("a known key in a service's text", () => {
  const key = 'Zx9-Qw8/Er7+Ty6_Ui5.Op4Aa3Ss2Dd1';
  /** The longest run of the key's letters that is left in the text. */
  const left = (text: string, of = key): number => {
    for (let length = of.length; length > 0; length--)
      for (let at = 0; at + length <= of.length; at++) if (text.includes(of.slice(at, at + length))) return length;
    return 0;
  };
  const told = (fault: TransportFault) => {
    const { sentence, technical } = failureOf(fault, about({ key }));
    return `${sentence}\n${technical}`;
  };
  const faults = (text: string): readonly TransportFault[] => [
    http(400, openai(text)),
    http(500, text),
    { kind: 'inStream', message: text, code: null, status: null },
    { kind: 'network', code: null, message: text },
    { kind: 'notAnApi', contentType: 'text/plain', excerpt: text },
    { kind: 'malformed', message: text },
    { kind: 'internal', message: text },
  ];

  it('is masked before the text is cut, wherever the cut falls', () => {
    const lengths = [150, 165, 170, 180, 190, 195, 1950, 1965, 1975, 1985, 1995];
    expect(
      Math.max(
        ...lengths.flatMap((length) =>
          faults(`${'x '.repeat(length / 2)}${key} is wrong`).map((fault) => left(told(fault))),
        ),
      ),
    ).toBeLessThan(8);
  });

  it('is masked in part: any eight letters of it', () => {
    const parts = [key.slice(0, 28), key.slice(4), key.slice(10, 18), `${key.slice(0, 12)}…${key.slice(-9)}`];
    expect(
      parts
        .flatMap((part) => faults(`Key ${part} is wrong.`).map((fault) => left(told(fault))))
        .every((length) => length < 8),
    ).toBe(true);
    expect(withoutSecrets(`Key ${key.slice(3, 10)} is wrong.`, key)).toContain(key.slice(3, 10));
  });

  it.each([0, 1, 2])('is masked in base64, after %i other letters', (offset) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${'u:'.slice(0, offset)}${key}`).toString(encoding);
      expect(left(withoutSecrets(`Basic: "${encoded}" is wrong.`, key), encoded)).toBeLessThan(8);
      expect(left(withoutSecrets(`Part ${encoded.slice(8, 30)} is wrong.`, key), encoded)).toBeLessThan(8);
    }
  });

  it('is masked percent-encoded', () => {
    const encoded = encodeURIComponent(key);
    const lower = encoded.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
    for (const text of [encoded, lower])
      expect(left(withoutSecrets(`at https://h.example/?k=${text}&x`, key), text)).toBeLessThan(8);
  });

  it('leaves other words unchanged', () => {
    expect(withoutSecrets('The model is overloaded. Ask again in a minute, see https://h.example/status.', key)).toBe(
      'The model is overloaded. Ask again in a minute, see https://h.example/status.',
    );
  });

  it.each([
    ['https://ann:hunter2@h.example/v1', 'hunter2'],
    ['https://ann:hun/ter2@h.example/v1', 'ter2'],
    ['ann:hunter2@h.example/v1', 'hunter2'],
    ['https://:hunter2@h.example', 'hunter2'],
    ['https://hunter2@h.example', 'hunter2'],
    ['https://h.example/v1?key=hunter2', 'hunter2'],
    ['https://h.example/v1#hunter2', 'hunter2'],
    ['b7f3c2a9d8e1f0a4b6c5d7e8', 'b7f3c2a9'],
    ['ftp://h.example/b7f3c2a9d8e1f0a4b6c5d7e8', 'b7f3c2a9'],
  ])('is masked in the base URL %s', (baseUrl, secret) => {
    const { sentence, technical } = invalidBaseUrlFailure('Mine', baseUrl);
    const shown = new EndpointProvider(
      { name: 'Mine', protocol: 'openai', baseUrl },
      {
        keyOf: async () => undefined,
        fetch,
        clock: systemClock,
        loadTransports: () => Promise.reject(new Error('none')),
      },
    ).destination;
    expect([sentence, technical, shown].filter((text) => text.includes(secret))).toEqual([]);
    expect(withoutSecrets('at https://ann:hunter2@h.example/v1', null)).toBe('at https://ann:[key]@h.example/v1');
  });

  it.each(['localhost:1234', 'ftp://host/v1', 'not a url'])('leaves the base URL %s readable', (baseUrl) =>
    expect(invalidBaseUrlFailure('Mine', baseUrl).sentence).toContain(`“${baseUrl}”`),
  );
});

describe('an endpoint', () => {
  it.each([
    [
      'http://127.0.0.1:11434/v1/',
      { baseUrl: 'http://127.0.0.1:11434/v1', destination: '127.0.0.1:11434', loopback: true },
    ],
    [
      ' https://openrouter.ai/api/v1 ',
      { baseUrl: 'https://openrouter.ai/api/v1', destination: 'openrouter.ai', loopback: false },
    ],
    ['http://[::1]:8080', { baseUrl: 'http://[::1]:8080', destination: '[::1]:8080', loopback: true }],
    [
      'http://LOCALHOST:1234/v1',
      { baseUrl: 'http://localhost:1234/v1', destination: 'localhost:1234', loopback: true },
    ],
    [
      'http://127.evil.example/v1',
      { baseUrl: 'http://127.evil.example/v1', destination: '127.evil.example', loopback: false },
    ],
  ])('is read from %s', (text, expected) => {
    expect(parseEndpoint(text)).toMatchObject(expected);
  });

  it.each([
    '',
    'localhost:1234',
    'ftp://host/v1',
    'file:///etc/passwd',
    'https://user:pass@host/v1',
    'https://host/v1?key=x',
    'not a url',
  ])('is not %j', (text) => {
    expect(parseEndpoint(text)).toBeNull();
  });
});

describe('a real network', () => {
  it.each(['openai', 'anthropic'] as const)('never follows a redirect with a key (%s)', async (protocol) => {
    const [first, second] = [await startModelServer(), await startModelServer()];
    first.script(refuses(307, { headers: { location: `${second.url}/chat/completions` } }));
    second.otherwise(reply().says('caught'));
    const { terminal } = await ask(modelAt({ url: first.url, protocol, key: 'sk-secret-key' }));
    expect([terminal.outcome, second.paths]).toEqual(['failed', []]);
    await Promise.all([first.close(), second.close()]);
  });

  it('fails with a sentence if no secure connection can be made', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { terminal } = await ask(
      modelAt({ url: `https://127.0.0.1:${port}/v1`, protocol: 'openai', policy: { backoffMs: 1 } }),
    );
    expect(terminal).toMatchObject({ outcome: 'failed', failure: { cause: 'network' } });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('takes no key from the environment', async () => {
    const server = await startModelServer({ protocols: ['anthropic'] });
    server.otherwise(reply().says('Hi'));
    const before = process.env['ANTHROPIC_API_KEY'];
    process.env['ANTHROPIC_API_KEY'] = 'sk-ant-from-environment';
    await ask(modelAt({ url: server.url, protocol: 'anthropic' }));
    if (before === undefined) delete process.env['ANTHROPIC_API_KEY'];
    else process.env['ANTHROPIC_API_KEY'] = before;
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
    await server.close();
  });
});

describe('a conversation that is too long', () => {
  it.each([
    'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Input is too long for requested model.',
    'Please reduce the length of the messages or completion.',
    'Invalid request: Your request exceeded model token limit: 131072',
    'Prompt exceeds max length',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Range of input length should be [1, 98304]',
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    '`inputs` must have less than 1024 tokens. Given: 2000',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    'the request exceeds the available context size, try increasing it',
    'The number of tokens to keep from the initial prompt is greater than the context length',
    'prompt too long; exceeded max context length by 1200 tokens',
    'prompt token count of 128500 exceeds the limit of 128000',
    'too many tokens: size limit exceeded by 300 tokens',
    'The input (9000 tokens) is longer than the model limit',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.',
    '输入长度超过模型的最大长度',
    'The prompt is too long: 5000, model maximum: 4096',
  ])('is recognized: %s', (message) => {
    expect([isTooLong(400, message), isTooLong(401, message)]).toEqual([true, false]);
  });

  it.each([
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
    'max_tokens is too large: 32000. This model supports at most 16384 completion tokens',
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
    "Invalid 'messages[1].tool_calls[0].function.name': string too long. Expected maximum length 64",
    "Invalid 'tools': array too long. Expected an array with maximum length 128",
    'Rate limit reached: too many input tokens per minute',
    'temperature should be at most 2',
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
    'messages: text content blocks must be non-empty',
  ])('is not what another refusal says: %s', (message) => {
    expect(isTooLong(400, message)).toBe(false);
  });
});
