import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../../src/transcript/json';
import { readListedTool } from '../../../../../src/features/mcp/core/client/contentReading';
import { resultOutput } from '../../../../../src/features/mcp/core/resultOutput';
import { commandLine, fingerprint, type ServerDefinition } from '../../../../../src/features/mcp/core/serverDefinition';
import { readServerFile, readServerSetting } from '../../../../../src/features/mcp/core/serverFile';
import { envFilePath, serverPlan } from '../../../../../src/features/mcp/core/serverPlan';
import { unwrittenSandbox } from '../../../../../src/features/mcp/core/serverSandbox';
import { toolNames } from '../../../../../src/features/mcp/core/mcpServers';

const source = { kind: 'folder', folder: '/repo', file: '.vscode/mcp.json' } as const;
const read = (text: string) => readServerFile(text, source, '.vscode/mcp.json');

describe('mcp.json', () => {
  it('is read with comments and trailing commas, in VS Code’s shape', () => {
    const { servers, problems } = read(`{
      // servers of this folder
      "inputs": [{ "id": "key", "type": "promptString", "description": "API key", "password": true }, { "id": "unused", "type": "pickString", "options": ["a", { "label": "B", "value": "b" }] },],
      "servers": {
        "local": { "command": "npx", "args": ["-y", "pkg"], "env": { "KEY": "\${input:key}", "PORT": 8080, "GONE": null }, "envFile": "\${workspaceFolder}/.env", "cwd": "sub" },
        "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${input:key}" } },
        "old": { "type": "sse", "url": "https://example.com/sse" }, /* end */
      },
    }`);
    expect(problems).toEqual([]);
    const key = { id: 'key', type: 'promptString', description: 'API key', default: null, password: true, options: [] };
    expect(servers).toEqual([
      {
        name: 'local',
        source,
        inputs: [key],
        transport: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'pkg'],
          env: { KEY: '${input:key}', PORT: '8080', GONE: null },
          envFile: '${workspaceFolder}/.env',
          cwd: 'sub',
          sandbox: unwrittenSandbox,
        },
      },
      {
        name: 'web',
        source,
        inputs: [key],
        transport: { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${input:key}' } },
      },
      { name: 'old', source, inputs: [], transport: { kind: 'sse', url: 'https://example.com/sse', headers: {} } },
    ]);
  });

  it('that cannot be parsed is reported with the line', () => {
    expect(read('{\n  "servers": {\n    "a": { "command": }\n')).toMatchObject({
      servers: [],
      problems: [
        expect.stringMatching(/^\.vscode\/mcp\.json cannot be read: .+ in line 3\. None of its MCP servers is used/),
      ],
    });
  });

  it('loses only the invalid entries, and reports which and why', () => {
    const { servers, problems } = read(`{ "servers": {
      "good": { "command": "x" }, "none": {}, "text": "x", "args": { "command": "x", "args": "-y" }, "type": { "type": "ws", "url": "ws://x" },
      "address": { "url": "file:///etc/passwd" }, "ask": { "command": "\${input:nobody}" }, "empty": { "command": "" }
    }, "inputs": [{ "id": "c", "type": "command" }] }`);
    expect(servers.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([
      '.vscode/mcp.json: entry 1 of "inputs" is ignored: "type" is neither "promptString" nor "pickString".',
      '.vscode/mcp.json: the MCP server “none” is ignored: it has neither a "command" nor a "url".',
      '.vscode/mcp.json: the MCP server “text” is ignored: it is not an object.',
      '.vscode/mcp.json: the MCP server “args” is ignored: "args" is not a list of texts.',
      '.vscode/mcp.json: the MCP server “type” is ignored: "type" is none of "stdio", "http" and "sse".',
      '.vscode/mcp.json: the MCP server “address” is ignored: "url" is not a web address that begins with http:// or https://.',
      '.vscode/mcp.json: the MCP server “ask” is ignored: there is no input “nobody” under "inputs".',
      '.vscode/mcp.json: the MCP server “empty” is ignored: "command" is empty.',
    ]);
  });

  it('may be empty, and the setting may hold the servers alone', () => {
    expect(
      [read(''), read('{}'), readServerSetting(undefined), readServerSetting({})].map(({ servers, problems }) => [
        servers,
        problems,
      ]),
    ).toEqual(Array.from({ length: 4 }, () => [[], []]));
    expect(
      readServerSetting({ a: { command: 'x' } }).servers.map(({ name, source: { kind } }) => [name, kind]),
    ).toEqual([['a', 'settings']]);
    expect(readServerSetting({ servers: { b: { command: 'x' } } }).servers.map(({ name }) => name)).toEqual(['b']);
    expect(readServerSetting([]).problems).toEqual([
      'The setting `hermes.mcp.servers` is not an object with "servers". It is ignored until it is corrected.',
    ]);
  });
});

function definition(text: string): ServerDefinition {
  const [first] = read(
    `{ "servers": { "s": ${text} }, "inputs": [{ "id": "i", "type": "promptString", "password": true }] }`,
  ).servers;
  if (first === undefined) throw new Error('not read');
  return first;
}

