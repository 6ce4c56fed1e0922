import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeLaunch, planFor, realServers, referenceServer, runTool, type ServersInTest, until } from './servers';

let world: ServersInTest | null = null;
let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-mcp-')));
});
afterEach(async () => {
  await world?.close();
  world = null;
  rmSync(folder, { recursive: true, force: true });
});

describe('server-everything over stdio', () => {
  it('lists its tools, always in the same order', async () => {
    world = realServers([planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio']))]);
    const names = (await world.tools()).map(({ name }) => name);
    expect(names).toContain('mcp_everything_echo');
    expect(names.length).toBeGreaterThanOrEqual(10);
    expect(names).toEqual([...names].sort());
    expect((await world.tools()).map(({ name }) => name)).toEqual(names);
  });

  it('answers a call with text', async () => {
    world = realServers([planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio']))]);
    expect(await runTool(await world.tool('mcp_everything_echo'), { message: 'hello' })).toEqual({
      outcome: 'done',
      text: 'Echo: hello',
      details: { server: 'everything', tool: 'echo' },
    });
    expect(await runTool(await world.tool('mcp_everything_get-sum'), { a: 2, b: 40 })).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('42'),
    });
  });

  it('returns an image', async () => {
    world = realServers([planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio']))]);
    const output = await runTool(await world.tool('mcp_everything_get-tiny-image'), {});
    expect(output.images).toEqual([
      { kind: 'image', mediaType: 'image/png', dataBase64: expect.stringMatching(/^iVBOR/) },
    ]);
  });

  it("reports the server's refusal", async () => {
    world = realServers([planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio']))]);
    const output = await runTool(await world.tool('mcp_everything_get-sum'), { a: 'two' });
    expect(output.outcome).toBe('failed');
    expect(output.text).toMatch(/number/i);
  });

  it('reports progress, and works normally after a cancelled call', async () => {
    world = realServers([planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio']))]);
    const stop = new AbortController();
    const notes: unknown[] = [];
    const tool = await world.tool('mcp_everything_trigger-long-running-operation');
    const running = runTool(tool, { duration: 60, steps: 300 }, stop.signal, {
      report: (progress) => notes.push(progress),
    });
    running.catch(() => undefined);
    await until(() => notes.length > 0, 'progress');
    stop.abort(new Error('stopped by the person'));
    await expect(running).rejects.toThrow('stopped by the person');
    expect(notes[0]).toMatchObject({ kind: 'note' });
    expect(await runTool(await world.tool('mcp_everything_echo'), { message: 'still here' })).toMatchObject({
      outcome: 'done',
    });
  });
});

describe('server-filesystem over stdio', () => {
  it('lists and reads its given folder', async () => {
    writeFileSync(join(folder, 'a.txt'), 'alpha\n');
    world = realServers(
      [planFor('files', nodeLaunch(referenceServer('filesystem'), [folder]))],
      [{ uri: `file://${folder}`, name: 'folder' }],
    );
    expect(await runTool(await world.tool('mcp_files_list_directory'), { path: folder })).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('a.txt'),
    });
    expect(await runTool(await world.tool('mcp_files_read_text_file'), { path: join(folder, 'a.txt') })).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('alpha'),
    });
    expect(await runTool(await world.tool('mcp_files_read_text_file'), { path: '/etc/passwd' })).toMatchObject({
      outcome: 'failed',
    });
  });
});

describe('server-memory over stdio', () => {
  it('keeps the data it receives', async () => {
    const file = join(folder, 'memory.jsonl');
    world = realServers([planFor('memory', nodeLaunch(referenceServer('memory'), [], { MEMORY_FILE_PATH: file }))]);
    const entities = [{ name: 'upload', entityType: 'test', observations: ['fails on CI only'] }];
    expect(await runTool(await world.tool('mcp_memory_create_entities'), { entities })).toMatchObject({
      outcome: 'done',
    });
    expect(await runTool(await world.tool('mcp_memory_search_nodes'), { query: 'upload' })).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('fails on CI only'),
    });
    expect(readFileSync(file, 'utf8')).toContain('fails on CI only');
  });
});

it('three servers at once offer their tools side by side', async () => {
  world = realServers([
    planFor('everything', nodeLaunch(referenceServer('everything'), ['stdio'])),
    planFor('files', nodeLaunch(referenceServer('filesystem'), [folder])),
    planFor('memory', nodeLaunch(referenceServer('memory'), [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') })),
  ]);
  const servers = new Set((await world.tools()).map(({ name }) => name.split('_')[1]));
  expect([...servers]).toEqual(['everything', 'files', 'memory']);
});
