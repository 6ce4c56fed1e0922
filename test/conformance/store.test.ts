import { statSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { account, readElsewhere, sound } from '../support/account';
import { worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();

describe('the store', () => {
  it.each([
    ['overwritten', "UPDATE messages_fts_segdir SET root = x'00ff00ff'"],
    ['gone', 'DROP TABLE messages_fts'],
  ])(
    'accepts rows while its search index is %s, still finds words, and rebuilds the index (B181)',
    async (_name, damage) => {
      const world = await create();
      world.server.script(reply().says('alpha'), reply().says('beta'));
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'q1');
      await world.store.indexBatch(100);
      world.damageStore(damage);
      await world.ask(panel, 'q2');
      const found = [
        (await world.store.search({ text: 'alpha', limit: 5 })).length,
        (await world.store.search({ text: 'beta', limit: 5 })).length,
      ];
      await world.store.verifyIntegrity();
      expect({
        found,
        sound: await world.store.verifyIntegrity(),
        ...(await account(world, panel, sessionId)),
      }).toEqual({
        found: [1, 1],
        sound: [],
        ...sound,
        stored: ['user: q1', 'assistant: alpha', 'user: q2', 'assistant: beta'],
      });
    },
  );

  it('is readable only by its owner', async () => {
    const world = await create();
    const mode = (name: string): number => statSync(path.join(world.home, 'store', name)).mode & 0o077;
    expect(process.platform === 'win32' ? [0, 0] : [mode('state.db'), mode('state.db.wal')]).toEqual([0, 0]);
  });

  it('is a database that another SQLite finds intact, even in the middle of an answer', async () => {
    const world = await create();
    world.server.script(reply().says('half ').hangs());
    const panel = world.surface();
    await world.send(panel, 'q1');
    await panel.until(({ deliveredText }) => deliveredText === 'half ');
    expect(readElsewhere(world, "PRAGMA integrity_check; SELECT group_concat(text, '') FROM stream_chunks")).toEqual([
      'ok',
      'half ',
    ]);
  });
});
