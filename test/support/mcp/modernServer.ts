import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Sent {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Readonly<Record<string, string>>;
    readonly inputResponses?: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
    readonly notifications?: object;
  };
}

const subscription = 'io.modelcontextprotocol/subscriptionId';
const object = { type: 'object', properties: {} };

/** An MCP server over HTTP of revision 2026-07-28 alone, written to the specification: no handshake, no session, no
 *  pings, changes of lists in a stream that the client opens, and calls that say what they need. */
export class ModernServer {
  /** Every message that it got, by its method. */
  readonly got: string[] = [];
  readonly ran: string[] = [];
  tools = ['pid', 'hang', 'ask'];
  private streams: { readonly id: number | string; readonly response: ServerResponse; readonly asked: string }[] = [];
  private readonly hanging: ServerResponse[] = [];
  private readonly server = createServer((request, response) => void this.handle(request, response));
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** At the port that it had before, if there was one. */
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    const address = this.server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    return this;
  }

  async stop(): Promise<void> {
    this.streams = [];
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Ends the streams of changes. */
  endStreams(): void {
    for (const { response } of this.streams.splice(0)) response.end();
  }

  /** Cuts off the calls that hang. */
  cutCalls(): void {
    for (const response of this.hanging.splice(0)) response.destroy();
  }

  changeTools(tools: string[]): void {
    this.tools = tools;
    for (const { id, response } of this.streams)
      response.write(event({ method: 'notifications/tools/list_changed', params: { _meta: { [subscription]: id } } }));
  }

  /** Tells the streams that asked for it. */
  changeResource(uri: string): void {
    for (const { id, response } of this.streams.filter((stream) => stream.asked.includes(uri)))
      response.write(
        event({ method: 'notifications/resources/updated', params: { uri, _meta: { [subscription]: id } } }),
      );
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += String(piece);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const sent: Sent = JSON.parse(text);
    this.got.push(sent.method);
    if (sent.id === undefined) return void response.writeHead(202).end();
    if (sent.method === 'subscriptions/listen') return this.listen(sent.id, sent, response);
    const answer = this.answer(sent);
    if (answer === null) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      return void this.hanging.push(response);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, ...answer }));
  }

  private listen(id: number | string, { params }: Sent, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      event({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: params?.notifications ?? {}, _meta: { [subscription]: id } },
      }),
    );
    this.streams.push({ id, response, asked: JSON.stringify(params?.notifications ?? {}) });
  }

  /** Null: it does not answer. */
  private answer({ method, params }: Sent): object | null {
    const complete = (result: object): object => ({ result: { resultType: 'complete', ...result } });
    const list = (result: object): object => complete({ ...result, ttlMs: 0, cacheScope: 'private' });
    const said = (text: string): object => complete({ content: [{ type: 'text', text }] });
    switch (method) {
      case 'server/discover':
        return complete({
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, completions: {} },
          ttlMs: 0,
          cacheScope: 'private',
        });
      case 'tools/list':
        return list({ tools: this.tools.map((name) => ({ name, description: name, inputSchema: object })) });
      case 'prompts/list':
        return list({ prompts: [{ name: 'report', arguments: [{ name: 'city', required: true }] }] });
      case 'prompts/get': {
        const text = `Report on ${params?.arguments?.['city']}.`;
        return complete({ messages: [{ role: 'user', content: { type: 'text', text } }] });
      }
      case 'completion/complete':
        return complete({ completion: { values: ['Bonn', 'Berlin'] } });
      case 'resources/list':
        return list({ resources: [{ uri: 'note://1', name: 'note' }] });
      case 'resources/templates/list':
        return list({ resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'any note' }] });
      case 'resources/read':
        return list({ contents: [{ uri: params?.uri, text: `Content of ${params?.uri}` }] });
      case 'tools/call': {
        if (params?.name === 'hang') return null;
        if (params?.name === 'ask' && params.inputResponses === undefined)
          return { result: { resultType: 'input_required', inputRequests: this.asks, requestState: 'first' } };
        this.ran.push(params?.name ?? '');
        return said(JSON.stringify(params?.inputResponses ?? params?.name));
      }
      default:
        return { error: { code: -32601, message: `no method ${method}` } };
    }
  }

  /** What `ask` needs. */
  asks: Readonly<Record<string, unknown>> = {
    city: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Which city?',
        requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  };
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}
