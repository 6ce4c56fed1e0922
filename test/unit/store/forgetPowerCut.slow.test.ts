import { expect, it } from 'vitest';
import { afterEveryFailure } from '../../support/sessionDbWorld';
import { leaks, secretive } from './secretiveSession';

it('forgetting a session happens completely or not at all when the power fails, and its bytes are gone after the next opening', async () => {
  const outcomes = await afterEveryFailure(
    secretive,
    ({ db }) => db.forgetSession('s1'),
    (found) => {
      found.db.scrub();
      const { sessions, messages } = found.db.statistics();
      return `${sessions} ${messages > 2 ? 'all' : messages} ${leaks(found).length > 0 ? 'leak' : 'clean'}`;
    },
  );
  expect(outcomes).toEqual(['1 2 clean', '4 all leak']);
});
