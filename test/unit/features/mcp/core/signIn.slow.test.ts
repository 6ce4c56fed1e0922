import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import { silentLog } from '../../../../../src/base/log';
import { SavedCredentials } from '../../../../../src/features/mcp/host/savedCredentials';
import { maskSecrets } from '../../../../../src/models/secrecy/secrecy';
import type {
  McpClient,
  McpRemoteLaunch,
  McpSignedIn,
  McpSignInWays,
} from '../../../../../src/features/mcp/core/mcpConnection';
import type { McpSignIn } from '../../../../../src/features/mcp/core/mcpServer';
import { McpServers } from '../../../../../src/features/mcp/core/mcpServers';
import { SignInServer } from '../../../../support/mcp/signInServer';

import { planFor, runTool, testClient } from './servers';

let server: SignInServer;
let folder: string;
let secrets: Map<string, string>;
let pools: McpServers[];

beforeEach(async () => {
  server = await SignInServer.start();
  folder = mkdtempSync(join(tmpdir(), 'hermes-sign-in-'));
  secrets = new Map();
  pools = [];
});
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const { signal } = new AbortController();
const launch = (): McpRemoteLaunch => ({ kind: 'http', url: server.url, headers: {} });
const editorAddress = 'vscode://hermes.test/mcp-sign-in?windowId=1';

/** A user whose browser follows the page; `addresses` are the ways back, in order. */
function browsing(addresses: readonly string[] = [editorAddress], pages: string[] = []): McpSignInWays {
  return {
    redirect: async (way) => {
      const address = addresses[way];
      if (address === undefined) return null;
      return { address, open: async (page) => (pages.push(page), server.browse(page)), dispose: () => undefined };
    },
    askClient: async (_issuer, redirect) => {
      server.addClient('by-hand', redirect);
      return { id: 'by-hand', secret: null };
    },
  };
}

/** A window of the editor. All share the secret storage and the folder of locks. `lateMs`: until it sees what another
 *  window has stored. `locks`: folder of its locks; default: the shared one. */
function window(
  ways: McpSignInWays = browsing(),
  wants = true,
  { lateMs = 0, locks = folder, requestMs = 30_000 } = {},
) {
  const seen = new Map(secrets);
  const own = new Set<string | undefined>();
  const storage = {
    get: async (key: string) => {
      const now = secrets.get(key);
      if (lateMs === 0 || own.has(now)) return now;
      setTimeout(() => (now === undefined ? seen.delete(key) : seen.set(key, now)), lateMs);
      return seen.get(key);
    },
    store: async (key: string, value: string) => (own.add(value), void secrets.set(key, value)),
    delete: async (key: string) => void secrets.delete(key),
  };
  const client: McpClient = testClient(new SavedCredentials(storage, systemClock, () => locks), requestMs);
  let asked = 0;
  const signIn: McpSignIn = {
    ask: async () => (asked++, wants),
    openPage: async () => undefined,
    run: (_server, remote, stop) => client.signIn(remote, ways, stop),
  };
  const pool = new McpServers({
    connect: async () => client.connect,
    signIn,
    roots: () => [],
    clock: systemClock,
    log: silentLog,
  });
  pool.use([planFor('web', launch())]);
  pools.push(pool);
  const call = async () => {
    const [tool] = await pool.tools(signal);
    if (tool === undefined) return pool.find('web')?.state;
    const { outcome, text } = await runTool(tool, {});
    return `${outcome}: ${text}`;
  };
  return {
    call,
    pool,
    asked: () => asked,
    signIn: (): Promise<McpSignedIn> | undefined => pool.find('web')?.signIn(signal),
    tool: async () => (await pool.tools(signal))[0],
  };
}

const countOf = (entry: string): number => server.log.filter((each) => each === entry).length;

describe('signing in', () => {
  it('is wanted before anything runs, and then goes through registration, consent and PKCE', async () => {
    const { call, signIn, asked } = window();
    const before = await call();
    expect(before).toMatchObject({ kind: 'failed', signIn: true, sentence: 'The server wants you to sign in (401).' });
    expect(await signIn()).toEqual({ kind: 'signedIn' });
    expect([await call(), asked()]).toEqual(['done: signed in for tools', 0]);
  });

  it('survives a new window, and is kept out of logs', async () => {
    const first = window();
    await first.call();
    await first.signIn();
    const [stored = ''] = secrets.values();
    const token: string = JSON.parse(stored).tokens.access_token;
    expect([await window().call(), maskSecrets(`Bearer ${token}`).includes(token)]).toEqual([
      'done: signed in for tools',
      false,
    ]);
  });

  it.each([
    ['deny', 'The sign-in was declined.'],
    ['foreignState', 'That address does not belong to this sign-in.'],
    ['foreignIssuer', expect.stringMatching(/iss/i)],
  ] as const)('stores nothing when the browser comes back with: %s', async (consent, sentence) => {
    server.consent = consent;
    const { call, signIn } = window();
    await call();
    expect([await signIn(), [...secrets]]).toEqual([{ kind: 'failed', sentence }, []]);
  });

  it('leaves an earlier sign-in as it was when a new one is not finished', async () => {
    const one = window();
    await one.call();
    await one.signIn();
    const before = [...secrets];
    server.consent = 'deny';
    expect([await one.signIn(), [...secrets]]).toEqual([expect.objectContaining({ kind: 'failed' }), before]);
  });

  it('takes the next way when the authorization server refuses the editor’s address', async () => {
    server.refusesRedirects = /^vscode:/;
    const pages: string[] = [];
    const { call, signIn } = window(browsing([editorAddress, 'http://127.0.0.1:5/mcp-sign-in'], pages));
    await call();
    const outcome = await signIn();
    const [redirect] = pages.map((page) => new URL(page).searchParams.get('redirect_uri'));
    expect([outcome, redirect]).toEqual([{ kind: 'signedIn' }, 'http://127.0.0.1:5/mcp-sign-in']);
  });

  it('asks for the client where none is registered by itself', async () => {
    server.registersClients = false;
    const { call, signIn } = window();
    await call();
    expect([await signIn(), await call()]).toEqual([{ kind: 'signedIn' }, 'done: signed in for tools']);
  });

  it('never opens a page that is no web page', async () => {
    const opened: string[] = [];
    const { call, signIn } = window(browsing([editorAddress], opened));
    await call();
    server.page = 'file:///etc/passwd';
    const outcomes = [(await signIn())?.kind];
    server.page = 'http://as.example/authorize';
    outcomes.push((await signIn())?.kind);
    expect([outcomes, opened]).toEqual([['failed', 'failed'], []]);
  });

  it('ends when it takes too long, and when it is canceled', async () => {
    const { call, pool } = window(browsing(), true, { requestMs: 300 });
    await call();
    server.hangs = true;
    const late = await pool.find('web')?.signIn(signal);
    const stop = new AbortController();
    const canceled = pool.find('web')?.signIn(stop.signal);
    stop.abort(new Error('canceled'));
    await expect(canceled).rejects.toThrow('canceled');
    expect([late?.kind, [...secrets]]).toEqual(['failed', []]);
  });
});

