import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import type { McpLaunch } from '../../../../../src/features/mcp/core/mcpConnection';
import { fittedSchema } from '../../../../../src/models/http/toolSchema';
import { isAlive, nodeLaunch, planFor, realServers, runTool, type ServersInTest, until } from './servers';

const program = fileURLToPath(new URL('../../../../mcp/scriptedServer.mjs', import.meta.url));
const entrySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({
    method: v.optional(v.string()),
    child: v.optional(v.number()),
    started: v.optional(v.number()),
    environment: v.optional(v.record(v.string(), v.string())),
  }),
);

let world: ServersInTest | null = null;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-mcp-'));
});
afterEach(async () => {
  await world?.close();
  world = null;
  rmSync(folder, { recursive: true, force: true });
});

function scripted(options: object = {}, env: Record<string, string> = {}): McpLaunch {
  return nodeLaunch(program, [], {
    SCRIPTED: JSON.stringify({ journal: join(folder, 'journal'), ...options }),
    ...env,
  });
}

function journal(): readonly v.InferOutput<typeof entrySchema>[] {
  return readFileSync(join(folder, 'journal'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => v.parse(entrySchema, line));
}

async function pidOf(world: ServersInTest): Promise<number> {
  return Number((await runTool(await world.tool('mcp_s_pid'), {})).text);
}

describe('a server that is lost', () => {
  it('in the middle of a call: the call has failed and may have run; a new process answers the next one', async () => {
    world = realServers([planFor('s', scripted())]);
    const pid = await pidOf(world);
    const hanging = runTool(await world.tool('mcp_s_hang'), {});
    await until(() => journal().filter(({ method }) => method === 'tools/call').length === 2, 'the call');
    process.kill(pid, 'SIGKILL');
    expect(await hanging).toEqual({
      outcome: 'failed',
      text: 'The MCP server "s" gave no result for hang. The program ended by SIGKILL. The call may have run: check before you repeat it.',
      details: { server: 's', tool: 'hang' },
    });
    // Its tools stay in the set meanwhile.
    expect((await world.servers.tools(new AbortController().signal)).map(({ name }) => name)).toContain('mcp_s_pid');
    const next = await pidOf(world);
    expect(next).not.toBe(pid);
    expect(isAlive(next)).toBe(true);
  });

  it('because it ends during a call explains how', async () => {
    world = realServers([planFor('s', scripted())]);
    expect(await runTool(await world.tool('mcp_s_die'), {})).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining('with exit code 7'),
    });
    expect((await runTool(await world.tool('mcp_s_pid'), {})).outcome).toBe('done');
  });

  it('because it cannot be started has failed, with an explanation, and does not affect the others', async () => {
    const missing: McpLaunch = {
      kind: 'stdio',
      command: join(folder, 'nothing-here'),
      args: [],
      environment: {},
      folder: null,
      confined: null,
    };
    world = realServers([planFor('gone', missing), planFor('s', scripted())]);
    expect((await runTool(await world.tool('mcp_s_pid'), {})).outcome).toBe('done');
    expect(world.servers.find('gone')?.state).toMatchObject({
      kind: 'failed',
      again: false,
      sentence: expect.stringContaining('was not found'),
    });
  });

  it('because it ends before it is ready shows its last output, without its secrets', async () => {
    world = realServers([
      planFor('broken', nodeLaunch('-e', ['console.error("no database; password=hunter2hunter2"); process.exit(3)'])),
    ]);
    await world.servers.tools(new AbortController().signal);
    await until(() => world?.servers.find('broken')?.state.kind === 'waiting', 'the first try to fail');
    expect(world.servers.find('broken')?.state).toMatchObject({
      sentence: 'The program ended with exit code 3 before it was ready.',
    });
    expect(world.servers.find('broken')?.lastLines).toEqual(['no database; password=[secret]']);
    expect(world.lines.join('\n')).not.toContain('hunter2');
  });
});

describe('stopping', () => {
  it('a call notifies the server, which stays', async () => {
    world = realServers([planFor('s', scripted())]);
    const stop = new AbortController();
    const hanging = runTool(await world.tool('mcp_s_hang'), {}, stop.signal);
    hanging.catch(() => undefined);
    await until(() => journal().some(({ method }) => method === 'tools/call'), 'the call');
    stop.abort(new Error('stopped'));
    await expect(hanging).rejects.toThrow('stopped');
    await until(() => journal().some(({ method }) => method === 'notifications/cancelled'), 'the cancellation');
    expect((await runTool(await world.tool('mcp_s_pid'), {})).outcome).toBe('done');
  });

  it.skipIf(process.platform === 'win32')(
    'a server also ends its children and a process that ignores requests to end',
    async () => {
      world = realServers([planFor('s', scripted({ child: true, stubborn: true }))]);
      const pid = await pidOf(world);
      const child = journal().find((entry) => entry.child !== undefined)?.child ?? 0;
      expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
      await world.servers.find('s')?.stop(true);
      await until(() => !isAlive(pid) && !isAlive(child), 'both to end');
      // Stopped by the person: the next turn does not start it.
      expect(await world.servers.tools(new AbortController().signal)).toEqual([]);
    },
  );

  it.skipIf(process.platform === 'win32')('a window that closes at once leaves nothing behind', async () => {
    world = realServers([planFor('s', scripted({ child: true, stubborn: true }))]);
    const pid = await pidOf(world);
    const child = journal().find((entry) => entry.child !== undefined)?.child ?? 0;
    world.dispose();
    await until(() => !isAlive(pid) && !isAlive(child), 'both to end');
  });

  it('a changed definition replaces its server, others stay', async () => {
    const same = planFor('same', scripted());
    world = realServers([planFor('s', scripted()), same]);
    const [before, kept] = [await pidOf(world), Number((await runTool(await world.tool('mcp_same_pid'), {})).text)];
    world.servers.use([planFor('s', scripted(), 'two'), same]);
    const after = await pidOf(world);
    expect(after).not.toBe(before);
    expect((await runTool(await world.tool('mcp_same_pid'), {})).text).toBe(String(kept));
    await until(() => !isAlive(before), 'the old one to end');
  });
});

