import { describe, expect, it } from 'vitest';
import type { SubmitReceipt } from '../../src/gateway/gateway';
import type { SentPart } from '../../src/transcript/draftPart';
import { account, sound } from '../support/account';
import { worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import { RecordingMemory } from '../support/recordingMemory';
import type { RecordingSurface } from '../support/recordingSurface';
import type { World } from '../support/world';

const { create } = worldPerTest();
const picture: SentPart = { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=', name: 'shot.png' };

async function ask(
  world: World,
  panel: RecordingSurface,
  text: string,
  parts: readonly SentPart[],
): Promise<SubmitReceipt> {
  const receipt = await world.gateway.intake.submit(panel.id, {
    sessionId: world.gateway.surfaces.shownSession(panel.id),
    uid: `picture of ${text}`,
    text,
    parts,
  });
  await world.settles(panel, 1);
  return receipt;
}

describe('a prompt with images', () => {
  it('is synced to memory as text (S187)', async () => {
    const world = await create();
    world.server.script(reply().says('A cat.'));
    const { sessionId } = await ask(world, world.surface(), 'What is this?', [picture]);
    await world.gateway.shutdown();
    expect({
      synced: world.memoryLog.filter((line) => line.startsWith('sync')),
      heard: JSON.stringify(world.memoryLog).includes(picture.dataBase64),
    }).toEqual({ synced: [`sync ${sessionId}: What is this? -> A cat.`], heard: false });
  });

  it('is stored as the user sent it, whatever note and recall went with it on the wire (S192)', async () => {
    const world = await create({
      memory: (log) => [new RecordingMemory(log, { recall: () => '- likes cats' })],
      mode: 'plan',
    });
    world.server.script(reply().says('A cat.'));
    const panel = world.surface();
    const { sessionId } = await ask(world, panel, 'What is this?', [picture]);
    const wire = JSON.stringify(world.server.requests[0]?.body['messages']);
    const prompt = (await world.store.activeMessages(sessionId))[0]?.parts;
    expect({
      wire: ['likes cats', picture.dataBase64, 'What is this?'].map((text) => wire.includes(text)),
      prompt,
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      ...sound,
      wire: [true, true, true],
      prompt: [{ kind: 'text', text: 'What is this?' }, picture],
      stored: ['user: What is this? [image]', 'assistant: A cat.'],
    });
  });
});
