import { randomBytes } from 'node:crypto';
import {
  auth,
  type AuthProvider,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { t } from '../../../../base/translate';
import { type JsonObject, parseJsonObject } from '../../../../transcript/json';
import type { McpClientDeps, McpCredentials, McpRemoteLaunch, McpSignedIn, McpSignInWays } from '../mcpConnection';
import { webPage } from '../../../../tools/webPage';
import { wordsOf } from './failures';

/** Milliseconds that one request of a sign-in or a refresh may take. */
const requestMs = 30_000;
/** Milliseconds between looks for what another window has stored, and how many. */
const lookAgainMs = 250;
const looks = 8;
/** Seconds before its end at which a token is refreshed, so that it does not end on its way. */
const refreshBefore = 30;

/** What a server said about the sign-in that it wants. */
interface Challenge {
  readonly scope: string | undefined;
  readonly metadata: URL | undefined;
}

/** OAuth 2.1 for the servers of one window: adds tokens to requests, refreshes them, and signs in. The library does
 *  the protocol: PKCE, discovery, registration, and the checks of issuer and resource. */
export class SignIns {
  private readonly challenges = new Map<string, Challenge>();

  constructor(private readonly deps: Pick<McpClientDeps, 'credentials' | 'fetch' | 'requestMs'>) {}

  /** For the requests to a server. Undefined when its definition brings its own credentials. */
  providerFor(address: URL, { headers }: McpRemoteLaunch): AuthProvider | undefined {
    if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const { credentials } = this.deps;
    let sent: string | undefined;
    return {
      token: async () => {
        const kept = await credentials.read(address.href);
        sent = accessTokenOf(kept);
        if (kept !== null && sent !== undefined && isEnding(kept) && refreshTokenOf(kept) !== undefined) {
          await this.refresh(address, sent);
          sent = accessTokenOf(await credentials.read(address.href));
        }
        return sent;
      },
      onUnauthorized: async ({ response }) => {
        const { scope, resourceMetadataUrl: metadata } = extractWWWAuthenticateParams(response);
        this.challenges.set(address.href, { scope, metadata });
        await this.refresh(address, sent);
      },
    };
  }

  /** Remembers what a server wants, if that is what the error says. */
  note(address: URL, error: unknown): void {
    if (error instanceof InsufficientScopeError)
      this.challenges.set(address.href, { scope: error.requiredScope, metadata: error.resourceMetadataUrl });
  }

  /** Host of the sign-in page. Null: not known. Rejects only when aborted. */
  async pageHost({ url }: McpRemoteLaunch, signal: AbortSignal): Promise<string | null> {
    const address = new URL(url);
    const options = { fetchFn: this.limited(signal), ...metadataOf(this.challenges.get(address.href)?.metadata) };
    const found = await discoverOAuthServerInfo(address, options).catch(() => null);
    signal.throwIfAborted();
    return webPage(found?.authorizationServerMetadata?.authorization_endpoint ?? '')?.host ?? null;
  }

  async signIn({ url }: McpRemoteLaunch, ways: McpSignInWays, signal: AbortSignal): Promise<McpSignedIn> {
    const { credentials } = this.deps;
    const address = new URL(url);
    const kept = await credentials.read(address.href);
    const { scope: wanted, metadata } = this.challenges.get(address.href) ?? {};
    const options = {
      serverUrl: address,
      fetchFn: this.limited(signal),
      ...metadataOf(metadata),
      ...scopeOf(computeScopeUnion(tokensOf(kept)?.scope, wanted)),
    };
    let refusal = 'There is no way for the browser to come back.';
    for (let way = 0; ; way++) {
      const redirect = await ways.redirect(way);
      if (redirect === null) return { kind: 'failed', sentence: refusal };
      try {
        const provider = new Provider(this.deps, address, kept, { redirect: redirect.address, ways }, metadata);
        await auth(provider, { ...options, forceReauthorization: true });
        signal.throwIfAborted();
        const answer = await redirect.open(provider.page, provider.stateText, signal);
        if (answer === null) return { kind: 'canceled' };
        if (answer === 'anotherWay') continue;
        const given = URL.canParse(answer) ? new URL(answer).searchParams : new URLSearchParams();
        if (given.get('state') !== provider.stateText)
          return { kind: 'failed', sentence: t('That address does not belong to this sign-in.') };
        const [code, error, iss] = [given.get('code'), given.get('error'), given.get('iss')];
        if (code === null) return { kind: 'failed', sentence: refusalOf(error, given.get('error_description')) };
        const exchange = { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) };
        await credentials.exclusively(address.href, () => auth(provider, exchange));
        this.challenges.delete(address.href);
        return { kind: 'signedIn' };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Canceled) return { kind: 'canceled' };
        refusal = wordsOf(error);
        // Authorization servers often refuse an editor's own addresses, but not those of this machine.
        if (!(error instanceof RegistrationRejectedError)) return { kind: 'failed', sentence: refusal };
      } finally {
        redirect.dispose();
      }
    }
  }

  /** Replaces the token that the server no longer takes. Throws `UnauthorizedError` when only the user can. */
  private async refresh(address: URL, stale: string | undefined): Promise<void> {
    const { credentials } = this.deps;
    if (accessTokenOf(await credentials.read(address.href)) === undefined) throw new UnauthorizedError();
    await credentials.exclusively(address.href, async () => {
      const kept = await credentials.read(address.href);
      const token = accessTokenOf(kept);
      // Another request or window has refreshed it meanwhile.
      if (token !== undefined && token !== stale) return;
      const sent = kept === null ? undefined : refreshTokenOf(kept);
      if (kept === null || sent === undefined) throw new UnauthorizedError();
      const metadata = this.challenges.get(address.href)?.metadata ?? urlOf(kept.metadata);
      // A refresh that was sent is not given up when its server is stopped: the new token would be lost.
      const limited = this.limited(null);
      let trouble: Error | null = null;
      const fetchFn: typeof globalThis.fetch = async (input, init) => {
        const response = await limited(input, init).catch((error: unknown) => {
          trouble = error instanceof Error ? error : new Error(String(error));
          throw error;
        });
        if (response.status >= 500)
          trouble = new Error(t('The sign-in server answered with {status}.', { status: response.status }));
        return response;
      };
      const provider = new Provider(this.deps, address, kept, null, metadata);
      try {
        await auth(provider, { serverUrl: address, fetchFn, ...metadataOf(metadata) });
      } catch (error) {
        if (provider.refused && (await this.newerThan(sent, address))) return;
        if (provider.refused) await credentials.write(address.href, provider.left);
        // A server that is down for a moment does not need a new sign-in.
        throw trouble !== null && error instanceof UnauthorizedError ? trouble : error;
      }
    });
  }

  /** Waits a little for a token that another window got with the same one: its storage may show it late. */
  private async newerThan(sent: string, address: URL): Promise<boolean> {
    for (let look = 0; look < looks; look++) {
      const kept = await this.deps.credentials.read(address.href);
      if (kept === null || refreshTokenOf(kept) !== sent) return accessTokenOf(kept) !== undefined;
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
    return false;
  }

  private limited(signal: AbortSignal | null): typeof globalThis.fetch {
    return (input, init) => {
      const signals = [signal, init?.signal, AbortSignal.timeout(this.deps.requestMs ?? requestMs)];
      return this.deps.fetch(input, {
        ...init,
        signal: AbortSignal.any(signals.filter((each) => each instanceof AbortSignal)),
      });
    };
  }
}

