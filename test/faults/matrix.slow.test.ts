import { describe, expect, it } from 'vitest';
import { ownStreams, runFaultMatrix, streamsIn } from './index';

/** A directory with recorded streams of real services, beside our own; `npm run faults` runs every case. */
const directory = process.env['HERMES_STREAMS'];
const recorded = directory === undefined ? [] : streamsIn(directory);

describe('an answer that breaks, ends, fails, stalls or is stopped at any event', () => {
  it('is stored as it was shown, once, and the next turn is accepted', async () => {
    const { cases, violations, details } = await runFaultMatrix({
      streams: [...ownStreams(), ...recorded],
      seed: 20_261_120,
      sample: 300,
    });
    expect({ cases, violations, details }).toEqual({ cases: 300, violations: 0, details: [] });
  });

  it('is stored as it was shown, once, even if the disk refuses writes in its middle', async () => {
    const { cases, violations, details } = await runFaultMatrix({
      streams: ownStreams(),
      seed: 20_261_121,
      sample: 40,
      storeFails: true,
    });
    expect({ cases, violations, details }).toEqual({ cases: 40, violations: 0, details: [] });
  });
});
