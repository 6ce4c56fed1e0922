import { expect, it } from 'vitest';
import { foldFoundSpills } from '../../../../src/store/spill/foundSpills';
import { spillWorld } from '../../../support/spillWorld';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The first line of a spill file whose format this program does not know. */
function laterSpill(storeUid: string | null): Uint8Array {
  return bytes(`${JSON.stringify({ format: 'hermes-spill', v: 2, storeUid, answer: 'in a new shape' })}\n{"n":1}\n`);
}

it('leaves the spill file of a later version untouched, and reports it unless it belongs to another store', async () => {
  const { db, disk } = await spillWorld();
  const files = {
    '/store/s1.jsonl': laterSpill(db.getMeta('store_uid')),
    '/shared/s1.jsonl': laterSpill(db.getMeta('store_uid')),
    '/shared/s2.jsonl': laterSpill('another'),
    '/shared/s3.jsonl': laterSpill(null),
  };
  for (const [path, content] of Object.entries(files)) disk.put(path, content);
  const found = foldFoundSpills(disk, db, '/store', { folders: ['/shared'], liveTurns: [] });
  const left = ['/store', '/shared'].flatMap((folder) =>
    disk
      .list(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => [`${folder}/${name}`, disk.bytesOf(`${folder}/${name}`)]),
  );
  expect({ found, left: Object.fromEntries(left) }).toEqual({
    found: ['/store/s1.jsonl', '/shared/s1.jsonl', '/shared/s3.jsonl'].map((path) => ({
      path,
      outcome: 'laterVersion',
      sessionId: null,
      technical: 'its format has version 2, this program reads version 1',
    })),
    left: files,
  });
});

it('sets a file aside that does not say which answer it belongs to', async () => {
  const { db, disk } = await spillWorld();
  disk.put('/store/s1.jsonl', bytes('{"format":"hermes-spill","v":1}\n'));
  const found = foldFoundSpills(disk, db, '/store', { folders: [], liveTurns: [] });
  expect(found).toEqual([
    {
      path: '/store/s1.kept.jsonl',
      outcome: 'kept',
      sessionId: null,
      technical: 'it does not say which answer it belongs to',
    },
  ]);
});
