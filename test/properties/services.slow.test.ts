import { describe, expect, it } from 'vitest';
import { newCounts, stuckSession } from './services';

describe('a session with odd names, ids, texts, pictures and tools, at every service', () => {
  it('always has a way on, and nothing that was refused is sent again unchanged', async () => {
    const counts = newCounts();
    expect(await stuckSession({ runs: 60, seed: 20 }, counts)).toBeNull();
    expect({ stuck: counts.stuck, unchanged: counts.unchanged }).toEqual({ stuck: [], unchanged: 0 });
  });
});
