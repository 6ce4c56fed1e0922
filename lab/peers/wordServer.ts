import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What the server does with the next answer. */
export interface AnswerPlan {
  readonly words: number;
  /** The connection is cut after the words. */
  readonly cuts: boolean;
  /** The tool that it calls after the words, chosen from the body of the request. */
  readonly call?: (body: string) => ToolCall;
}

interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface WordRequest {
  readonly path: string;
  readonly body: string;
  /** Letter of the words that it was answered with; null for a request that is not for an answer. */
  readonly letter: string | null;
}

/** Characters of a word with the blank behind it. */
export const wordLength = 9;
const hasTools = /"(?:tools|functionDeclarations)"\s*:\s*\[\s*\{/;
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const everyMs = 10;
const wordsPerLine = 12;

/** The `n`th word of an answer. No two of 52 answers have a word in common. */
export const wordOf = (letter: string, n: number): string => `${letter}${String(n).padStart(wordLength - 2, '0')}`;

/** A model on this machine that streams numbered words, 100 a second, to clients of OpenAI's chat and Responses
 *  interfaces, Anthropic's and Google's. */
export class WordServer {
  readonly requests: WordRequest[] = [];
  /** Answers of which all words were sent. */
  ended = 0;
  /** Answers that the client broke off. */
  brokenOff = 0;
  private plans: AnswerPlan[] = [];
  /** Text of the prompt that the plans are for. Null: they are for the next requests, whatever these are. */
  private plannedFor: string | null = null;
  private answers = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<WordServer> {
    const server = createServer((request, response) => void words.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const words = new WordServer(server, `http://127.0.0.1:${address.port}`);
    return words;
  }

  /** Of the next answers; later ones have ten words. */
  plan(...plans: readonly AnswerPlan[]): void {
    this.plans = [...plans];
    this.plannedFor = null;
  }

  /** Of the answers to requests that have this text. */
  planFor(text: string, ...plans: readonly AnswerPlan[]): void {
    this.plans = [...plans];
    this.plannedFor = text;
  }

  /** Requests for an answer to a prompt that has this text. */
  requestsWith(text: string): readonly WordRequest[] {
    return this.requests.filter(({ body, letter }) => letter !== null && body.includes(text));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await bodyOf(request);
    const wire = wires.find(({ isIts }) => isIts(path));
    const streams = wire !== undefined && request.method === 'POST' && wire.streams(path, body);
    // A request for a title and the like has no tools.
    const letter = streams && hasTools.test(body) ? (letters[this.answers++ % letters.length] ?? null) : null;
    this.requests.push({ path, body, letter });
    if (wire === undefined || request.method !== 'POST') return other(path, response);
    if (!streams) return json(response, wire.whole(fittingText(body)));
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (letter === null) response.end([...wire.begin(), ...wire.text('Words'), ...wire.end('Words')].join(''));
    else await this.answer(wire, letter, body, response);
  }

  private async answer(wire: Wire, letter: string, body: string, response: ServerResponse): Promise<void> {
    const isPlanned = this.plannedFor === null || body.includes(this.plannedFor);
    const plan = (isPlanned ? this.plans.shift() : undefined) ?? { words: 10, cuts: false };
    const send = (events: readonly string[]): void => void (response.writable && response.write(events.join('')));
    send(wire.begin());
    response.once('close', () => {
      if (said.length < plan.words * wordLength) this.brokenOff++;
    });
    let said = '';
    for (let n = 1; n <= plan.words && !response.destroyed; n++) {
      const end = n % wordsPerLine === 0 ? '\n\n' : ' ';
      const text = `${wordOf(letter, n)}${end}`;
      said += text;
      send(wire.text(text));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    this.ended++;
    if (plan.cuts) return void response.socket?.destroy();
    send(plan.call === undefined ? wire.end(said) : wire.call(said, plan.call(body), `call_${this.answers}`));
    response.end();
  }
}

interface Wire {
  isIts(path: string): boolean;
  streams(path: string, body: string): boolean;
  begin(): readonly string[];
  text(text: string): readonly string[];
  /** `said`: all of the text. */
  end(said: string): readonly string[];
  /** The end of an answer that calls a tool. */
  call(said: string, call: ToolCall, id: string): readonly string[];
  /** The answer to a request without a stream. */
  whole(text: string): unknown;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, value: object): string => `event: ${type}\n${data({ type, ...value })}`;
const wantsStream = (_path: string, body: string): boolean => /"stream"\s*:\s*true/.test(body);

const chat: Wire = {
  isIts: (path) => path.includes('/chat/completions'),
  streams: wantsStream,
  begin: () => [data({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })],
  text: (text) => [data({ ...chunk, choices: [{ index: 0, delta: { content: text } }] })],
  end: () => [
    data({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    data({ ...chunk, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }),
    'data: [DONE]\n\n',
  ],
  call: (_said, { name, input }, id) => [
    data({
      ...chunk,
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
          },
        },
      ],
    }),
    data({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    data({ ...chunk, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }),
    'data: [DONE]\n\n',
  ],
  whole: (text) => ({
    ...chunk,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
  }),
};
const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'test-model' };

const responseOf = (status: string, output: readonly unknown[]) => ({
  id: 'r1',
  object: 'response',
  created_at: 1,
  model: 'test-model',
  status,
  output,
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20,
  },
});
const item = (text: string, status: string) => ({
  type: 'message',
  id: 'm1',
  role: 'assistant',
  status,
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});
const responses: Wire = {
  isIts: (path) => path.includes('/responses'),
  streams: wantsStream,
  begin: () => [
    named('response.created', { response: responseOf('in_progress', []) }),
    named('response.output_item.added', { output_index: 0, item: item('', 'in_progress') }),
    named('response.content_part.added', {
      item_id: 'm1',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
  ],
  text: (text) => [
    named('response.output_text.delta', { item_id: 'm1', output_index: 0, content_index: 0, delta: text }),
  ],
  end: (said) => [
    named('response.output_text.done', { item_id: 'm1', output_index: 0, content_index: 0, text: said }),
    named('response.output_item.done', { output_index: 0, item: item(said, 'completed') }),
    named('response.completed', { response: responseOf('completed', [item(said, 'completed')]) }),
  ],
  call: (said, { name, input }, id) => {
    const call = { type: 'function_call', id: `f${id}`, call_id: id, name, arguments: JSON.stringify(input) };
    return [
      named('response.output_item.done', { output_index: 0, item: item(said, 'completed') }),
      named('response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } }),
      named('response.output_item.done', { output_index: 1, item: call }),
      named('response.completed', { response: responseOf('completed', [item(said, 'completed'), call]) }),
    ];
  },
  whole: (text) => responseOf('completed', [item(text, 'completed')]),
};

const usage = { input_tokens: 10, output_tokens: 10 };
const anthropicMessage = { id: 'm1', type: 'message', role: 'assistant', model: 'test-model', stop_sequence: null };
const anthropic: Wire = {
  isIts: (path) => /\/messages(\?|$)/.test(path),
  streams: wantsStream,
  begin: () => [
    named('message_start', { message: { ...anthropicMessage, content: [], stop_reason: null, usage } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ],
  text: (text) => [named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })],
  end: () => [
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 10 } }),
    named('message_stop', {}),
  ],
  call: (_said, { name, input }, id) => [
    named('content_block_stop', { index: 0 }),
    named('content_block_start', { index: 1, content_block: { type: 'tool_use', id: `toolu_${id}`, name, input: {} } }),
    named('content_block_delta', {
      index: 1,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    }),
    named('content_block_stop', { index: 1 }),
    named('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 10 } }),
    named('message_stop', {}),
  ],
  whole: (text) => ({ ...anthropicMessage, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage }),
};

const candidate = (text: string, finishReason?: string) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: [{ text }] },
      ...(finishReason === undefined ? {} : { finishReason }),
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  modelVersion: 'test-model',
});
const google: Wire = {
  isIts: (path) => /[gG]enerateContent/.test(path),
  streams: (path) => path.includes('streamGenerateContent'),
  begin: () => [],
  text: (text) => [data(candidate(text))],
  end: () => [data(candidate('', 'STOP'))],
  call: (_said, { name, input: args }) => [
    data({
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ functionCall: { name, args } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: 'test-model',
    }),
  ],
  whole: (text) => candidate(text, 'STOP'),
};

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
}

/** The text of an answer that is not streamed: JSON where the request has a schema for it, as when an agent chooses a
 *  model. */
export function fittingText(body: string): string {
  const request: {
    readonly generationConfig?: { readonly responseJsonSchema?: Schema; readonly responseSchema?: Schema };
  } = body.startsWith('{') ? JSON.parse(body) : {};
  const schema = request.generationConfig?.responseJsonSchema ?? request.generationConfig?.responseSchema;
  return schema === undefined ? 'Words' : JSON.stringify(valueOf(schema));
}

function valueOf(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  const type = schema.type?.toLowerCase();
  if (type === 'object')
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, valueOf(each)]));
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? (schema.minimum ?? 1) : 'Words';
}

const wires: readonly Wire[] = [chat, responses, anthropic, google];

function other(path: string, response: ServerResponse): void {
  if (path.includes('/models'))
    return json(response, { object: 'list', data: [{ id: 'test-model', object: 'model' }] });
  if (path.includes('count_tokens')) return json(response, { input_tokens: 10 });
  if (path.includes('countTokens')) return json(response, { totalTokens: 10 });
  response.writeHead(404).end('{}');
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
