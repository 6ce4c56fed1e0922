import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import type { JsonObject } from '../../../src/transcript/json';
import { anthropicFrames } from './anthropicFrames';
import { checkAnthropicBody } from './anthropicRules';
import { RequestRecord } from './ledger';
import type { RecordedRequest, ServerProtocol } from './ledger';
import { answerLocal, modelList } from './modelLists';
import type { LocalServer, ServedModel } from './modelLists';
import { openaiFrames } from './openaiFrames';
import { checkOpenaiBody } from './openaiRules';
import { play } from './playback';
import { RejectedRequest, reject, rejectLoneSurrogates } from './rejection';
import type { Rejection } from './rejection';
import { asScenario, refuses } from './reply';
import type { Scenario, Scripted } from './reply';

export type Responder = Scripted | ((request: RecordedRequest) => Scripted);

export interface ModelServerOptions {
  /** Which protocols it speaks; both by default. */
  readonly protocols?: readonly ServerProtocol[];
  /** The key it demands. Without one every key, and none, is accepted. */
  readonly key?: string;
  /** Refuses invalid message sequences, as the real services do. On unless false. */
  readonly strict?: boolean;
  /** Also refuses what strict chat templates refuse (two user messages in a row). On unless false. */
  readonly alternating?: boolean;
  readonly models?: readonly (string | ServedModel)[];
  /** Answers the extra routes of a local server program, so that capabilities and allocated context can be read. */
  readonly local?: LocalServer;
  readonly port?: number;
}

/** A model service on 127.0.0.1 that refuses what the real ones refuse, does what its script says, and knows what it delivered. */
export interface ModelServer {
  /** Base URL as a person would enter it: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  readonly origin: string;
  /** Puts answers in the queue; each model request that passes the rules takes the next one. */
  script(...responders: readonly Responder[]): void;
  /** Answers every request for which the queue holds nothing. Without it such a request gets a 500 that says so. */
  otherwise(responder: Responder): void;
  /** Answers still in the queue. */
  readonly unplayed: number;
  /** Model requests in the order they arrived, refused ones included. */
  readonly requests: readonly RecordedRequest[];
  /** Every request as `GET /v1/models`, model requests included. */
  readonly paths: readonly string[];
  /** Resolves with model request number `index` (0 is the first) as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Ends every open connection and stops listening. */
  close(): Promise<void>;
}

const jsonObject = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected a JSON object',
);

/** Starts the server on a free port (or the one given). */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const running = new RunningServer(options);
  await running.listen(options.port ?? 0);
  return running;
}

class RunningServer implements ModelServer {
  private readonly queue: Responder[] = [];
  private fallback: Responder | null = null;
  private readonly records: RequestRecord[] = [];
  private readonly waiting: { readonly index: number; readonly resolve: (request: RecordedRequest) => void }[] = [];
  readonly paths: string[] = [];
  private readonly models: readonly ServedModel[];
  private readonly http = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  private port = 0;