describe('tools', () => {
  it('come in pages, two hundred of them, each once and in order', async () => {
    world = realServers([planFor('s', scripted({ tools: 200 }))]);
    const names = (await world.tools()).map(({ name }) => name);
    expect(names.length).toBe(208);
    expect(new Set(names).size).toBe(208);
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect((await runTool(await world.tool('mcp_s_tool_199'), {})).text).toBe('tool_199 ran');
  });

  it('whose names collide are renamed, and each calls its own', async () => {
    world = realServers([planFor('s', scripted())]);
    const colliding = (await world.tools()).filter(({ name }) => name.startsWith('mcp_s_a'));
    expect((await Promise.all(colliding.map((tool) => runTool(tool, {})))).map(({ text }) => text).sort()).toEqual([
      'a b ran',
      'a.b ran',
      'a_b ran',
    ]);
  });

  it('that appear later are offered to the next turn', async () => {
    world = realServers([planFor('s', scripted())]);
    await runTool(await world.tool('mcp_s_more'), {});
    await until(
      () => world?.servers.find('s')?.tools.some(({ name }) => name === 'newcomer') === true,
      'the list to be read again',
    );
    expect((await world.servers.tools(new AbortController().signal)).map(({ name }) => name)).toContain(
      'mcp_s_newcomer',
    );
  });

  it('ask with their arguments; a result that is too long is cut and says so', async () => {
    world = realServers([planFor('s', scripted())]);
    const bound = (await world.tool('mcp_s_pid')).bind({ path: '/etc' });
    if (bound.kind !== 'ready') throw new Error('invalid');
    expect(await bound.asks?.(new AbortController().signal)).toEqual({
      access: { kind: 'mcp', server: 's', tool: 'pid', readOnly: true },
      preview: '```json\n{\n  "path": "/etc"\n}\n```',
    });
    const { text } = await runTool(await world.tool('mcp_s_huge'), {});
    expect(text.length).toBeLessThan(100_300);
    expect(text).toContain('[The result has 300000 characters; the first 100000 are shown.');
  });
});