class Canceled extends Error {}

/** What the library asks about one server. Stores nothing before there are tokens, so that an unfinished sign-in leaves
 *  an earlier one as it was. */
class Provider implements OAuthClientProvider {
  readonly stateText = randomBytes(24).toString('base64url');
  page = '';
  /** True after the authorization server refused what was sent. `left`: what still counts. */
  refused = false;
  private verifier = '';
  private discovery: OAuthDiscoveryState | undefined;

  /** `asking` null: refreshes only, and never asks the user. */
  constructor(
    private readonly deps: Pick<McpClientDeps, 'credentials'>,
    private readonly server: URL,
    private kept: McpCredentials | null,
    private readonly asking: { readonly redirect: string; readonly ways: McpSignInWays } | null,
    private readonly metadata: URL | undefined,
  ) {}

  get left(): McpCredentials | null {
    return this.kept;
  }

  get redirectUrl(): string {
    // A refresh sends no address, but without one the library takes the client for one that needs no user.
    return this.asking?.redirect ?? 'http://127.0.0.1/';
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Hermes for VS Code',
      redirect_uris: [this.redirectUrl],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.stateText;
  }

  async clientInformation({ issuer }: Partial<OAuthClientInformationContext> = {}) {
    const client = this.kept?.issuer === issuer ? this.kept?.client : undefined;
    if (this.asking === null) {
      if (client === undefined) throw new UnauthorizedError();
      return clientOf(client);
    }
    const { redirect, ways } = this.asking;
    const registered = client?.['redirect_uris'];
    if (client !== undefined && Array.isArray(registered) && registered.includes(redirect)) return clientOf(client);
    if (issuer === undefined || this.discovery?.authorizationServerMetadata?.registration_endpoint !== undefined)
      return undefined;
    const given = await ways.askClient(issuer, redirect);
    if (given === null) throw new Canceled();
    const asked = { client_id: given.id, redirect_uris: [redirect], issuer };
    this.saveClientInformation(given.secret === null ? asked : { ...asked, client_secret: given.secret });
    return clientOf(this.kept?.client ?? {});
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.kept = { issuer: client.issuer ?? '', client: plain(client), tokens: null, expiresAt: null, metadata: null };
  }