describe('a token that has ended', () => {
  const signedIn = async () => {
    const one = window();
    await one.call();
    await one.signIn();
    await one.call();
    return one;
  };

  it('is refreshed in the middle of a turn, without a question', async () => {
    const one = await signedIn();
    server.expire();
    expect([await one.call(), one.asked(), countOf('refresh')]).toEqual(['done: signed in for tools', 0, 1]);
  });

  it('is refreshed before it is sent when it is known to end', async () => {
    server.lifetime = 1;
    const one = await signedIn();
    expect([await one.call(), countOf('refresh') > 0]).toEqual(['done: signed in for tools', true]);
  });

  it('is refreshed once by two windows and by several calls', async () => {
    const one = await signedIn();
    const two = window();
    await two.call();
    server.expire();
    server.refreshMs = 100;
    const calls = await Promise.all([one.call(), two.call(), one.call(), two.call()]);
    expect([new Set(calls), countOf('refresh'), countOf('refresh token used twice')]).toEqual([
      new Set(['done: signed in for tools']),
      1,
      0,
    ]);
  });

  it('is never used again by a window that sees the new one late', async () => {
    const one = await signedIn();
    const late = window(browsing(), true, { lateMs: 300 });
    await late.call();
    server.expire();
    const calls = [await one.call(), await late.call(), await one.call()];
    expect([new Set(calls), countOf('refresh'), countOf('refresh token used twice'), late.asked()]).toEqual([
      new Set(['done: signed in for tools']),
      1,
      0,
      0,
    ]);
  });

  it('does not take the newer one along when a window of another machine has used it up', async () => {
    const one = await signedIn();
    const far = window(browsing(), true, { lateMs: 600, locks: join(folder, 'far') });
    await far.call();
    server.expire();
    const calls = [await one.call(), await far.call(), await one.call()];
    expect([new Set(calls), countOf('refresh token used twice'), one.asked() + far.asked()]).toEqual([
      new Set(['done: signed in for tools']),
      1,
      0,
    ]);
  });

  it('is refreshed with the metadata of the sign-in, wherever they are', async () => {
    server.metadataPath = '/meta/here';
    server.lifetime = 1;
    const usual = (): string[] => server.log.filter((line) => line.includes('oauth-protected-resource'));
    const one = await signedIn();
    server.log.length = 0;
    const next = window();
    expect([await next.call(), one.asked() + next.asked(), countOf('refresh') > 0, usual()]).toEqual([
      'done: signed in for tools',
      0,
      true,
      [],
    ]);
  });

  it('gives up a refresh that is not answered, and keeps the sign-in', async () => {
    const one = await signedIn();
    const hasty = window(browsing(), true, { requestMs: 300 });
    await hasty.call();
    server.expire();
    server.hangs = true;
    const hung = await hasty.call();
    server.hangs = false;
    expect([hung, hasty.asked(), await one.call()]).toEqual([
      expect.stringContaining('gave no result'),
      0,
      'done: signed in for tools',
    ]);
  });

  it('asks once when only the user can help, and then goes on with the call', async () => {
    const one = await signedIn();
    server.forget();
    expect([await Promise.all([one.call(), one.call()]), one.asked(), server.calls.length]).toEqual([
      ['done: signed in for tools', 'done: signed in for tools'],
      1,
      3,
    ]);
  });

  it('fails the call, which did not run, when the user does not sign in', async () => {
    const one = await signedIn();
    const other = window(browsing(), false);
    await other.call();
    server.forget();
    const calls = [await other.call(), await other.call()];
    expect([calls, other.asked()]).toEqual([
      [expect.stringContaining('The call did not run.'), expect.objectContaining({ kind: 'failed', signIn: true })],
      1,
    ]);
    expect(await one.call()).toBe('done: signed in for tools');
  });

  it('asks for no sign-in while the authorization server is down', async () => {
    const one = await signedIn();
    server.expire();
    server.isDown = true;
    const down = await one.call();
    server.isDown = false;
    expect([down, one.asked()]).toEqual([expect.stringContaining('answered with 503'), 0]);
    expect(await window().call()).toBe('done: signed in for tools');
  });

  it('that has too few rights leads to a sign-in with more', async () => {
    const one = await signedIn();
    server.scope = 'admin';
    expect([await one.call(), one.asked()]).toEqual(['done: signed in for tools admin', 1]);
  });
});