describe('what a server answers is read piece by piece', () => {
  const object = { type: 'object', properties: {} };
  const oddTools = [
    { name: 'none' },
    { name: 'empty', inputSchema: {} },
    { name: 'nulls', title: null, description: null, annotations: null, outputSchema: null, inputSchema: object },
    { name: 'parts', inputSchema: { type: 'object', properties: null, required: null } },
    { name: 'words', description: 7, annotations: 'none', inputSchema: object },
    { name: 'schema', inputSchema: object, outputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } } },
    { name: 'sound', inputSchema: object },
    { name: 'sound', inputSchema: object },
    { name: 'sound', inputSchema: object },
    { name: 'maybe', inputSchema: { type: ['object', 'null'], properties: {} } },
  ];

  it('a list: one odd tool hides no other, and one that cannot be offered is named', async () => {
    const left = [
      { name: 'text', inputSchema: { type: 'string' } },
      { name: 'list', inputSchema: [] },
    ];
    const unnamed = [{ inputSchema: object }, null, 'tool', { name: 5, inputSchema: object }];
    world = realServers([planFor('s', scripted({ odd: { tools: [...unnamed, ...oddTools, ...left], results: {} } }))]);
    const offered = (await world.tools()).map(({ name }) => name);
    for (const { name } of oddTools) expect(offered).toContain(`mcp_s_${name}`);
    expect(offered.filter((name) => /text|list/.test(name))).toEqual([]);
    expect(new Set(offered).size).toBe(offered.length);
  });

  it.each([
    [
      'a piece of an unknown form',
      {
        content: [
          { type: 'video', url: 'x' },
          { type: 'text', text: 'Sunny.' },
        ],
      },
      'Sunny.',
    ],
    ['a piece that is a word', { content: ['Sunny.', { type: 'text', text: 'And warm.' }] }, 'Sunny.\nAnd warm.'],
    ['a text that is an object', { content: [{ type: 'text', text: { sky: 'blue' } }] }, '{"sky":"blue"}'],
    ['content that is a word', { content: 'Sunny.' }, 'Sunny.'],
    ['content that is one piece', { content: { type: 'text', text: 'Sunny.' } }, 'Sunny.'],
    ['no content but other fields', { sky: 'blue', degrees: 20 }, '{"sky":"blue","degrees":20}'],
    ['a structure that does not fit the schema of the tool', { content: [], structuredContent: { a: 5 } }, '{"a":5}'],
    ['a structure that is missing', { content: [{ type: 'text', text: 'Sent.' }] }, 'Sent.'],
    ['a structure that is a list', { content: [], structuredContent: [1, 2] }, '[1,2]'],
    [
      'an image without data',
      { content: [{ type: 'image', mimeType: 'image/png' }] },
      '{"type":"image","mimeType":"image/png"}',
    ],
    ['a resource without a text', { content: [{ type: 'resource', resource: { uri: 'a:b' } }] }, '"a:b"'],
    ['nothing', {}, 'The tool returned nothing.'],
  ])('a result: %s', async (_what, result, expected) => {
    const schema = {
      name: 'odd',
      inputSchema: object,
      outputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    };
    world = realServers([planFor('s', scripted({ odd: { tools: [schema], results: { odd: result } } }))]);
    const { outcome, text } = await runTool(await world.tool('mcp_s_odd'), {});
    expect([outcome, text.includes(expected)]).toEqual(['done', true]);
  });

  it.each([
    [-32601, 'Method not found', false],
    [-32602, 'Unknown tool: odd', false],
    [-32602, 'Output validation error: structured content does not match', true],
    [-32602, 'Tool odd has an output schema but did not return structured content', true],
    [-32603, 'Internal error', true],
    [-32000, 'Server error', true],
    [1, 'Mail was sent, but the log failed', true],
  ])('an error with code %i: %s', async (code, message, mayHaveRun) => {
    const tools = [{ name: 'odd', inputSchema: object }];
    world = realServers([planFor('s', scripted({ odd: { tools, results: { odd: { error: { code, message } } } } }))]);
    const { text } = await runTool(await world.tool('mcp_s_odd'), {});
    expect(text.includes('did not run')).toBe(!mayHaveRun);
  });

  it('a schema: a tool that names its parameters by a reference keeps them', async () => {
    const properties = { city: { type: 'string' } };
    const inputSchema = { $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties } } };
    const tools = [{ name: 'odd', inputSchema }];
    world = realServers([planFor('s', scripted({ odd: { tools, results: {} } }))]);
    expect(fittedSchema((await world.tool('mcp_s_odd')).parameters, 'valid').schema).toMatchObject({ properties });
  });

  it.each([
    ['behind a byte order mark', { mark: true }],
    ['with ids that are text', { textIds: true }],
  ])('also %s', async (_what, options) => {
    world = realServers([planFor('s', scripted(options))]);
    expect(await pidOf(world)).toBeGreaterThan(1);
  });
});

it('a server gets the environment without credentials of the editor', async () => {
  process.env.HERMES_TEST_TOKEN = 'x';
  process.env.VSCODE_IPC_HOOK_TEST = 'x';
  process.env.OPENAI_API_KEY = 'sk-test';
  try {
    world = realServers([planFor('s', scripted({}, { GIVEN_TOKEN: 'given' }))]);
    await world.tools();
    const environment = journal()[0]?.environment ?? {};
    expect([environment.HERMES_TEST_TOKEN, environment.VSCODE_IPC_HOOK_TEST, environment.OPENAI_API_KEY]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([environment.GIVEN_TOKEN, environment.PATH]).toEqual(['given', process.env.PATH]);
  } finally {
    delete process.env.HERMES_TEST_TOKEN;
    delete process.env.VSCODE_IPC_HOOK_TEST;
    delete process.env.OPENAI_API_KEY;
  }
});

describe('the trial of a server', () => {
  it('counts its tools and leaves no process', async () => {
    world = realServers([]);
    const trial = await world.servers.trial(planFor('s', scripted()), new AbortController().signal);
    const pid = journal().find(({ started }) => started !== undefined)?.started ?? 0;
    expect([trial, pid > 0, world.servers.all]).toEqual([{ kind: 'works', tools: expect.any(Number) }, true, []]);
    await until(() => !isAlive(pid), 'the end of the process');
  });

  it('says why a server does not start, with its last words', async () => {
    world = realServers([]);
    const broken = nodeLaunch('-e', ['console.error("no such database"); process.exit(3)']);
    expect(await world.servers.trial(planFor('s', broken), new AbortController().signal)).toEqual({
      kind: 'failed',
      sentence: expect.stringContaining('3'),
      lines: ['no such database'],
    });
  });

  it('ends when it is canceled', async () => {
    world = realServers([]);
    const stop = new AbortController();
    const silent = nodeLaunch('-e', ['setInterval(() => undefined, 1000)']);
    const trial = world.servers.trial(planFor('s', silent), stop.signal);
    stop.abort();
    await expect(trial).rejects.toThrow();
  });
});
