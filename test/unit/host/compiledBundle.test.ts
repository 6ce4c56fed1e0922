import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBundle } from '../../../src/host/start/compiledBundle';

let folder: string;
const bundle = (): string => join(folder, 'window.js');
const kept = (): string => join(folder, 'compiled', 'window.bin');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function written(source: string): string {
  writeFileSync(bundle(), source);
  return bundle();
}

test('a bundle runs as it would under require', () => {
  written(
    'exports.name = __filename; exports.folder = __dirname; exports.same = require("node:path").sep; ' +
      'exports.isModule = module.exports === exports;',
  );
  expect(runBundle(bundle(), kept()).exports).toEqual({ name: bundle(), folder, same: join('/'), isModule: true });
});

test('the next start uses the code that the previous start kept', () => {
  written('exports.double = (n) => n * 2;');
  const first = runBundle(bundle(), kept());
  expect(first.wasKept).toBe(false);
  first.keep();
  const second = runBundle(bundle(), kept());
  expect(second.wasKept).toBe(true);
  expect(second.exports).toEqual({ double: expect.any(Function) as unknown });
});

test('a different source of the same length does not use the kept code', () => {
  runBundle(written('module.exports = () => "old";'), kept()).keep();
  const next = runBundle(written('module.exports = () => "new";'), kept());
  expect(next.wasKept).toBe(false);
  expect(typeof next.exports === 'function' && next.exports.call(null)).toBe('new');
});

test.each([
  ['one bit is wrong', (code: Buffer) => code.fill((code.at(-20) ?? 0) ^ 1, code.length - 20, code.length - 19)],
  ['it is cut short', (code: Buffer) => code.subarray(0, code.length / 2)],
  ['it is empty', () => Buffer.alloc(0)],
])('kept code is not used when %s', (_what, damage) => {
  runBundle(written('module.exports = 7;'), kept()).keep();
  writeFileSync(kept(), damage(readFileSync(kept())));
  const next = runBundle(bundle(), kept());
  expect(next).toMatchObject({ exports: 7, wasKept: false });
  next.keep();
  expect(runBundle(bundle(), kept()).wasKept).toBe(true);
});

test('a folder that cannot be written keeps nothing, and the bundle still runs', () => {
  writeFileSync(join(folder, 'compiled'), 'a file where a folder should be');
  const run = runBundle(written('module.exports = 8;'), kept());
  expect(run.exports).toBe(8);
  expect(() => run.keep()).toThrow();
});

test('a stack trace names the position in the bundle, also on its first line', () => {
  const failing = runBundle(
    written('exports.fail = () => { throw new Error("no"); };\nexports.second = () => { throw new Error("no"); };'),
    kept(),
  ).exports;
  const { fail, second } = failing as Record<'fail' | 'second', () => void>;
  expect(stackOf(fail)).toContain(`${bundle()}:1:30`);
  expect(stackOf(second)).toContain(`${bundle()}:2:32`);
});

function stackOf(failing: () => void): string {
  try {
    failing();
  } catch (error) {
    if (error instanceof Error) return error.stack ?? '';
  }
  return '';
}
