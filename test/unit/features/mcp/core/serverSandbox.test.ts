import { describe, expect, it } from 'vitest';
import { shellText } from '../../../../../src/features/mcp/core/confinedConnect';
import { fingerprint, type ServerDefinition } from '../../../../../src/features/mcp/core/serverDefinition';
import { readServerFile } from '../../../../../src/features/mcp/core/serverFile';
import { placeOf, type PlaceFacts, type ServerPlace } from '../../../../../src/features/mcp/core/serverPlace';
import type { TrustDecision } from '../../../../../src/tools/programTrust';
import { serverPlan } from '../../../../../src/features/mcp/core/serverPlan';
import { hostsOf, unwrittenSandbox } from '../../../../../src/features/mcp/core/serverSandbox';

const source = { kind: 'folder', folder: '/repo', file: '.vscode/mcp.json' } as const;
const read = (text: string) => readServerFile(text, source, '.vscode/mcp.json');

function definition(text: string): ServerDefinition {
  const {
    servers: [first],
    problems,
  } = read(`{ "servers": { "s": ${text} } }`);
  if (first === undefined) throw new Error(problems.join());
  return first;
}

function sandboxOf(text: string) {
  const { transport } = definition(text);
  if (transport.kind !== 'stdio') throw new Error('runs no program');
  return transport.sandbox;
}

describe('the sandbox settings of a definition', () => {
  it('are read in VS Code’s shape, and unsupported settings are named', () => {
    expect(
      sandboxOf(`{ "command": "x", "sandboxEnabled": true, "sandbox": {
      "network": { "allowedDomains": ["API.example.com", " *.cdn.example.com", "api.example.com", "api.example.com:8443", "*", "*.com", "localhost", "127.0.0.1", "https://x.example"], "deniedDomains": [] },
      "filesystem": { "allowWrite": ["~/elsewhere"], "denyRead": ["\${workspaceFolder}/private", "**/*.pem"], "denyWrite": ["fixed"] } } }`),
    ).toEqual({
      isEnabled: true,
      hosts: ['*.cdn.example.com', 'api.example.com', 'api.example.com:8443'],
      denyRead: ['${workspaceFolder}/private'],
      denyWrite: ['fixed'],
      ignored: [
        'network.allowedDomains: *',
        'network.allowedDomains: *.com',
        'network.allowedDomains: localhost',
        'network.allowedDomains: 127.0.0.1',
        'network.allowedDomains: https://x.example',
        'filesystem.allowWrite: ~/elsewhere',
        'filesystem.denyRead: **/*.pem',
      ],
    });
    expect([
      sandboxOf('{ "command": "x" }'),
      sandboxOf('{ "command": "x", "sandboxEnabled": false }').isEnabled,
    ]).toEqual([unwrittenSandbox, false]);
  });

  it('that deny a host block it by every name', () => {
    const network = (allowed: readonly string[], denied: readonly string[]) => {
      const { hosts, ignored } = sandboxOf(
        JSON.stringify({ command: 'x', sandbox: { network: { allowedDomains: allowed, deniedDomains: denied } } }),
      );
      return { hosts, ignored };
    };
    expect(network(['a.example.com', 'b.example.com'], ['a.example.com'])).toEqual({
      hosts: ['b.example.com'],
      ignored: [],
    });
    expect(network(['a.example.com', 'b.test.org'], ['*.example.com'])).toEqual({
      hosts: ['b.test.org'],
      ignored: ['network.allowedDomains: a.example.com'],
    });
    expect(network(['*.example.com'], ['a.example.com'])).toEqual({
      hosts: [],
      ignored: ['network.allowedDomains: *.example.com'],
    });
  });

  it('may be written once for all servers of a file', () => {
    const { servers } = read(
      '{ "sandbox": { "network": { "allowedDomains": ["a.example.com"] } }, "servers": { "one": { "command": "x" }, "two": { "command": "x", "sandbox": {} } } }',
    );
    expect(servers.map(({ transport }) => transport.kind === 'stdio' && transport.sandbox.hosts)).toEqual([
      ['a.example.com'],
      [],
    ]);
  });

  it('that cannot be read block their server, with a sentence', () => {
    expect(
      read(
        '{ "servers": { "a": { "command": "x", "sandboxEnabled": "no" }, "b": { "command": "x", "sandbox": { "network": { "allowedDomains": "a" } } }, "c": { "command": "x", "sandbox": true }, "d": { "command": "x" } } }',
      ).problems,
    ).toEqual([
      '.vscode/mcp.json: the MCP server “a” is ignored: "sandboxEnabled" is neither true nor false.',
      '.vscode/mcp.json: the MCP server “b” is ignored: "sandbox.network.allowedDomains" is not a list of texts.',
      '.vscode/mcp.json: the MCP server “c” is ignored: "sandbox" is not an object.',
    ]);
  });

  it('are part of the trusted definition, and their absence is not', () => {
    const all = [
      '{ "command": "x" }',
      '{ "command": "x", "sandboxEnabled": false }',
      '{ "command": "x", "sandboxEnabled": true }',
      '{ "command": "x", "sandbox": { "network": { "allowedDomains": ["a.example.com"] } } }',
      '{ "command": "x", "sandbox": { "filesystem": { "denyRead": ["a"] } } }',
      '{ "command": "x", "sandbox": { "filesystem": { "denyWrite": ["a"] } } }',
      '{ "command": "x", "sandbox": { "filesystem": { "allowWrite": ["a"] } } }',
    ].map((text) => fingerprint(definition(text), null));
    expect(new Set(all).size).toBe(all.length);
    // Written down by a version that knew of no sandbox.
    expect(all[0]).toBe('179e09c357f52a5f832cb9d0a282614778c3f4addcde7ee4d2ca3a9ce8de14f9');
  });

  it('include the registry for programs that fetch what they run', () => {
    const named = { ...unwrittenSandbox, hosts: ['api.example.com'] };
    expect([
      hostsOf('npx', named),
      hostsOf('/usr/bin/uvx', unwrittenSandbox),
      hostsOf('node', unwrittenSandbox),
    ]).toEqual([['api.example.com', 'registry.npmjs.org'], ['files.pythonhosted.org', 'pypi.org'], []]);
  });
});