  tokens({ issuer }: Partial<OAuthClientInformationContext> = {}): StoredOAuthTokens | undefined {
    return issuer !== undefined && this.kept?.issuer !== issuer ? undefined : tokensOf(this.kept);
  }

  async saveTokens(tokens: StoredOAuthTokens, { issuer }: Partial<OAuthClientInformationContext> = {}): Promise<void> {
    const expiresAt = tokens.expires_in === undefined ? null : Date.now() / 1000 + tokens.expires_in;
    const { client = {} } = this.kept ?? {};
    this.kept = {
      issuer: issuer ?? '',
      client,
      tokens: plain(tokens),
      expiresAt,
      metadata: this.metadata?.href ?? null,
    };
    await this.deps.credentials.write(this.server.href, this.kept);
  }

  /** Stores nothing: a sign-in that fails leaves the earlier one as it was, and another window may have stored a newer
   *  token than the one that was refused. */
  invalidateCredentials(scope: string): void {
    this.refused = true;
    if (this.kept === null) return;
    this.kept = scope === 'client' || scope === 'all' ? null : { ...this.kept, tokens: null, expiresAt: null };
  }

  redirectToAuthorization(page: URL): void {
    if (this.asking === null) throw new UnauthorizedError();
    // The server chose this address: a `file:` or a command address would run something on this machine.
    if (webPage(page.href) === null)
      throw new Error(t('Its sign-in page is no secure web page, so it was not opened.'));
    this.page = page.href;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovery;
  }
}

function refusalOf(error: string | null, description: string | null): string {
  if (error === 'access_denied') return t('The sign-in was declined.');
  return t('The sign-in page reports an error: {error}', {
    error: (description ?? error ?? '?').slice(0, 300),
  });
}

function clientOf(client: JsonObject): StoredOAuthClientInformation {
  const { client_id: id, client_secret: secret, issuer } = client;
  return {
    client_id: String(id),
    ...(typeof secret === 'string' ? { client_secret: secret } : {}),
    ...(typeof issuer === 'string' ? { issuer } : {}),
    ...methodOf(client['token_endpoint_auth_method']),
  };
}

/** The authorization server may have registered another method than was asked for. */
function methodOf(method: unknown): object {
  return typeof method === 'string' ? { token_endpoint_auth_method: method } : {};
}

function tokensOf(kept: McpCredentials | null): StoredOAuthTokens | undefined {
  const tokens = kept?.tokens ?? null;
  if (tokens === null || typeof tokens['access_token'] !== 'string') return undefined;
  const { access_token, token_type, refresh_token, scope, issuer } = tokens;
  return {
    access_token,
    token_type: typeof token_type === 'string' ? token_type : 'Bearer',
    ...(typeof refresh_token === 'string' ? { refresh_token } : {}),
    ...scopeOf(scope),
    ...(typeof issuer === 'string' ? { issuer } : {}),
  };
}

function scopeOf(scope: unknown): { readonly scope?: string } {
  return typeof scope === 'string' && scope !== '' ? { scope } : {};
}

function metadataOf(metadata: URL | undefined): { readonly resourceMetadataUrl?: URL } {
  return metadata === undefined ? {} : { resourceMetadataUrl: metadata };
}

function urlOf(address: string | null): URL | undefined {
  return address !== null && URL.canParse(address) ? new URL(address) : undefined;
}

function accessTokenOf(kept: McpCredentials | null): string | undefined {
  return tokensOf(kept)?.access_token;
}

function refreshTokenOf(kept: McpCredentials): string | undefined {
  return tokensOf(kept)?.refresh_token;
}

function isEnding({ expiresAt }: McpCredentials): boolean {
  return expiresAt !== null && expiresAt - Date.now() / 1000 < refreshBefore;
}

function plain(value: object): JsonObject {
  const parsed = parseJsonObject(JSON.stringify(value));
  return parsed.kind === 'invalid' ? {} : parsed.value;
}
