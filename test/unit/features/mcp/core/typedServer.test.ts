import { describe, expect, it } from 'vitest';
import { readServerFile, readServerSetting } from '../../../../../src/features/mcp/core/serverFile';
import { fileWithServer, type Insertion, settingWithServer } from '../../../../../src/features/mcp/host/serverDrafts';
import { proposedName, typedServer } from '../../../../../src/features/mcp/core/typedServer';

describe('a typed MCP server', () => {
  it.each([
    [
      'npx -y @modelcontextprotocol/server-memory',
      { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
    ],
    [
      '  "/opt/my server/run" --name \'a "b"\' "it\\"s" x\\ y ',
      { command: '/opt/my server/run', args: ['--name', 'a "b"', 'it"s', 'x y'] },
    ],
    ['C:\\tools\\mcp.exe --dir C:\\work', { command: 'C:\\tools\\mcp.exe', args: ['--dir', 'C:\\work'] }],
    ['A=1 B="two words" uvx pkg X=3', { command: 'uvx', args: ['pkg', 'X=3'], env: { A: '1', B: 'two words' } }],
    ["node server.js ''", { command: 'node', args: ['server.js', ''] }],
    ["node server.js '|' 'a;'", { command: 'node', args: ['server.js', '|', 'a;'] }],
  ])('runs the command of %j', (text, entry) => {
    expect(typedServer(text)).toEqual({ type: 'stdio', ...entry });
  });

  it('is reached at a web address', () => {
    expect(typedServer(' https://mcp.example.com/mcp?x=1 ')).toEqual({
      type: 'http',
      url: 'https://mcp.example.com/mcp?x=1',
    });
  });

  it.each([
    ['', 'empty'],
    ['A=1', 'empty'],
    ['npx "open', 'quote'],
    ["it's", 'quote'],
    ['cat x | node server.js', 'shell'],
    ['cd /x && node server.js', 'shell'],
    ['node a.js; node b.js', 'shell'],
    ['node a.js 2>/dev/null', 'shell'],
    ['https://', 'address'],
    ['https://a b', 'address'],
  ])('is not usable as %j (%s)', (text, problem) => {
    expect(typedServer(text)).toBe(problem);
  });

  it.each([
    ['npx -y @modelcontextprotocol/server-memory@1.2', 'memory'],
    ['uvx mcp-server-git', 'git'],
    ['docker run -i --rm ghcr.io/github/github-mcp-server:latest', 'github'],
    ['node ./tools/lint-mcp.mjs', 'lint'],
    ['/usr/local/bin/mcp', 'server'],
    ['node -e "serve(); exit()"', 'node'],
    ['node "./my tools/lint.mjs"', 'lint'],
    ['https://mcp.context7.com/mcp', 'context7'],
    ['http://127.0.0.1:3000/mcp', 'local'],
    ['http://localhost:3000/mcp', 'localhost'],
  ])('%j is named %s', (text, name) => {
    const entry = typedServer(text);
    expect(typeof entry === 'string' ? entry : proposedName(entry, [])).toBe(name);
  });

  it('gets a name that is free', () => {
    expect(proposedName({ type: 'http', url: 'https://x.example' }, ['x', 'x-2'])).toBe('x-3');
  });
});

function inserted<T>(insertion: Insertion<T>): T | 'taken' | 'unreadable' {
  return insertion.kind === 'inserted' ? insertion.value : insertion.kind;
}

describe('a new server', () => {
  const entry = { type: 'stdio', command: 'npx', args: ['-y', 'pkg'] } as const;
  const source = { kind: 'folder', folder: '/repo', file: '.vscode/mcp.json' } as const;

  it('is inserted into mcp.json, whose comments and other servers stay', () => {
    const before = '{\n\t// mine\n\t"servers": {\n\t\t"a": { "command": "a" }, // first\n\t},\n}\n';
    const after = inserted(fileWithServer(before, 'new', entry));
    const { servers, problems } = readServerFile(after, source, '.vscode/mcp.json');
    expect([after.includes('// mine'), after.includes('// first'), servers.map(({ name }) => name), problems]).toEqual([
      true,
      true,
      ['a', 'new'],
      [],
    ]);
  });

  it('begins a file that is missing, empty or without servers', () => {
    const read = (content: string) =>
      readServerFile(inserted(fileWithServer(content, 'new', entry)), source, '.vscode/mcp.json').servers.map(
        ({ name }) => name,
      );
    expect([read(''), read('{}'), read('{ "inputs": [] }')]).toEqual([['new'], ['new'], ['new']]);
  });

  it('replaces no other one, and is not inserted into a file that cannot be read', () => {
    const contents = ['{ "servers": { "new": 1 } }', '{ "servers": ', '[]', '{ "servers": 1 }'];
    expect(contents.map((content) => inserted(fileWithServer(content, 'new', entry)))).toEqual([
      'taken',
      'unreadable',
      'unreadable',
      'unreadable',
    ]);
  });

  it('is added to the setting in the shape that it has', () => {
    const values = [undefined, {}, { inputs: [] }, { a: { command: 'a' } }, { servers: { a: { command: 'a' } } }];
    expect([
      values.map((value) =>
        readServerSetting(inserted(settingWithServer(value, 'new', entry))).servers.map(({ name }) => name),
      ),
      [[], { servers: 1 }, { new: {} }, { servers: { new: {} } }].map((value) =>
        inserted(settingWithServer(value, 'new', entry)),
      ),
    ]).toEqual([
      [['new'], ['new'], ['new'], ['a', 'new'], ['a', 'new']],
      ['unreadable', 'unreadable', 'taken', 'taken'],
    ]);
  });
});
