import { describe, expect, it } from 'vitest';
import { failingRows } from './oddRows';

describe('one odd value anywhere in the file', () => {
  it('stops no store from opening, no list from showing and no session from continuing; salvaging, merging or importing loses at most its row', async () => {
    expect(await failingRows({ runs: 25, seed: 12 })).toBeNull();
  });
});
