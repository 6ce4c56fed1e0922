import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { McpHost } from '../../../../../src/features/mcp/host/mcpHost';
import { manageServers } from '../../../../../src/features/mcp/host/manageServers';
import { editor, extensions } from './mcpEditor';
import { file, kept, machine, open, started } from './mcpWorld';

vi.mock('vscode', () => import('./mcpEditor'));

let host: McpHost;
beforeEach(() => {
  machine.sandbox = { kind: 'missing', reason: 'no sandbox here', remedy: 'None.' };
  host = open();
});

/** Runs Manage MCP Servers… with these answers. */
async function manage(...answers: readonly (string | undefined)[]): Promise<void> {
  editor.answers = [...answers];
  await manageServers(host);
  expect(editor.answers).toEqual([]);
}

const commandLines = (): readonly string[] =>
  started().map(({ command = '', args = [] }) => [command, ...args].join(' '));

const server = 'npx -y @modelcontextprotocol/server-memory';

describe('Manage MCP Servers… without a server', () => {
  it('offers to add one, and opens the places where it could be written', async () => {
    await manage(undefined);
    await manage('Open mcp.json');
    await manage('Open Settings');
    expect([editor.shown, JSON.parse(readFileSync(file(), 'utf8'))]).toEqual([
      [
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings',
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings',
        `opened ${file()}`,
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings',
        'workbench.action.openSettings hermes.mcp.servers',
      ],
      { servers: {} },
    ]);
  });

  it('switches the tools of an extension on, and shows the list again', async () => {
    extensions.all = [
      { id: 'Acme.jupyter', packageJSON: { contributes: { languageModelTools: [{ name: 'cells' }] } } },
    ];
    await manage('Acme.jupyter', undefined);
    extensions.all = [];
    expect([
      kept.get('choice.editorTools'),
      editor.shown,
      editor.lists.map((rows) => rows.at(-1)?.description),
    ]).toEqual([
      ['acme.jupyter'],
      [
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings, Acme.jupyter',
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings, Acme.jupyter',
      ],
      ['Off', undefined],
    ]);
  });

  it('offers nothing in Restricted Mode', async () => {
    editor.isTrusted = false;
    await manage();
    expect(editor.shown).toEqual(['This window is in Restricted Mode, so MCP servers don’t run.']);
  });
});

