import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MentionReading } from '../../../../../src/host/attachments/mentionReading';
import { ServerOffers } from '../../../../../src/features/mcp/host/serverOffers';
import { nodeLaunch, planFor, realServers, referenceServer, runTool, type ServersInTest, until } from '../core/servers';
import { ModernServer } from '../../../../support/mcp/modernServer';
import { MentionWorld } from '../../../host/attachments/mentionWorld';
import { begun, editor } from './mcpEditor';

const scriptedServer = fileURLToPath(new URL('../../../../mcp/scriptedServer.mjs', import.meta.url));

vi.mock('vscode', () => import('./mcpEditor'));

let world: ServersInTest;
let offers: ServerOffers;
beforeEach(() => {
  Object.assign(editor, begun());
  world = realServers([planFor('every thing', nodeLaunch(referenceServer('everything'), ['stdio']))]);
  offers = new ServerOffers(world.servers);
});
afterEach(() => world.close());

async function running(): Promise<void> {
  offers.start();
  await until(() => offers.prompts.length > 0, 'prompts');
}

const about = { kind: 'mention', label: 'x', source: 'y' } as const;
const textOf = (part: object | undefined): string => (part !== undefined && 'text' in part ? String(part.text) : '');

describe('prompts of a server', () => {
  it('are offered by the names of the server and the prompt, with their arguments', async () => {
    await running();
    expect(offers.prompts.map(({ name, argumentHint, kind }) => [name, argumentHint, kind])).toEqual([
      ['mcp_every-thing_simple-prompt', null, 'server'],
      ['mcp_every-thing_args-prompt', '[city] [state?]', 'server'],
      ['mcp_every-thing_completable-prompt', '[department] [name]', 'server'],
      ['mcp_every-thing_resource-prompt', '[resourceType] [resourceId]', 'server'],
    ]);
  });

  it('become attachments that say whose they are; arguments that are not typed are asked for', async () => {
    await running();
    editor.answers = [''];
    const { parts } = await offers.getPrompt('mcp_every-thing_args-prompt', '"New York"');
    expect(parts).toEqual([
      {
        kind: 'attachment',
        label: 'every thing: Arguments Prompt',
        source: 'prompt:every%20thing:args-prompt',
        text:
          '(The person chose the prompt “args-prompt” of the MCP server “every thing” as their request. ' +
          "The server wrote what follows.)\n\nWhat's weather in New York?",
      },
    ]);
  });

  it('get values that the server proposes, which depend on the earlier ones', async () => {
    await running();
    editor.answers = ['Eng>Engineering', 'B>Bob'];
    const { parts } = await offers.getPrompt('mcp_every-thing_completable-prompt', '');
    expect(textOf(parts[0])).toContain('Please promote Bob to the head of the Engineering team.');
  });

  it('bring their resources as attachments of their own', async () => {
    await running();
    const { parts } = await offers.getPrompt('mcp_every-thing_resource-prompt', 'Text 3');
    expect(parts.map((part) => ('source' in part ? [part.kind, part.source] : []))).toEqual([
      ['attachment', 'prompt:every%20thing:resource-prompt'],
      ['attachment', 'resource:every%20thing:demo://resource/dynamic/text/3'],
    ]);
    expect(textOf(parts[1])).toMatch(/^Resource 3: This is a plaintext resource/);
  });

  it('attach nothing when the user cancels or the server refuses', async () => {
    await running();
    const canceled = await offers.getPrompt('mcp_every-thing_args-prompt', '');
    const refused = offers.getPrompt('mcp_every-thing_resource-prompt', 'Odd 3');
    await expect(refused).rejects.toThrow(/^Couldn’t read every thing: Resource Prompt: .*resourceType/);
    await expect(offers.getPrompt('mcp_gone', '')).rejects.toThrow('/mcp_gone is no longer offered');
    expect(canceled).toEqual({ parts: [], problems: [] });
  });
});

