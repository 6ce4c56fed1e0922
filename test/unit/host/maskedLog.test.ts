import { beforeEach, expect, test } from 'vitest';
import { MaskedLog } from '../../../src/host/common/maskedLog';
import { ManualClock } from '../../support/manualClock';
import { RecordingLog } from './recordingLog';

let clock: ManualClock;
let target: RecordingLog;
let isReady: boolean;
let loads: number;
let log: MaskedLog;
let mask: (line: string) => string;

beforeEach(() => {
  [clock, target, isReady, loads] = [new ManualClock(), new RecordingLog(), false, 0];
  mask = (line) => {
    if (!isReady) loads++;
    isReady = true;
    return line.replaceAll('hunter2', '[secret]');
  };
  log = new MaskedLog(target, { clock, isReady: () => isReady, mask: (line) => mask(line) });
});

test('log lines wait for the masking rules, and are written masked and in order', async () => {
  log.info('one hunter2');
  log.warn('two');
  log.trace('three hunter2');
  await clock.advance(999);
  expect([target.lines, loads]).toEqual([[], 0]);
  await clock.advance(1);
  log.info('four hunter2');
  expect([target.lines, loads, clock.waiting]).toEqual([
    ['info: one [secret]', 'warn: two', 'trace: three [secret]', 'info: four [secret]'],
    1,
    0,
  ]);
});

test('a line does not wait if the rules are loaded, but no line overtakes another', () => {
  log.info('first');
  isReady = true;
  log.info('second');
  expect(target.lines).toEqual([]);
  log.error('third', new Error('hunter2'));
  expect(target.lines.map((line) => line.split('\n')[0])).toEqual([
    'info: first',
    'info: second',
    'error: third: Error: [secret]',
  ]);
  log.info('fourth');
  expect([target.lines.at(-1), clock.waiting]).toEqual(['info: fourth', 0]);
});

test('waiting lines are written when the window closes, and no later line waits', () => {
  log.info('one');
  log.dispose();
  isReady = false;
  log.info('two hunter2');
  expect([target.lines, clock.waiting]).toEqual([['info: one', 'info: two [secret]'], 0]);
});

test('the number of waiting lines is limited', () => {
  for (let line = 0; line < 201; line++) log.info(String(line));
  expect([target.lines.length, target.lines.at(-1), clock.waiting]).toEqual([201, 'info: 200', 0]);
});

test('a line added during a write is written after it', async () => {
  const before = mask;
  mask = (line) => {
    if (!isReady) log.warn('the rules cannot be loaded: hunter2');
    return before(line);
  };
  log.info('one');
  log.info('two');
  await clock.advance(1000);
  expect([target.lines, clock.waiting]).toEqual([
    ['info: one', 'info: two', 'warn: the rules cannot be loaded: [secret]'],
    0,
  ]);
});
