import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import type { ApprovalPolicy, AskedCall } from '../../../../../src/tools/approval/approvalPolicy';
import { reply } from '../../../../support/modelServer';
import { World } from '../../../../support/world';
import { nodeLaunch, planFor, realServers, referenceServer, type ServersInTest } from './servers';

const program = fileURLToPath(new URL('../../../../mcp/scriptedServer.mjs', import.meta.url));

let world: World | null = null;
let servers: ServersInTest | null = null;
afterEach(async () => {
  await world?.close();
  await servers?.close();
});

/** Allows everything, and writes down what it was asked. */
function allowing(asked: AskedCall[]): ApprovalPolicy {
  return { judge: (call) => (asked.push(call), { kind: 'allow' }), remember: async () => undefined };
}

it('a turn reads a file through a real server: the call is judged, row and result are stored, the answer continues', async () => {
  const asked: AskedCall[] = [];
  const own = (servers = realServers([]));
  const created = (world = await World.create({ approvals: allowing(asked), moreTools: () => own.tools() }));
  writeFileSync(join(created.folder, 'note.txt'), 'remember the milk');
  own.servers.use([planFor('files', nodeLaunch(referenceServer('filesystem'), [created.folder]))]);
  const path = join(created.folder, 'note.txt');
  created.server.script(
    reply().says('I look.').calls('mcp_files_read_text_file', { path }, { id: 'a' }),
    reply().says('Milk.'),
  );
  const { sessionId } = await created.ask(created.surface(), 'What is in note.txt?');
  expect(await created.lines(sessionId)).toEqual([
    'user: What is in note.txt?',
    `assistant: I look. [mcp_files_read_text_file {"path":"${path}"}]`,
    'tool: done: remember the milk',
    'assistant: Milk.',
  ]);
  expect(asked.map(({ tool, asked: { access } }) => [tool, access])).toEqual([
    ['mcp_files_read_text_file', { kind: 'mcp', server: 'files', tool: 'read_text_file', readOnly: true }],
  ]);
});

it('tools that appear later are available in the next turn of the same session', async () => {
  const asked: AskedCall[] = [];
  const own = (servers = realServers([]));
  const created = (world = await World.create({ approvals: allowing(asked), moreTools: () => own.tools() }));
  const panel = created.surface();
  created.server.script(reply().calls('mcp_s_pid', {}, { id: 'a' }), reply().says('There is none.'));
  const { sessionId } = await created.ask(panel, 'one');
  own.servers.use([planFor('s', nodeLaunch(program))]);
  created.server.script(reply().calls('mcp_s_a_b', {}, { id: 'b' }), reply().says('Done.'));
  await created.ask(panel, 'two');
  expect((await created.lines(sessionId)).map((line) => line.replace(/Available tools:.*/, '…'))).toEqual([
    'user: one',
    'assistant: [mcp_s_pid {}]',
    'tool: failed: There is no tool named "mcp_s_pid". …',
    'assistant: There is none.',
    'user: two',
    'assistant: [mcp_s_a_b {}]',
    expect.stringMatching(/^tool: done: a.b ran$/),
    'assistant: Done.',
  ]);
});

it('a server that dies in a call costs the turn only that result', async () => {
  const own = (servers = realServers([planFor('s', nodeLaunch(program))]));
  const created = (world = await World.create({ approvals: allowing([]), moreTools: () => own.tools() }));
  created.server.script(
    reply().calls('mcp_s_die', {}, { id: 'a' }),
    reply().calls('mcp_s_a_b', {}, { id: 'b' }),
    reply().says('Back.'),
  );
  const { sessionId } = await created.ask(created.surface(), 'go');
  expect(await created.lines(sessionId)).toEqual([
    'user: go',
    'assistant: [mcp_s_die {}]',
    'tool: failed: The MCP server "s" gave no result for die. The program ended with exit code 7. The call may have run: check before you repeat it.',
    'assistant: [mcp_s_a_b {}]',
    expect.stringMatching(/^tool: done: a.b ran$/),
    'assistant: Back.',
  ]);
});
