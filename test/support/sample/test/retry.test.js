import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retry, waitBefore } from '../src/retry.js';

test('waits double, up to ten seconds', () => {
  assert.deepEqual([2, 3, 4, 5, 8, 20].map(waitBefore), [200, 400, 800, 1600, 10_000, 10_000]);
});

test('gives up after the last retry', async () => {
  const waits = [];
  const failing = async () => {
    throw new Error('connection reset');
  };
  await assert.rejects(retry(failing, { retries: 2, sleep: async (ms) => waits.push(ms) }), /connection reset/);
  assert.deepEqual(waits, [200, 400]);
});

test('believes Retry-After', async () => {
  const waits = [];
  const once = async (attempt) => {
    if (attempt === 1) throw Object.assign(new Error('busy'), { retryAfterMs: 3_000 });
    return 'sent';
  };
  assert.equal(await retry(once, { retries: 1, sleep: async (ms) => waits.push(ms) }), 'sent');
  assert.deepEqual(waits, [3_000]);
});
