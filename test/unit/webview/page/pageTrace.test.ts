import { expect, test } from 'vitest';
import { outermost, workBetween } from '../../../bench/view/pageTrace';

test('work of a task that is recorded twice, one time inside the other, counts once', () => {
  const noted = [
    { from: 10, until: 14, work: 4 },
    { from: 10, until: 14.5, work: 4.2 },
    { from: 20, until: 25, work: 5 },
    { from: 20.1, until: 24, work: 3 },
  ];
  const tasks = outermost(noted);
  expect([tasks, workBetween(tasks, 0, 100)]).toEqual([[noted[1], noted[2]], 9.2]);
});
