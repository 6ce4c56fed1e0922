import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

const folder = path.resolve('test/conformance');

/** `B07 in droppedRows` for every number at the end of the name of a test. */
function tested(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
    .flatMap((file) => {
      const names = readFileSync(path.join(folder, file), 'utf8').matchAll(
        /(?:\(((?:[BS]\d+ ?)+)\)|'((?:[BS]\d+ ?)+))['"]/g,
      );
      return [...names].flatMap(([, atEnd, alone]) =>
        (atEnd ?? alone ?? '')
          .trim()
          .split(' ')
          .map((number) => `${number} in ${file.replace(/(\.slow)?\.test\.ts$/, '')}`),
      );
    });
}

/** The same, as the tables of docs/conformance.md have it: a number is tested where its cell begins with the names of files. */
function listed(): readonly string[] {
  const rows = readFileSync(path.resolve('docs/conformance.md'), 'utf8').matchAll(
    /^\| ([BS]\d[^|]*) \|[^|]*\| ([^|]*) \|$/gm,
  );
  return [...rows].flatMap(([, numbers = '', where = '']) => {
    const files = /^(?:`[A-Za-z]+`(?:, )?)+/.exec(where)?.[0].match(/[A-Za-z]+/g) ?? [];
    return each(numbers).flatMap((number) => files.map((file) => `${number} in ${file}`));
  });
}

function each(numbers: string): readonly string[] {
  return numbers.split(', ').flatMap((entry) => {
    const [from = '', to = from] = entry.split('–');
    const first = Number(from.slice(1));
    return Array.from(
      { length: Number(to.slice(1)) - first + 1 },
      (_, index) => from.charAt(0) + String(first + index).padStart(from.length - 1, '0'),
    );
  });
}

it('docs/conformance.md names exactly the tests that exist', () => {
  expect([...new Set(listed())].sort()).toEqual([...new Set(tested())].sort());
});