describe('a trusted definition', () => {
  it('is exactly the one defined: every change makes another definition', () => {
    const all = [
      '{ "command": "a", "args": ["b"] }',
      '{ "command": "a", "args": ["b", ""] }',
      '{ "command": "a b" }',
      '{ "command": "a", "args": ["B"] }',
      '{ "command": "a", "args": ["b"], "env": { "X": "1" } }',
      '{ "command": "a", "args": ["b"], "env": { "X": "2" } }',
      '{ "command": "a", "args": ["b"], "env": { "X": null } }',
      '{ "command": "a", "args": ["b"], "cwd": "x" }',
      '{ "command": "a", "args": ["b"], "envFile": "x" }',
      '{ "url": "https://a" }',
      '{ "url": "https://b" }',
      '{ "type": "sse", "url": "https://a" }',
      '{ "url": "https://a", "headers": { "X": "1" } }',
    ].map((text) => fingerprint(definition(text), null));
    expect(new Set(all).size).toBe(all.length);
    const same = definition('{ "command": "a", "envFile": "x" }');
    expect(fingerprint(same, 'A=1')).not.toBe(fingerprint(same, 'A=2'));
    expect(fingerprint({ ...same, name: 'other' }, null)).not.toBe(fingerprint(same, null));
    expect(fingerprint({ ...same, source: { ...source, folder: '/elsewhere' } }, null)).not.toBe(
      fingerprint(same, null),
    );
  });

  it('changes with every word of the question to the user', () => {
    const input = { id: 'key', description: 'API key', default: null, password: true, options: [] } as const;
    const plain = definition('{ "command": "a" }');
    const all = [
      [],
      [input],
      [{ ...input, description: 'Password of your bank' }],
      [{ ...input, default: 'x' }],
      [{ ...input, password: false }],
      [{ ...input, options: ['a'] }],
      [{ ...input, id: 'other' }],
    ];
    expect(new Set(all.map((inputs) => fingerprint({ ...plain, inputs }, null))).size).toBe(all.length);
  });

  it('does not change with the order of unordered entries', () => {
    expect(fingerprint(definition('{ "command": "a", "env": { "X": "1", "Y": "2" } }'), null)).toBe(
      fingerprint(definition('{ "env": { "Y": "2", "X": "1" }, "command": "a" }'), null),
    );
  });

  it('is shown completely, and nothing in it can hide', () => {
    expect(
      commandLine(
        definition(
          '{ "command": "npx", "args": ["-y", "two words", "a;rm -rf ~", "\\u202e\\u200b\\u3164\\n"], "env": { "NODE_OPTIONS": "--require ./x.js" }, "cwd": "sub", "envFile": ".env" }',
        ).transport,
      ),
    ).toBe(
      'NODE_OPTIONS="--require ./x.js" npx -y "two words" "a;rm -rf ~" "\\u{202e}\\u{200b}\\u{3164}\\n" (in sub, with the variables of .env)',
    );
    expect(commandLine(definition('{ "url": "https://example.com/mcp" }').transport)).toBe('https://example.com/mcp');
    expect(
      commandLine(
        definition('{ "url": "https://example.com/mcp", "headers": { "X": "${env:GITHUB_TOKEN}" } }').transport,
      ),
    ).toBe('https://example.com/mcp (with the headers X: ${env:GITHUB_TOKEN})');
  });
});

const values = {
  workspaceFolder: '/repo',
  folders: new Map([['other', '/other']]),
  userHome: '/home/me',
  environment: { TOKEN: 't', PATH: '/bin', GITHUB_TOKEN: 'g', VSCODE_PID: '1' },
  separator: '/',
};
const launchOf = (text: string, input: string | null = 'given', envFileText: string | null = null) =>
  serverPlan(definition(text), 'f', {
    values: () => values,
    askInput: async () => input,
    envFileText,
    isFolder: async (path) => path !== '/gone',
    place: async () => ({ kind: 'outside', reason: { kind: 'chosen' } }),
    hosts: [],
  }).launch(new AbortController().signal);

