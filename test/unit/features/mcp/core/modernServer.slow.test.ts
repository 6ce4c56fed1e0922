import { afterEach, beforeEach, expect, it } from 'vitest';
import { ModernServer } from '../../../../support/mcp/modernServer';
import { planFor, realServers, runTool, type ServersInTest, until } from './servers';

let server: ModernServer;
let world: ServersInTest;
beforeEach(async () => {
  server = await new ModernServer().start();
  world = realServers([planFor('new', { kind: 'http', url: server.url, headers: {} })]);
});
afterEach(async () => {
  await world.close();
  await server.stop();
});
const names = async (): Promise<readonly string[]> => (await world.tools()).map(({ name }) => name);

it('of the revision without a handshake is listed and called, and gets no ping and no roots', async () => {
  const call = await runTool(await world.tool('mcp_new_pid'), {});
  world.servers.rootsChanged();
  server.endStreams();
  await until(() => server.got.filter((method) => method === 'subscriptions/listen').length === 2, 'a new stream');
  const foreign = server.got.filter((method) => !/^(?:server|tools|subscriptions|prompts|resources)\//.test(method));
  expect([call.text, foreign]).toEqual(['"pid"', []]);
});

it('reports other tools, also when its stream of changes had ended', async () => {
  await names();
  server.changeTools(['pid', 'second']);
  await until(() => world.servers.find('new')?.tools.length === 2, 'the change');
  server.endStreams();
  server.tools = ['third'];
  await until(() => world.servers.find('new')?.tools.length === 1, 'the change while nothing was heard');
  expect(await names()).toEqual(['mcp_new_third']);
});

it('that is gone in the middle of a call is noticed without a ping, and the call may have run', async () => {
  const hanging = runTool(await world.tool('mcp_new_hang'), {});
  await until(() => server.got.includes('tools/call'), 'the call');
  await server.stop();
  expect((await hanging).text).toContain('The call may have run');
  await server.start();
  expect((await runTool(await world.tool('mcp_new_pid'), {})).text).toBe('"pid"');
});