describe('Add Server…', () => {
  it('asks for trust, tests the server, and only then writes it into the folder', async () => {
    await manage('Add Server…', server, 'default', 'This Folder', 'Trust and Start');
    expect([editor.shown, commandLines(), JSON.parse(readFileSync(file(), 'utf8'))]).toEqual([
      [
        'MCP Servers: Add Server…, Add Well-Known Server…, Open mcp.json, Open Settings',
        'Command that starts the server, or its web address []',
        'A name for this server [memory]',
        'Add MCP Server: This Folder, All Folders',
        '! Trust the MCP server “memory”? | It runs this program on your machine:  npx -y ' +
          '@modelcontextprotocol/server-memory  Not in the sandbox: no sandbox here. Runs with your ' +
          'permissions. None.  Defined in .vscode/mcp.json. Hermes asks again if the definition changes. | ' +
          'Trust and Start',
        'The MCP server “memory” works and was saved. It offers 1 tool.',
      ],
      [server],
      { servers: { memory: { type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } } },
    ]);
    expect(host.all.map(({ isTrusted, definition }) => [definition.name, isTrusted])).toEqual([['memory', true]]);
    const tools = await host.tools(new AbortController().signal);
    expect(tools.map(({ name }) => name)).toEqual(['mcp_memory_x']);
  });

  it('starts and writes nothing that the user does not trust', async () => {
    await manage('Add Server…', server, 'default', 'This Folder', undefined);
    expect([existsSync(file()), kept.size, editor.setting]).toEqual([false, 0, undefined]);
    expect(started()).toEqual([]);
  });

  it('writes a server for all folders into the settings of the user, without a question of trust', async () => {
    editor.setting = { mine: { command: 'mine' } };
    await manage('Add Server…', 'https://mcp.example.com/mcp', 'docs', 'All Folders');
    expect([editor.setting, editor.shown.slice(-2), host.all.map(({ definition }) => definition.name)]).toEqual([
      { mine: { command: 'mine' }, docs: { type: 'http', url: 'https://mcp.example.com/mcp' } },
      ['wrote hermes.mcp.servers 1', 'The MCP server “docs” works and was saved. It offers 1 tool.'],
      ['mine', 'docs'],
    ]);
  });

  it('says why a server does not start: it can be corrected, saved anyway, or left', async () => {
    editor.folder = null;
    const failed =
      '! The MCP server “broken” didn’t start. The program ended with code 1. | no such package ' +
      'Nothing was saved. | Save Anyway, Edit';
    await manage('Add Server…', 'npx broken', 'default', undefined);
    const left = [editor.shown.at(-1), editor.setting];
    editor.shown = [];
    await manage('Add Server…', 'npx broken', 'default', 'Edit', 'npx better', 'better');
    const edited = [[...editor.shown], editor.setting];
    await manage('Add Server…', 'npx broken', 'default', 'Save Anyway');
    expect([left, edited, editor.shown.at(-1), editor.setting]).toEqual([
      [failed, undefined],
      [
        [
          'MCP Servers: Add Server…, Add Well-Known Server…, Open Settings',
          'Command that starts the server, or its web address []',
          'A name for this server [broken]',
          failed,
          'Command that starts the server, or its web address [npx broken]',
          'A name for this server [broken]',
          'wrote hermes.mcp.servers 1',
          'The MCP server “better” works and was saved. It offers 1 tool.',
        ],
        { servers: { better: { type: 'stdio', command: 'npx', args: ['better'] } } },
      ],
      'The MCP server “broken” was saved. It isn’t running.',
      {
        servers: {
          better: { type: 'stdio', command: 'npx', args: ['better'] },
          broken: { type: 'stdio', command: 'npx', args: ['broken'] },
        },
      },
    ]);
  });

  it('keeps the place that it cannot write as it is, and says what to do', async () => {
    const unusable = async (content: string, isDirty = false): Promise<string | undefined> => {
      writeFileSync(file(), content);
      editor.isDirty = isDirty;
      await manage('Add Server…', server, 'new', 'This Folder', undefined);
      expect(readFileSync(file(), 'utf8')).toBe(content);
      return editor.shown.at(-1);
    };
    expect([
      await unusable('{ "servers": '),
      await unusable('{ "servers": { "new": { "type": "other" } } }'),
      await unusable('{}', true),
      started(),
    ]).toEqual([
      '! .vscode/mcp.json can’t be read. Correct it, then add the server again. | Nothing was saved. | Edit',
      '! .vscode/mcp.json already has an MCP server “new”. Choose another name. | Nothing was saved. | Edit',
      '! .vscode/mcp.json has unsaved changes. Save it, then add the server again. | Nothing was saved. | Edit',
      [],
    ]);
  });

  it('adds the server to the content that the file has when it is saved', async () => {
    writeFileSync(file(), '{ "servers": {} }');
    editor.meanwhile = () => writeFileSync(file(), '{ "servers": { "mine": { "command": "mine" } } } // edited');
    await manage('Add Server…', server, 'new', 'This Folder', 'Trust and Start');
    expect(readFileSync(file(), 'utf8')).toMatch(/"mine": \{\s+"command": "mine"\s+\}[^]*"new"[^]*\/\/ edited$/);
  });

  it('does not overwrite a server that was written meanwhile under the same name', async () => {
    const written = '{ "servers": { "new": { "command": "mine" } } }';
    editor.meanwhile = () => writeFileSync(file(), written);
    await manage('Add Server…', server, 'new', 'This Folder', 'Trust and Start', undefined);
    expect([readFileSync(file(), 'utf8'), editor.shown.at(-1), kept.get('mcp.trusted') ?? {}]).toEqual([
      written,
      '! .vscode/mcp.json already has an MCP server “new”. Choose another name. | Nothing was saved. | Edit',
      {},
    ]);
  });

  it('does not take a file that it can’t read for a missing one', async () => {
    mkdirSync(file());
    await manage('Add Server…', server, 'new', 'This Folder', undefined);
    expect([editor.shown.at(-1), started()]).toEqual([
      '! .vscode/mcp.json can’t be read: .vscode/mcp.json is not a file, so it can’t be read. | Nothing was saved. | Edit',
      [],
    ]);
  });

  it.each([
    ['a | b', 'Enter a single command. Pipes, redirections, and && aren’t supported.'],
    ['"a', 'A quote isn’t closed.'],
    ['', 'Enter a command or a web address.'],
    ['https://', 'Enter a full web address that begins with http:// or https://.'],
  ])('does not take %j', async (text, problem) => {
    await manage('Add Server…', text);
    expect(editor.shown.at(-1)).toBe(`Command that starts the server, or its web address [] refused: ${problem}`);
  });
});

it('a well-known server is added like any other, with its address filled in', async () => {
  await manage('Add Well-Known Server…', 'DeepWiki', 'default', 'docs', 'All Folders');
  expect([editor.setting, editor.lists.flat().find(({ label }) => label === 'Linear')?.description]).toEqual([
    { servers: { docs: { type: 'http', url: 'https://mcp.deepwiki.com/mcp' } } },
    'needs a sign-in in your browser',
  ]);
});
