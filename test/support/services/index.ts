import {
  alternating,
  anchoredPatterns,
  argumentsAreObjects,
  draft2020,
  fewTools,
  ids,
  imagesWithin,
  isRecord,
  keysMatch,
  listsHaveItems,
  names,
  noBlankText,
  noFields,
  noImages,
  noTypeBesideAnyOf,
  objectAtTop,
  onlyKeys,
  ownThinking,
  pairs,
  protoSchema,
  readCompletions,
  readMessages,
  type Rule,
  schemas,
  thoughtSignatures,
  wholeText,
  withoutKeys,
} from './rules';

/** A strict model of one service: what it documents, or is reported, to refuse. */
export interface Service {
  readonly name: string;
  readonly protocol: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly model: string;
  readonly rules: readonly Rule[];
}

const any: readonly Rule[] = [wholeText, argumentsAreObjects, pairs];
const plainName = /^[a-zA-Z0-9_-]{1,64}$/;
const mega = 1024 * 1024;

const openai = (name: string, baseUrl: string, model: string, ...rules: readonly Rule[]): Service => ({
  name,
  protocol: 'openai',
  baseUrl,
  model,
  rules: [...any, ...rules],
});

export const services: readonly Service[] = [
  openai(
    'OpenAI',
    'https://api.openai.com/v1',
    'gpt-5.2',
    names(plainName),
    ids(/^.{1,40}$/s),
    imagesWithin({ base64: 20 * mega, count: 500 }),
    fewTools(128, 1024),
    schemas(objectAtTop, listsHaveItems, draft2020),
  ),
  {
    name: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-5',
    rules: [
      ...any,
      names(/^[a-zA-Z0-9_-]{1,128}$/),
      ids(/^[a-zA-Z0-9_-]+$/),
      noBlankText,
      ownThinking,
      imagesWithin({ base64: 5_242_880, count: 100, side: 8000 }),
      fewTools(10_000),
      schemas(objectAtTop, draft2020, keysMatch(/^[a-zA-Z0-9_.-]{1,64}$/)),
    ],
  },
  openai(
    'Gemini',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    'gemini-3-pro-preview',
    names(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/),
    noBlankText,
    thoughtSignatures,
    imagesWithin({ base64: 20 * mega, count: 3000 }),
    fewTools(512),
    schemas(
      objectAtTop,
      listsHaveItems,
      protoSchema,
      onlyKeys(
        'type',
        'description',
        'title',
        'properties',
        'required',
        'items',
        'enum',
        'anyOf',
        'nullable',
        'format',
        'minimum',
        'maximum',
        'minItems',
        'maxItems',
        'minLength',
        'maxLength',
        'pattern',
        'default',
      ),
    ),
  ),
  openai(
    'Mistral',
    'https://api.mistral.ai/v1',
    'mistral-large-latest',
    names(plainName),
    ids(/^[a-zA-Z0-9]{9}$/),
    alternating,
    noBlankText,
    noFields(['stream_options', 'reasoning_content', 'reasoning_details', 'extra_content']),
    imagesWithin({ base64: 10 * mega, count: 8 }),
    fewTools(128),
    schemas(objectAtTop, draft2020),
  ),
  openai(
    'DeepSeek',
    'https://api.deepseek.com/v1',
    'deepseek-chat',
    names(plainName),
    noImages('unknown variant `image_url`, expected `text`'),
    fewTools(128),
    schemas(objectAtTop, draft2020),
  ),
  openai(
    'Moonshot',
    'https://api.moonshot.ai/v1',
    'kimi-k2.5',
    names(/^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$/),
    noBlankText,
    imagesWithin({ base64: 10 * mega, count: 50 }),
    fewTools(128),
    schemas(objectAtTop, draft2020, noTypeBesideAnyOf, withoutKeys('$ref', '$schema')),
  ),
  openai(
    'Groq',
    'https://api.groq.com/openai/v1',
    'meta-llama/llama-4-maverick',
    names(plainName),
    noFields(['reasoning_content', 'reasoning_details']),
    imagesWithin({ base64: 4 * mega, count: 5 }),
    fewTools(128),
    schemas(objectAtTop, draft2020),
  ),
  openai(
    'OpenRouter',
    'https://openrouter.ai/api/v1',
    'anthropic/claude-sonnet-5',
    names(plainName),
    ids(/^[a-zA-Z0-9_-]+$/),
    noBlankText,
    imagesWithin({ base64: 5_242_880, count: 100, side: 8000 }),
    fewTools(512),
    schemas(objectAtTop, draft2020, keysMatch(/^[a-zA-Z0-9_.-]{1,64}$/)),
  ),
  openai(
    'vLLM',
    'http://127.0.0.1:8000/v1',
    'Qwen/Qwen3-VL',
    alternating,
    imagesWithin({ base64: 20 * mega, count: 1 }),
    schemas(draft2020),
  ),
  openai(
    'llama.cpp',
    'http://127.0.0.1:8080/v1',
    'gemma-3',
    alternating,
    noImages('image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'),
    schemas(draft2020, anchoredPatterns, withoutKeys('not', 'if', 'patternProperties')),
  ),
  openai(
    'Ollama',
    'http://127.0.0.1:11434/v1',
    'qwen3-vl',
    imagesWithin({ base64: 100 * mega, count: 100 }),
    schemas(objectAtTop, draft2020),
  ),
  openai(
    'LM Studio',
    'http://127.0.0.1:1234/v1',
    'qwen3-4b',
    alternating,
    noImages('Model does not support images. Please use a model that does.'),
    schemas(objectAtTop, draft2020),
  ),
];

export interface ServiceLog {
  readonly fetch: typeof globalThis.fetch;
  readonly refusals: string[];
  /** Bodies that were refused. */
  readonly refused: string[];
  readonly accepted: string[];
}

/** A service without a socket: judges each request by its rules, and answers "Fine." or with its refusal. */
export function serviceOf({ protocol, rules }: Service): ServiceLog {
  const refusals: string[] = [];
  const refused: string[] = [];
  const accepted: string[] = [];
  const fetch = (_input: unknown, init?: RequestInit): Promise<Response> => {
    const raw = typeof init?.body === 'string' ? init.body : '';
    const parsed: unknown = JSON.parse(raw);
    const body = isRecord(parsed) ? parsed : {};
    const sent = protocol === 'openai' ? readCompletions(body, raw) : readMessages(body, raw);
    for (const rule of rules) {
      const words = rule(sent);
      if (words === null) continue;
      refusals.push(words);
      refused.push(raw);
      const error = { type: 'invalid_request_error', message: words };
      return Promise.resolve(
        Response.json(protocol === 'openai' ? { error } : { type: 'error', error }, { status: 400 }),
      );
    }
    accepted.push(raw);
    return Promise.resolve(
      new Response(fine[protocol].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      }),
    );
  };
  return { fetch, refusals, refused, accepted };
}

const fine = {
  openai: [{ id: 'x', choices: [{ index: 0, delta: { content: 'Fine.' }, finish_reason: 'stop' }] }],
  anthropic: [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Fine.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
} as const;