describe('the place where a server is started', () => {
  const undecided: TrustDecision = { choice: null, mayRunOutside: false, hosts: [] };
  const missing = { kind: 'missing', reason: 'bubblewrap (bwrap) not installed', remedy: 'Install it.' } as const;
  const words = (place: ServerPlace): string =>
    place.kind === 'inside'
      ? 'inside'
      : place.kind === 'outside'
        ? `outside: ${place.reason.kind}`
        : `refused: ${place.sentence}`;
  const place = (over: Partial<PlaceFacts>): string =>
    words(
      placeOf({
        isOwn: false,
        isEnabled: null,
        decision: undecided,
        sandbox: { kind: 'works' },
        isRequired: false,
        ...over,
      }),
    );

  it("is inside for a folder's server, outside for the user's own, unless the definition says otherwise", () => {
    expect([
      place({}),
      place({ isEnabled: true }),
      place({ isEnabled: false }),
      place({ isOwn: true }),
      place({ isOwn: true, isEnabled: true }),
      place({ isOwn: true, isEnabled: false }),
    ]).toEqual(['inside', 'inside', 'outside: written', 'outside: unwritten', 'inside', 'outside: unwritten']);
  });

  it("is the user's choice, whatever the definition says", () => {
    const chose = (choice: 'inside' | 'outside', over: Partial<PlaceFacts>) =>
      place({ decision: { ...undecided, choice }, ...over });
    expect([
      chose('inside', { isEnabled: false }),
      chose('outside', { isEnabled: true }),
      chose('inside', { isOwn: true }),
      chose('outside', { isOwn: true, isEnabled: true }),
    ]).toEqual(['inside', 'outside: chosen', 'inside', 'outside: chosen']);
  });

  it('without a sandbox is outside only if the user has seen that it is', () => {
    const seen = { ...undecided, mayRunOutside: true };
    expect([place({ sandbox: missing, decision: seen }), place({ sandbox: { kind: 'off' }, decision: seen })]).toEqual([
      'outside: missing',
      'outside: off',
    ]);
    const instead = 'Or choose Run Without the Sandbox under Manage MCP Servers…';
    expect([
      place({ sandbox: missing }),
      place({ sandbox: { kind: 'off' } }),
      place({ sandbox: missing, decision: { ...seen, choice: 'inside' } }),
      place({ sandbox: missing, isOwn: true, isEnabled: true }),
    ]).toEqual([
      `refused: You trusted it to run in the sandbox, and there is none: bubblewrap (bwrap) not installed. Install it. ${instead}`,
      `refused: You trusted it to run in the sandbox, and the sandbox is off (hermes.terminal.sandbox). ${instead}`,
      `refused: You chose to run it in the sandbox, and there is none: bubblewrap (bwrap) not installed. Install it. ${instead}`,
      `refused: Its definition says that it runs in the sandbox, and there is none: bubblewrap (bwrap) not installed. Install it. ${instead}`,
    ]);
  });

  it("when the sandbox is required is never outside for a folder's server", () => {
    const every = [
      undecided,
      { ...undecided, mayRunOutside: true },
      { choice: 'outside', mayRunOutside: true, hosts: [] },
      { choice: 'inside', mayRunOutside: true, hosts: [] },
    ] as const;
    const places = every.flatMap((decision) =>
      [null, true, false].flatMap((isEnabled) =>
        [missing, { kind: 'off' } as const, { kind: 'works' } as const].map((sandbox) =>
          place({ decision, isEnabled, sandbox, isRequired: true }),
        ),
      ),
    );
    expect(places.filter((each) => each.startsWith('outside'))).toEqual([]);
    expect(place({ isEnabled: false, isRequired: true })).toBe(
      'refused: Only servers in the sandbox may run here (hermes.terminal.sandbox), and its definition says that this one runs without. Choose Run in the Sandbox under Manage MCP Servers…',
    );
    expect(place({ isOwn: true, isRequired: true, sandbox: missing })).toBe('outside: unwritten');
  });
});

