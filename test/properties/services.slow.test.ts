import { describe, expect, it } from 'vitest';
import { newTally, stuckSession } from './services';

describe('a session with odd names, ids, texts, pictures and tools, at every service', () => {
  it('always has a way on, and nothing that was refused is sent again unchanged', async () => {
    const tally = newTally();
    expect(await stuckSession({ runs: 60, seed: 20 }, tally)).toBeNull();
    expect({ stuck: tally.stuck, unchanged: tally.unchanged }).toEqual({ stuck: [], unchanged: 0 });
  });
});
