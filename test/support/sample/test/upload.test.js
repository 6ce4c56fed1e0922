import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { uploadFolder } from '../src/upload.js';

test('one file that cannot be sent does not stop the others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcel-'));
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(folder, name), name);
  const send = async ({ name }) => {
    if (name === 'b.txt') throw Object.assign(new Error('not found'), { status: 404 });
  };
  assert.deepEqual(await uploadFolder(folder, { send }), {
    sent: ['a.txt', 'c.txt'],
    failed: [{ name: 'b.txt', reason: 'not found' }],
  });
});
