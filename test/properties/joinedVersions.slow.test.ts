import { describe, expect, it } from 'vitest';
import { failingVersions } from './joinedVersions';

describe('versions of prompts that were joined to an earlier one', () => {
  it('show and send the text of one version, whatever the user does with them', async () => {
    expect(await failingVersions({ runs: 60, seed: 12 })).toBeNull();
  });
});
