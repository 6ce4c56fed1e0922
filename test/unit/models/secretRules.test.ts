import { expect, test } from 'vitest';
import { SecretRules } from '../../../src/models/secrecy/secretRules';

test('rules are loaded once, with the first text', () => {
  const rules = new SecretRules();
  let loads = 0;
  rules.from({ load: () => (loads++, (text) => [{ start: 0, end: text.length }]), onFailure: () => undefined });
  expect([rules.isReady, loads]).toEqual([false, 0]);
  expect([rules.find('abc'), rules.find('de'), rules.isReady, loads]).toEqual([
    [{ start: 0, end: 3 }],
    [{ start: 0, end: 2 }],
    true,
    1,
  ]);
});

test('rules that cannot be loaded find nothing, are loaded only once, and are reported once', () => {
  const rules = new SecretRules();
  const said: unknown[] = [];
  let loads = 0;
  rules.from({
    load: () => {
      loads++;
      throw new Error('no such file');
    },
    onFailure: (error) => said.push(error),
  });
  expect([rules.find('a'), rules.find('b'), rules.isReady, loads, said]).toEqual([
    [],
    [],
    true,
    1,
    [new Error('no such file')],
  ]);
});

test('rules that fail on a text find nothing in it, and still run on the next one', () => {
  const rules = new SecretRules();
  const said: unknown[] = [];
  rules.from({
    load: () => (text) => {
      if (text.startsWith('bad')) throw new Error(text);
      return [{ start: 0, end: 1 }];
    },
    onFailure: (error) => said.push(error),
  });
  expect([rules.find('bad 1'), rules.find('bad 2'), rules.find('good'), said]).toEqual([
    [],
    [],
    [{ start: 0, end: 1 }],
    [new Error('bad 1')],
  ]);
});

test('without a source there are no rules, and nothing to wait for', () => {
  expect([new SecretRules().find('a'), new SecretRules().isReady]).toEqual([[], true]);
});
