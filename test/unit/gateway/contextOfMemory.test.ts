import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/tools/tool';
import { worldPerTest } from '../../support/conformance';
import { reply } from '../../support/modelServer';
import { RecordingMemory } from '../../support/recordingMemory';

const { create } = worldPerTest();

describe('the context meter', () => {
  it("counts memory's part of the system prompt, and what memory recalled", async () => {
    const use = async (block: string, recall: string) => {
      const world = await create({
        memory: (log) => [new RecordingMemory(log, { block: () => block, recall: () => recall })],
      });
      // Cut off: the service has counted nothing, so that everything is estimated.
      world.server.script(reply().says('Half ').drops(), reply().says('Half ').drops());
      const { sessionId } = await world.ask(world.surface(), 'What do you know of it?');
      const { tokens, counted, parts } = await world.gateway.compression.contextUse(sessionId);
      await world.close();
      return { tokens, counted, ...parts };
    };
    const bare = await use('', '');
    const full = await use('x '.repeat(400), 'recalled words '.repeat(100));
    expect({
      counted: [bare.counted, full.counted],
      memory: [bare.memory, (full.memory ?? 0) > 100],
      messages: (full.messages ?? 0) - (bare.messages ?? 0) > 200,
    }).toEqual({
      counted: [false, false],
      memory: [0, true],
      messages: true,
    });
    expect(full.tokens).toBe((full.system ?? 0) + (full.tools ?? 0) + (full.memory ?? 0) + (full.messages ?? 0));
  });

  it('counts after a restart what earlier requests carried, until a turn collects it again', async () => {
    const tool = defineTool({
      name: 'weather',
      description: 'Says what the weather is. '.repeat(20),
      schema: v.object({}),
      readOnly: true,
      run: async () => ({ outcome: 'done', text: 'fine' }),
    });
    const world = await create({
      memory: (log) => [new RecordingMemory(log, { block: () => 'x '.repeat(400) })],
      moreTools: async () => [tool],
    });
    world.server.script(reply().says('Half ').drops());
    const { sessionId } = await world.ask(world.surface(), 'What do you know of it?');
    const before = await world.gateway.compression.contextUse(sessionId);
    await world.reopen();
    expect(await world.gateway.compression.contextUse(sessionId)).toEqual(before);
    const other = await world.store.createSession({
      id: '20260101_000000_abcdef',
      startedAt: 1,
      model: 'Local/test-model',
      private: true,
    });
    expect((await world.gateway.compression.contextUse(other.id)).parts?.memory).toBe(0);
  });
});
