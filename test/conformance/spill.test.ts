import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { account, sound, storedLines } from '../support/account';
import { askUntil, ended, gate, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import { type World, full } from '../support/world';

const { create } = worldPerTest();

const spilling = { spillFolders: ['store', 'global'] };

function spillFiles(world: World): readonly string[] {
  return readdirSync(path.join(world.home, 'store')).filter((name) => name.endsWith('.jsonl'));
}

describe('a turn whose store cannot be written', () => {
  it.each([
    [new StoreError('replaced', 'Another window has taken over.', 'lock lost')],
    [new StoreError('corrupt', 'The file is damaged.', 'malformed')],
    [full],
  ])('continues with everything shown in a spill file, which is folded back once: %s (B22)', async (cause) => {
    const world = await create(spilling);
    const held = gate();
    world.server.script(
      reply().says('one ').waitsFor(held.opened).says('two ').calls('list_directory', { path: '.' }),
      reply().says('three'),
      reply().says('next'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one ');
    const mend = world.breakStore(() => cause);
    held.open();
    await panel.untilSettled(1);
    const [file = ''] = spillFiles(world);
    expect({
      ended: ended(panel),
      shown: panel.deliveredText,
      states: world.spilling.statuses.map(({ state }) => state),
      file,
      mode: statSync(path.join(world.home, 'store', file)).mode & 0o777,
    }).toEqual({
      ended: 'complete stop',
      shown: 'one two three',
      states: ['writing'],
      file: `${sessionId}.jsonl`,
      mode: 0o600,
    });
    mend();
    await world.spilling.tryAgain();
    expect({ files: spillFiles(world), states: world.spilling.statuses.map(({ state }) => state) }).toEqual({
      files: [],
      states: ['folded'],
    });
    await world.ask(panel, 'and?');
    expect(await account(world, panel, sessionId)).toMatchObject(sound);
    expect(storedLines(world, sessionId).map((line) => line.replace(/:.*/s, ''))).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});
