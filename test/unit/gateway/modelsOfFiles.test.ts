import { afterEach, describe, expect, it } from 'vitest';
import type { FileAsking } from '../../../src/gateway/gatewayServices';
import { noProject } from '../../../src/agent/project/projectContext';
import { delegateTaskTool } from '../../../src/tools/delegate/delegateTask';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
afterEach(() => world.close());

/** "planner" and "/plan" ask for the model "small" of the user's provider. */
const asks = (file: FileAsking, chosen: string): Promise<string | null> =>
  Promise.resolve(
    ('agent' in file ? file.agent === 'planner' : file.prompt.startsWith('/plan'))
      ? `${chosen.slice(0, chosen.indexOf('/'))}/small`
      : null,
  );

async function opened(options: WorldOptions = {}) {
  world = await World.create({ modelOfFile: asks, models: ['test-model', 'small', 'own'], ...options });
  world.server.otherwise(reply().says('ok'));
  return world.surface();
}

/** Models that the service was asked for, request by request. */
const asked = (): readonly unknown[] => world.server.requests.map(({ body }) => body['model']);

describe('the model of a custom agent', () => {
  it('answers once the user chose the agent, until they choose a model or another agent', async () => {
    const panel = await opened();
    const { sessionId } = await world.ask(panel, 'one');
    await world.gateway.customAgents.choose(panel.id, sessionId, 'planner');
    await world.ask(panel, 'two');
    await world.gateway.actions.selectModel(sessionId, 'Local/own');
    await world.ask(panel, 'three');
    await world.gateway.customAgents.choose(panel.id, sessionId, 'planner');
    await world.ask(panel, 'four');
    await world.gateway.customAgents.choose(panel.id, sessionId, null);
    await world.ask(panel, 'five');
    expect([asked(), world.query('SELECT model FROM turns ORDER BY rowid').map(({ model }) => model)]).toEqual([
      ['test-model', 'small', 'own', 'small', 'own'],
      ['Local/test-model', 'Local/small', 'Local/own', 'Local/small', 'Local/own'],
    ]);
  });

  it('counts for the session that the empty state begins, unless the user chooses a model there', async () => {
    const panel = await opened();
    await world.gateway.customAgents.choose(panel.id, null, 'planner');
    const shown = world.gateway.customAgents.modelAt(panel.id);
    const { sessionId } = await world.ask(panel, 'one');
    await world.gateway.customAgents.choose(panel.id, sessionId, null);
    await world.ask(panel, 'and back');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.gateway.customAgents.choose(panel.id, null, 'planner');
    await world.gateway.actions.selectModel(null, 'Local/test-model');
    await world.ask(panel, 'two');
    expect([shown, asked(), world.gateway.customAgents.modelAt(panel.id)]).toEqual([
      'Local/small',
      ['small', 'test-model', 'test-model'],
      null,
    ]);
  });

  it('is not chosen late, over what the user chose meanwhile; prompts wait for it', async () => {
    const waiting: (() => void)[] = [];
    const panel = await opened({
      modelOfFile: (file, chosen) =>
        'agent' in file ? new Promise((done) => waiting.push(() => done('Local/small'))) : asks(file, chosen),
    });
    const isAsked = (count: number) => expect.poll(() => waiting.length).toBe(count);
    const { sessionId } = await world.ask(panel, 'one');
    const late = world.gateway.customAgents.choose(panel.id, sessionId, 'planner');
    await isAsked(1);
    await world.gateway.actions.selectModel(sessionId, 'Local/own');
    waiting[0]?.();
    await late;
    await world.ask(panel, 'two');
    const before = world.gateway.customAgents.choose(panel.id, sessionId, 'planner');
    await isAsked(2);
    const sent = world.ask(panel, 'three');
    waiting[1]?.();
    await Promise.all([before, sent]);
    expect(asked()).toEqual(['test-model', 'own', 'small']);
  });

  it('works on tasks that are handed to a sub-agent of this kind', async () => {
    const agent = (name: string) => ({
      ...{ name, description: name, path: `${name}.md`, body: 'Plan.', tools: null, withoutTools: [], models: [] },
      ...{ forUser: true, forModel: true, forSessions: true, handoffs: [], origin: 'folder' as const },
    });
    const panel = await opened({
      tools: [delegateTaskTool()],
      project: () => ({ ...noProject, agents: [agent('planner'), agent('other')] }),
    });
    world.server.script(
      reply().calls('delegate_task', { task: 'A', agent: 'planner' }, { id: 'call-a' }),
      reply().says('Planned.'),
      reply().calls('delegate_task', { task: 'B', agent: 'other' }, { id: 'call-b' }),
      reply().says('Other.'),
      reply().says('Done.'),
    );
    await world.ask(panel, 'go');
    expect([
      asked(),
      world.server.requests[1]?.outline[0]?.includes('# Your task as “planner”'),
      world.query("SELECT model FROM sessions WHERE parent_kind = 'delegate' ORDER BY rowid").map(({ model }) => model),
    ]).toEqual([
      ['test-model', 'small', 'test-model', 'test-model', 'test-model'],
      true,
      ['Local/small', 'Local/test-model'],
    ]);
  });
});

describe('the model of a prompt file', () => {
  it('answers that prompt, also when it is retried, and no other', async () => {
    const panel = await opened();
    await world.ask(panel, '/plan it');
    await world.gateway.versions.retry(panel.id, panel.settled[0]?.turn.uid ?? '');
    await world.settles(panel, 2);
    await world.ask(panel, 'and now?');
    expect(asked()).toEqual(['small', 'small', 'test-model']);
  });
});