describe('starting a definition inside', () => {
  const values = {
    workspaceFolder: '/repo',
    folders: new Map<string, string>(),
    userHome: '/home/me',
    environment: { PATH: '/bin', npm_config_cache: '/elsewhere', API_TOKEN: 't' },
    separator: '/',
  };
  const launchOf = async (text: string, place: ServerPlace = { kind: 'inside' }, hosts: readonly string[] = []) =>
    serverPlan(definition(text), 'f', {
      values: () => values,
      askInput: async () => null,
      envFileText: null,
      isFolder: async () => true,
      place: async () => place,
      hosts,
    }).launch(new AbortController().signal);

  it('names hosts and files, and adds what programs need there; its own variables come first', async () => {
    const text =
      '{ "command": "npx", "env": { "KEY": "k" }, "sandbox": { "network": { "allowedDomains": ["a.example.com"] }, "filesystem": { "denyRead": ["~/x", "${workspaceFolder}/p"], "denyWrite": ["fixed"] } } }';
    expect(await launchOf(text, { kind: 'inside' }, ['b.example.com'])).toEqual({
      kind: 'ready',
      secrets: [],
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: [],
        folder: '/repo',
        environment: {
          PATH: '/bin',
          KEY: 'k',
          NODE_USE_ENV_PROXY: '1',
          npm_config_cache: '/home/me/.npm/_cacache/hermes',
        },
        confined: {
          hosts: ['a.example.com', 'b.example.com', 'registry.npmjs.org'],
          denyRead: ['/home/me/x', '/repo/p'],
          denyWrite: ['/repo/fixed'],
          folders: ['/home/me/.npm/_cacache/hermes'],
        },
      },
    });
    expect(
      await launchOf('{ "command": "npx", "env": { "npm_config_cache": "/mine", "NODE_USE_ENV_PROXY": null } }'),
    ).toMatchObject({ launch: { environment: { PATH: '/bin', npm_config_cache: '/mine' } } });
    expect(await launchOf('{ "command": "npx" }', { kind: 'outside', reason: { kind: 'written' } })).toMatchObject({
      launch: { confined: null, environment: { PATH: '/bin', npm_config_cache: '/elsewhere' } },
    });
  });

  it('does not happen when forbidden, and asks for nothing', async () => {
    expect(await launchOf('{ "command": "npx" }', { kind: 'refused', sentence: 'Because.' })).toEqual({
      kind: 'failed',
      sentence: 'Because.',
    });
  });
});

it('the command line for the shell quotes every word', () => {
  expect(shellText('a b', ['', `it's`, '$x\n'])).toBe(`exec 'a b' '' 'it'\\''s' '$x\n'`);
  expect(() => shellText('-c', [])).toThrow('begins with a dash');
  expect(() => shellText('x', ['a\0b'])).toThrow('null character');
});
