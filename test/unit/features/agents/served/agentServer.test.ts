import { expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import { AgentServer, type ServedHistory } from '../../../../../src/features/agents/served/agentServer';

test('loads of one session at once open one after the other, and each is closed', async () => {
  const told: string[] = [];
  const session = { id: 's', conversationId: 's', title: null };
  const gateway = (number: number) => ({
    store: { getSession: async () => session },
    surfaces: { attach: () => told.push(`opens ${number}`) },
    switching: { switchSession: async () => ({ sessionId: 's' }) },
    approvals: { pending: async () => null, mode: async () => 'ask' },
    efforts: { effort: async () => 'default' },
    sessions: { modelOf: () => 'demo/demo' },
    turns: { running: () => [] },
    shutdown: () => new Promise((done) => setImmediate(() => done(told.push(`closes ${number}`)))),
  });
  let made = 0;
  const history = {
    connection: { store: { getSession: async () => session }, setWorkGuard: () => undefined },
    headless: {
      models: async () => [],
      gateway: () => ({ gateway: gateway(++made), end: async () => undefined, prompts: async () => [] }),
    },
  } as unknown as ServedHistory;
  const server = new AgentServer({
    historyOf: async () => history,
    write: async () => undefined,
    version: '1',
    uid: () => 'u',
    clock: systemClock,
    warn: (sentence) => told.push(sentence),
  });
  const params = { sessionId: 's', cwd: '/', mcpServers: [] };
  const load = (id: number) => server.take({ text: JSON.stringify({ id, method: 'session/resume', params }) });
  await load(1);
  await Promise.all([load(2), load(3)]);
  await server.close();
  expect(told).toEqual([1, 2, 3].flatMap((each) => [`opens ${each}`, `closes ${each}`]));
});
