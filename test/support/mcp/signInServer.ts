import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What the user does on the sign-in page. */
type Consent = 'grant' | 'deny' | 'foreignState' | 'foreignIssuer';

/** An MCP server that wants a sign-in, with its authorization server, written to the specification: protected-resource
 *  metadata (RFC 9728), authorization-server metadata (RFC 8414), dynamic registration (RFC 7591), PKCE (RFC 7636),
 *  resource indicators (RFC 8707), issuer in the answer (RFC 9207), and refresh tokens that count once. */
export class SignInServer {
  consent: Consent = 'grant';
  /** Redirect addresses that it does not register. */
  refusesRedirects: RegExp | null = null;
  registersClients = true;
  /** Milliseconds before a refresh is answered. */
  refreshMs = 0;
  isDown = false;
  /** Seconds for which an access token is said to count. */
  lifetime: number | null = 3600;
  /** Address of its sign-in page. Null: its own. */
  page: string | null = null;
  /** Path of its protected-resource metadata. */
  metadataPath = '/.well-known/oauth-protected-resource/mcp';
  /** Never answers requests for tokens. */
  hangs = false;
  /** Scope that a call needs. */
  scope = 'tools';
  readonly log: string[] = [];
  /** Calls of its tool, with the scope of the token. */
  readonly calls: string[] = [];
  private readonly clients = new Map<string, readonly string[]>();
  private readonly codes = new Map<string, URLSearchParams>();
  private readonly access = new Map<string, string>();
  private readonly refresh = new Map<string, string>();
  private readonly usedUp = new Set<string>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => {
      this.log.push(`error ${String(error)}`);
      response.writeHead(500).end();
    });
  });
  origin = '';

  static async start(): Promise<SignInServer> {
    const started = new SignInServer();
    await new Promise<void>((resolve) => started.server.listen(0, '127.0.0.1', resolve));
    const address = started.server.address();
    started.origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    return started;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** Access tokens count no more. */
  expire(): void {
    this.access.clear();
  }

  /** Nothing that it gave counts any more. */
  forget(): void {
    this.access.clear();
    this.refresh.clear();
  }

  /** What the user's browser does with the sign-in page: returns the address that it ends at. */
  async browse(page: string): Promise<string> {
    const response = await fetch(page, { redirect: 'manual' });
    return response.headers.get('location') ?? `${page}#${response.status} ${await response.text()}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    const body = await textOf(request);
    const json = (status: number, value: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (pathname !== '/mcp') this.log.push(`${request.method} ${pathname}`);
    switch (pathname) {
      case this.metadataPath:
        return json(200, { resource: this.url, authorization_servers: [this.origin], scopes_supported: ['tools'] });
      case '/.well-known/oauth-authorization-server':
        return json(200, this.metadata());
      case '/register':
        return this.register(JSON.parse(body), json);
      case '/authorize':
        return this.authorize(searchParams, response);
      case '/token':
        return this.token(new URLSearchParams(body), json);
      case '/mcp':
        return this.answer(request, response, body, json);
      default:
        return json(404, {});
    }
  }

  private metadata() {
    return {
      issuer: this.origin,
      authorization_endpoint: this.page ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      ...(this.registersClients ? { registration_endpoint: `${this.origin}/register` } : {}),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private register(sent: { readonly redirect_uris?: readonly string[] }, json: Answer): void {
    const { redirect_uris: redirects = [] } = sent;
    if (redirects.some((each) => this.refusesRedirects?.test(each)))
      return json(400, { error: 'invalid_redirect_uri', error_description: 'no such addresses' });
    const id = `client-${randomBytes(4).toString('hex')}`;
    this.clients.set(id, redirects);
    json(201, { ...sent, client_id: id });
  }

  /** The client that the user registered by hand. */
  addClient(id: string, redirect: string): void {
    this.clients.set(id, [redirect]);
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    const [id, redirect] = [asked.get('client_id') ?? '', asked.get('redirect_uri') ?? ''];
    // A wrong redirect is never followed.
    if (this.clients.get(id)?.includes(redirect) !== true)
      return void response.writeHead(400).end(`unknown redirect ${redirect}`);
    const back = new URL(redirect);
    back.searchParams.set('state', this.consent === 'foreignState' ? 'foreign' : (asked.get('state') ?? ''));
    back.searchParams.set('iss', this.consent === 'foreignIssuer' ? 'https://evil.example' : this.origin);
    const problem =
      asked.get('code_challenge_method') !== 'S256' || asked.get('resource') !== this.url
        ? 'invalid_request'
        : this.consent === 'deny'
          ? 'access_denied'
          : null;
    if (problem === null) {
      const code = randomBytes(8).toString('base64');
      this.codes.set(code, asked);
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', problem);
    response.writeHead(302, { location: back.href }).end();
  }

  private async token(sent: URLSearchParams, json: Answer): Promise<void> {
    if (this.isDown) return json(503, {});
    if (this.hangs) return;
    const given = sent.get('refresh_token');
    if (given !== null) {
      this.log.push('refresh');
      if (this.refreshMs > 0) await new Promise((resolve) => setTimeout(resolve, this.refreshMs));
      if (this.usedUp.has(given)) this.log.push('refresh token used twice');
      const scope = this.refresh.get(given);
      if (scope === undefined) return json(400, { error: 'invalid_grant' });
      this.usedUp.add(given);
      this.refresh.delete(given);
      return json(200, this.issue(scope));
    }
    const code = sent.get('code') ?? '';
    const asked = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      asked?.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === sent.get('redirect_uri') &&
      asked.get('client_id') === sent.get('client_id') &&
      sent.get('resource') === this.url;
    return fits ? json(200, this.issue(asked.get('scope') ?? '')) : json(400, { error: 'invalid_grant' });
  }

  private issue(scope: string) {
    const [access, refresh] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    this.access.set(access, scope);
    this.refresh.set(refresh, scope);
    return {
      access_token: access,
      token_type: 'Bearer',
      refresh_token: refresh,
      scope,
      ...(this.lifetime === null ? {} : { expires_in: this.lifetime }),
    };
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string, json: Answer): void {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const scope = this.access.get(token);
    const metadata = `resource_metadata="${this.origin}${this.metadataPath}"`;
    if (scope === undefined) return json(401, {}, { 'www-authenticate': `Bearer ${metadata}, scope="tools"` });
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call' && !scope.split(' ').includes(this.scope))
      return json(
        403,
        {},
        {
          'www-authenticate': `Bearer error="insufficient_scope", scope="${this.scope}", ${metadata}`,
        },
      );
    if (method === 'tools/call') this.calls.push(scope);
    const results: Readonly<Record<string, unknown>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'signed', version: '1' },
      },
      ping: {},
      'tools/list': { tools: [{ name: 'whoami', description: 'Who?', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: `signed in for ${scope}` }] },
    };
    const result = results[method];
    json(200, {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result }),
    });
  }
}

type Answer = (status: number, value: unknown, headers?: Record<string, string>) => void;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) text += String(piece);
  return text;
}
