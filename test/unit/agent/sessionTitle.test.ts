import { expect, it } from 'vitest';
import { titleIn } from '../../../src/agent/sessionTitle';

it('a title is one plain line of at most 60 characters, whatever the model wrote', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['Fix the flaky upload test', 'Fix the flaky upload test'],
    ['**"Fix the flaky upload test."**', 'Fix the flaky upload test'],
    ['Title: `retry()` in read_file\n\nIt is about retries.', 'retry() in read_file'],
    ['\n# “Größe der Dateien”\n', 'Größe der Dateien'],
    ['- [Parsers](command:evil) and __lexers__', 'Parsers and lexers'],
    ['<think>\nA title. Hm.\n</think>\nParsers', 'Parsers'],
    ['Pars\u200bers\u202e and\u0007 more', 'Pars ers and more'],
    ['再試行の仕組み。', '再試行の仕組み'],
    [
      'Why does the upload test fail only on the continuous integration server at night?',
      'Why does the upload test fail only on the continuous…',
    ],
    ['', null],
    ['"\u200b"', null],
    ['<think>never ends', null],
  ];
  expect(cases.map(([said]) => [said, titleIn(said)])).toEqual(cases);
});