  constructor(private readonly options: ModelServerOptions) {
    this.models = (options.models ?? ['test-model']).map((model) =>
      typeof model === 'string' ? { id: model } : model,
    );
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, fail) => {
      this.http.once('error', fail);
      this.http.listen(port, '127.0.0.1', resolve);
    });
    const address: AddressInfo | string | null = this.http.address();
    if (address === null || typeof address === 'string') throw new Error('the model server has no port');
    this.port = address.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.origin}/v1`;
  }

  get requests(): readonly RecordedRequest[] {
    return this.records;
  }

  get unplayed(): number {
    return this.queue.length;
  }

  script(...responders: readonly Responder[]): void {
    this.queue.push(...responders);
  }

  otherwise(responder: Responder): void {
    this.fallback = responder;
  }

  request(index: number): Promise<RecordedRequest> {
    const record = this.records[index];
    if (record !== undefined) return Promise.resolve(record);
    return new Promise((resolve) => this.waiting.push({ index, resolve }));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    this.http.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.origin).pathname;
    this.paths.push(`${request.method ?? 'GET'} ${path}`);
    const raw = await readBody(request);
    const protocol = this.protocolOf(request.method, path);
    if (protocol !== null) return this.answerModelRequest(protocol, path, request, raw, response);
    const local =
      this.options.local === undefined
        ? null
        : answerLocal(this.options.local, this.models, request.method ?? 'GET', path, raw);
    if (local !== null) return sendJson(response, local.status, local.body);
    if (request.method === 'GET' && path === '/v1/models') return this.listModels(request, response);
    sendJson(
      response,
      404,
      errorJson('openai', {
        status: 404,
        message: `Invalid URL (${request.method ?? 'GET'} ${path})`,
        type: 'invalid_request_error',
        code: null,
      }),
    );
  }

  private protocolOf(method: string | undefined, path: string): ServerProtocol | null {
    if (method !== 'POST') return null;
    const protocols = this.options.protocols ?? ['openai', 'anthropic'];
    if (path === '/v1/chat/completions' && protocols.includes('openai')) return 'openai';
    if (path === '/v1/messages' && protocols.includes('anthropic')) return 'anthropic';
    return null;
  }

  private listModels(request: IncomingMessage, response: ServerResponse): void {
    const protocol: ServerProtocol = request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
    const refused = this.keyRejection(protocol, request);
    if (refused !== null) return sendJson(response, refused.status, errorJson(protocol, refused));
    sendJson(response, 200, modelList(protocol, this.models));
  }

  private async answerModelRequest(
    protocol: ServerProtocol,
    path: string,
    request: IncomingMessage,
    raw: string,
    response: ServerResponse,
  ): Promise<void> {
    const body = v.safeParse(jsonObject, parseJson(raw));
    const record = new RequestRecord(
      this.records.length + 1,
      protocol,
      path,
      request.headers,
      body.success ? body.output : {},
    );
    this.records.push(record);
    response.once('close', () => {
      record.clientClosed = !response.writableEnded && !this.cutByUs.has(record);
      record.end();
    });
    const refused = this.check(protocol, request, raw, record);
    this.announce(record);
    if (refused !== null) {
      record.rejection = refused.message;
      record.status = refused.status;
      return sendJson(response, refused.status, errorJson(protocol, refused));
    }
    await this.perform(this.next(record), record, response);
  }

  private readonly cutByUs = new Set<RequestRecord>();

  private check(
    protocol: ServerProtocol,
    request: IncomingMessage,
    raw: string,
    record: RequestRecord,
  ): Rejection | null {
    const refused = this.keyRejection(protocol, request);
    if (refused !== null) return refused;
    try {
      if (parseJson(raw) === undefined) reject('We could not parse the JSON body of your request.');
      const model = record.body['model'];
      if (!this.models.some((served) => served.id === model)) return unknownModel(protocol, String(model));
      if (this.options.strict === false) return null;
      rejectLoneSurrogates(raw);
      if (protocol === 'openai') checkOpenaiBody(record.body, { alternating: this.options.alternating !== false });
      else checkAnthropicBody(record.body, { version: headerOf(request, 'anthropic-version') });
      return null;
    } catch (error) {
      if (error instanceof RejectedRequest) return error.rejection;
      throw error;
    }
  }

  private keyRejection(protocol: ServerProtocol, request: IncomingMessage): Rejection | null {
    if (this.options.key === undefined) return null;
    const given =
      protocol === 'openai'
        ? headerOf(request, 'authorization')?.replace(/^Bearer /, '')
        : headerOf(request, 'x-api-key');
    if (given === this.options.key) return null;
    return protocol === 'openai'
      ? {
          status: 401,
          message: `Incorrect API key provided: ${given ?? ''}.`,
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        }
      : { status: 401, message: 'invalid x-api-key', type: 'authentication_error', code: null };
  }

  private announce(record: RequestRecord): void {
    const index = record.number - 1;
    for (const waiter of this.waiting.filter((item) => item.index === index)) waiter.resolve(record);
  }

  private next(record: RequestRecord): Scenario {
    const responder = this.queue.shift() ?? this.fallback;
    if (responder === null) return refuses(500, { message: 'The test has scripted no answer for this request.' });
    return asScenario(typeof responder === 'function' ? responder(record) : responder);
  }

  private async perform(scenario: Scenario, record: RequestRecord, response: ServerResponse): Promise<void> {
    switch (scenario.kind) {
      case 'dropBeforeHeaders':
        this.cutByUs.add(record);
        response.socket?.destroy();
        return;
      case 'http': {
        record.status = scenario.status;
        const error = {
          status: scenario.status,
          message: scenario.message,
          type: errorType(record.protocol, scenario.status),
          code: scenario.code,
        };
        const body = scenario.body ?? JSON.stringify(errorJson(record.protocol, error));
        response.writeHead(scenario.status, { 'content-type': 'application/json', ...scenario.headers });
        response.end(body);
        return;
      }
      case 'stream': {
        if (scenario.ending === 'drop') this.cutByUs.add(record);
        const usage = scenario.steps.flatMap((step) =>
          step.kind === 'finish' && step.usage !== null ? [step.usage] : [],
        )[0] ?? { input: 10, output: 5 };
        const options = {
          model: String(record.body['model']),
          requestNumber: record.number,
          includeUsage: wantsUsage(record.body),
          issuesSignatures: scenario.issuesSignatures,
          prefixUsage: usage,
        };
        await play(
          scenario,
          record.protocol === 'openai' ? openaiFrames(options) : anthropicFrames(options),
          response,
          record,
        );
      }
    }
  }
}

function wantsUsage(body: JsonObject): boolean {
  const options = body['stream_options'];
  return (
    typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
  );
}

function unknownModel(protocol: ServerProtocol, model: string): Rejection {
  return protocol === 'openai'
    ? {
        status: 404,
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        type: 'invalid_request_error',
        code: 'model_not_found',
      }
    : { status: 404, message: `model: ${model}`, type: 'not_found_error', code: null };
}

function errorType(protocol: ServerProtocol, status: number): string {
  if (protocol === 'openai')
    return status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    529: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}

function errorJson(protocol: ServerProtocol, { message, type, code }: Rejection): JsonObject {
  return protocol === 'openai'
    ? { error: { message, type, param: null, code } }
    : { type: 'error', error: { type, message }, request_id: 'req_test' };
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
