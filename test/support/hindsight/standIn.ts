import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Contract, type DescribedCall } from './contract';
import { MemoryBank, type BankOperation } from './memoryBank';
import { answerTo, type Refusal } from './routes';

/** dropBefore, dropAfter: the connection dies before or after the request was acted on · stall, stallAfter: no answer ever comes, not acted on, or
 *  acted on · a number: that status, not acted on. */
export type Fault = 'dropBefore' | 'dropAfter' | 'stall' | 'stallAfter' | number;

export interface StandInOptions {
  /** appends: 0.9.1 · overwrites: 0.4.2, which knows neither modes nor operation ids. */
  readonly server?: 'appends' | 'overwrites';
  /** Seconds since the epoch. */
  readonly now?: () => number;
  readonly key?: string;
  readonly fault?: (operation: string) => Fault | null;
  /** How long after it came an operation is done, in seconds, and how it ends. */
  readonly processing?: () => { readonly seconds: number; readonly fate: BankOperation['fate'] };
}

export interface SeenRequest {
  readonly operation: string;
  readonly body: unknown;
  readonly authorization: string | null;
}

/** A server that behaves as Hindsight does. */
export class HindsightStandIn {
  readonly banks = new Map<string, MemoryBank>();
  readonly requests: SeenRequest[] = [];
  /** What did not fit the published description, on either side. */
  readonly violations: string[] = [];
  private readonly http: Server;
  private readonly stalled = new Set<ServerResponse>();

  private constructor(
    private readonly contract: Contract,
    public options: StandInOptions,
  ) {
    this.http = createServer((request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        this.violations.push(`the stand-in failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(options: StandInOptions = {}): Promise<HindsightStandIn> {
    const standIn = new HindsightStandIn(new Contract(), options);
    await new Promise<void>((resolve) => standIn.http.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    const { port } = this.http.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get version(): string {
    return this.options.server === 'overwrites' ? '0.4.2' : '0.9.1';
  }

  now(): number {
    return this.options.now?.() ?? Date.now() / 1000;
  }

  bank(name: string): MemoryBank {
    const bank = this.banks.get(name) ?? new MemoryBank();
    this.banks.set(name, bank);
    return bank;
  }

  /** The documents of a bank and their texts, everything that waits having been done. */
  documents(name: string): Readonly<Record<string, string>> {
    const bank = this.bank(name);
    bank.work(Number.POSITIVE_INFINITY);
    return Object.fromEntries([...bank.documents].map(([id, { text }]) => [id, text]));
  }

  /** A new life under another behaviour: nothing held is forgotten but the requests that were seen. */
  reset(options: StandInOptions): void {
    this.options = options;
    this.banks.clear();
    this.requests.length = 0;
  }

  async close(): Promise<void> {
    for (const response of this.stalled) response.destroy();
    this.http.closeAllConnections();
    await new Promise<void>((resolve) => this.http.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await readBody(request);
    const call = this.contract.find(request.method ?? 'GET', url.pathname);
    if (call === null) {
      this.violations.push(`${request.method ?? ''} ${url.pathname} is not described`);
      return send(response, 404, { detail: 'Not Found' });
    }
    this.requests.push({ operation: call.operation, body, authorization: request.headers.authorization ?? null });
    const fault = this.options.fault?.(call.operation) ?? null;
    if (fault === 'dropBefore') return void response.destroy();
    if (fault === 'stall') return void this.stalled.add(response);
    if (typeof fault === 'number')
      return send(response, fault, { detail: `injected ${fault}` }, fault === 429 ? { 'retry-after': '1' } : {});
    const { status, body: answer } = this.answer(call, body, url.searchParams, request.headers.authorization);
    if (fault === 'dropAfter') return void response.destroy();
    if (fault === 'stallAfter') return void this.stalled.add(response);
    send(response, status, answer);
  }

  private answer(
    call: DescribedCall,
    body: unknown,
    query: URLSearchParams,
    authorization: string | undefined,
  ): Refusal {
    for (const bank of this.banks.values()) bank.work(this.now());
    const { key } = this.options;
    if (
      key !== undefined &&
      authorization !== `Bearer ${key}` &&
      !['get_version', 'health_endpoint_health_get'].includes(call.operation)
    ) {
      return { status: 401, body: { detail: 'Invalid API key' } };
    }
    const problems = call.requestProblems(body, query);
    if (problems.length > 0) {
      this.violations.push(`request ${call.operation}: ${problems.join('; ')}`);
      return { status: 422, body: { detail: problems.map((msg) => ({ loc: ['body'], msg, type: 'value_error' })) } };
    }
    const answer = answerTo(this, call, body, query, () => randomUUID());
    const wrong = call.responseProblems(answer.status, answer.body);
    if (wrong.length > 0) this.violations.push(`response ${call.operation} ${answer.status}: ${wrong.join('; ')}`);
    return answer;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