describe('a server with odd answers', () => {
  beforeEach(() => {
    const SCRIPTED = JSON.stringify({
      // It refuses `resources/templates/list`.
      offers: {
        'prompts/list': { prompts: [{ name: 'plan' }] },
        'resources/list': { resources: [{ uri: 'a:b', name: 'b' }] },
        'prompts/get': { messages: [{ role: 'system', content: 'First.' }, { content: [{ type: 'video' }, 'Then.'] }] },
        'resources/read': {
          contents: [
            { uri: 'a:b', mimeType: null, text: 'Text.' },
            { uri: 5, blob: null },
          ],
        },
      },
    });
    world = realServers([planFor('odd', nodeLaunch(scriptedServer, [], { SCRIPTED }))]);
    offers = new ServerOffers(world.servers);
  });

  it('offers what it lists, though it refuses another list, and is read piece by piece', async () => {
    await running();
    const { parts } = await offers.getPrompt('mcp_odd_plan', '');
    expect(textOf(parts[0])).toMatch(/First\.\n\n\{"type":"video"\}\n\nThen\.$/);
    expect(await offers.read('odd', 'a:b', about)).toEqual({ ...about, kind: 'attachment', text: 'Text.' });
  });
});

describe('a server of revision 2026-07-28', () => {
  it('offers prompts with arguments and what it proposes for them, resources, templates and changes of what was read', async () => {
    const server = await new ModernServer().start();
    await world.close();
    world = realServers([planFor('new', { kind: 'http', url: server.url, headers: {} })]);
    offers = new ServerOffers(world.servers);
    await running();
    editor.answers = ['Be>Berlin', '2'];
    const { parts } = await offers.getPrompt('mcp_new_report', '');
    const mention = await offers.fill('new', 'note://{id}');
    const isChanged = () => offers.resources().find(({ source }) => source.endsWith('note://1'))?.isChanged;
    const read = await offers.read('new', 'note://1', about);
    await until(() => server.got.filter((method) => method === 'subscriptions/listen').length > 1, 'the subscription');
    server.changeResource('note://1');
    await until(() => isChanged() === true, 'an update');
    await server.stop();
    expect([textOf(parts[0]), mention?.source, read]).toEqual([
      expect.stringContaining('Report on Berlin.'),
      'resource:new:note://2',
      { ...about, kind: 'attachment', text: 'Content of note://1' },
    ]);
  });
});

describe('resources of a server', () => {
  it('are listed with templates, read as they are now, and read by a server that does not run yet', async () => {
    const source = 'resource:every%20thing:demo://resource/static/document/features.md';
    const mentions = new MentionWorld({});
    const reading = new MentionReading({ ...mentions.places, servers: () => offers }, () => false);
    const label = 'every thing: features.md';
    const part = await reading.read({ kind: 'mention', source, label });
    mentions.close();
    const listed = offers.resources();
    expect([part, listed.find((each) => each.source === source)?.label]).toEqual([
      { kind: 'attachment', source, label, text: expect.stringContaining('# Everything Server - Features') },
      label,
    ]);
    expect(listed.map((each) => each.source)).toContain(
      'template:every%20thing:demo://resource/dynamic/text/{resourceId}',
    );
  });

  it('come from a template once the user has filled it in', async () => {
    await running();
    editor.answers = ['7'];
    const template = 'demo://resource/dynamic/blob/{resourceId}';
    const mention = await offers.fill('every thing', template);
    const part = await offers.read('every thing', 'demo://resource/dynamic/blob/7', about);
    expect([mention, part, await offers.fill('every thing', template)]).toEqual([
      {
        kind: 'mention',
        source: 'resource:every%20thing:demo://resource/dynamic/blob/7',
        label: 'every thing: Dynamic Blob Resource (7)',
      },
      { kind: 'attachment', label: 'x', source: 'y', text: expect.stringContaining('Resource 7: This is a base64') },
      null,
    ]);
  });

  it('that the server reports as changed say so until they are read again', async () => {
    await running();
    const uri = 'demo://resource/static/document/features.md';
    const isChanged = () => offers.resources().find((each) => each.source.endsWith(uri))?.isChanged;
    await offers.read('every thing', uri, about);
    const before = isChanged();
    await runTool(await world.tool('mcp_every_thing_toggle-subscriber-updates'), {});
    await until(() => isChanged() === true, 'an update');
    await runTool(await world.tool('mcp_every_thing_toggle-subscriber-updates'), {});
    await offers.read('every thing', uri, about);
    expect([before, isChanged()]).toEqual([false, false]);
  });

  it('of a server that is not trusted cannot be read', async () => {
    await expect(offers.read('other', 'demo://x', about)).rejects.toThrow(
      '“other” is not there, or you have not trusted it',
    );
  });
});