describe('starting a definition', () => {
  it('fills in variables and inputs, and leaves out credentials of the environment unless it names them', async () => {
    const text =
      '{ "command": "${workspaceFolder}/run", "args": ["${workspaceFolder:other}", "${userHome}${/}x", "${workspaceFolderBasename}", "${env:NOTHING}"], "env": { "KEY": "${input:i}", "TOKEN": "${env:TOKEN}", "PATH": null } }';
    expect(await launchOf(text, 'secret', 'FROM_FILE="1"\nKEY=overridden')).toEqual({
      kind: 'ready',
      secrets: ['secret'],
      launch: {
        kind: 'stdio',
        command: '/repo/run',
        args: ['/other', '/home/me/x', 'repo', ''],
        environment: { FROM_FILE: '1', KEY: 'secret', TOKEN: 't' },
        folder: '/repo',
        confined: null,
      },
    });
    expect(
      await launchOf(
        '{ "url": "https://${env:TOKEN}.example", "headers": { "Authorization": "Bearer ${input:i}" } }',
        'k',
      ),
    ).toMatchObject({
      launch: { kind: 'http', url: 'https://t.example', headers: { Authorization: 'Bearer k' } },
      secrets: ['k'],
    });
  });

  it('never expands variables in text that the user typed', async () => {
    expect(await launchOf('{ "command": "x", "args": ["${input:i}"] }', '${env:TOKEN}')).toMatchObject({
      launch: { args: ['${env:TOKEN}'] },
    });
  });

  it('fails with a sentence when something is missing', async () => {
    expect(await launchOf('{ "command": "${nonsense}" }')).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('${nonsense} is not known'),
    });
    expect(await launchOf('{ "command": "${workspaceFolder:nope}" }')).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('no such open folder'),
    });
    expect(await launchOf('{ "command": "x", "args": ["${input:i}"] }', null)).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('“i” was not given'),
    });
    expect(await launchOf('{ "command": "x", "cwd": "/gone" }')).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('/gone is not there'),
    });
  });

  it('finds its file of variables from the folder', () => {
    expect(envFilePath(definition('{ "command": "x", "envFile": "${workspaceFolder}/.env" }'), values)).toBe(
      '/repo/.env',
    );
    expect(envFilePath(definition('{ "command": "x", "envFile": "sub/.env" }'), values)).toBe('/repo/sub/.env');
    expect(envFilePath(definition('{ "command": "x" }'), values)).toBeNull();
  });
});

describe('names of tools', () => {
  it('are accepted by every provider, each unique, and the same whatever else exists', () => {
    const long = 'x'.repeat(80);
    const tools = [
      { server: 'my server', tool: 'do/it' },
      { server: 'my_server', tool: 'do_it' },
      { server: 's', tool: long },
      { server: 's', tool: `${long}y` },
      { server: 'größe', tool: 'ü' },
      { server: 'größe', tool: 'ü' },
      { server: 'größe', tool: 'ü' },
    ];
    const names = toolNames(tools);
    expect(names[0]).toBe('mcp_my_server_do_it');
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(tools.length);
    expect(toolNames(tools.slice(2)).slice(0, 2)).toEqual(names.slice(2, 4));
  });
});

it('a schema that is nested too deeply for anybody to write is none', () => {
  const inputSchema: JsonValue = JSON.parse(`${'{"items":'.repeat(9000)}{}${'}'.repeat(9000)}`);
  expect(readListedTool({ name: 'a', inputSchema }).inputSchema).toBeNull();
});

describe('results', () => {
  const result = (
    content: Parameters<typeof resultOutput>[0]['content'],
    over: { readonly isError?: boolean; readonly structured?: string } = {},
  ) => resultOutput({ isError: over.isError ?? false, content, structured: over.structured ?? null }, null);

  it('are text, with images of the type that their bytes are, and the rest named', () => {
    expect(
      result([
        { kind: 'text', text: 'one' },
        { kind: 'image', mediaType: 'image/jpeg', dataBase64: 'iVBORw0KGgo=' },
        { kind: 'image', mediaType: 'image/tiff', dataBase64: 'AAAA' },
        { kind: 'audio', mediaType: 'audio/wav', dataBase64: 'AAAA' },
        { kind: 'resource', uri: 'file:///a', mediaType: null, text: 'content' },
        { kind: 'binary', uri: 'file:///b', mediaType: 'application/zip', dataBase64: 'AAAA' },
        { kind: 'link', uri: 'https://x', name: 'X', description: null },
      ]),
    ).toEqual({
      outcome: 'done',
      details: null,
      text: 'one\n[An image, image/png, 9 bytes]\n[An image, image/tiff, 3 bytes: its format cannot be passed on.]\n[Audio, audio/wav, 3 bytes: it cannot be passed on.]\n[file:///a]\ncontent\n[file:///b, application/zip, 3 bytes: it is not text.]\n[X: https://x]',
      images: [{ kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=' }],
    });
  });

  it('that are structured are reported once', () => {
    expect(result([{ kind: 'text', text: '{ "a": 1 }' }], { structured: '{"a":1}' }).text).toBe('{ "a": 1 }');
    expect(result([{ kind: 'text', text: 'whole' }], { structured: '{"content":"whole"}' }).text).toBe('whole');
    expect(result([], { structured: '{"a":1}' }).text).toBe('{"a":1}');
    expect(result([{ kind: 'text', text: 'see below' }], { structured: '{"a":1}' }).text).toBe('see below\n{"a":1}');
  });

  it('that are errors have failed; empty ones say so', () => {
    expect(result([{ kind: 'text', text: 'no such file' }], { isError: true })).toMatchObject({
      outcome: 'failed',
      text: 'no such file',
    });
    expect([result([]).text, result([], { isError: true }).text]).toEqual([
      'The tool returned nothing.',
      'The tool failed and did not say why.',
    ]);
  });
});
