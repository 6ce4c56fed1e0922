import { describe, expect, test } from 'vitest';
import { FileIndex, fileNamed, hrefOf, symbolNamed } from '../../../../src/features/codeActions/core/referenceText';
import { ReferenceFinder, type ReferenceLookup } from '../../../../src/features/codeActions/host/referenceService';
import { linkTarget } from '../../../../src/host/navigation/linkOpener';
import { ManualClock } from '../../../support/manualClock';

describe('a text that may name a file', () => {
  test.each([
    ['src/upload.ts', 'src/upload.ts', null, null],
    ['src/upload.ts:42', 'src/upload.ts', 42, null],
    ['src/upload.ts:42:7', 'src/upload.ts', 42, 7],
    ['src/upload.ts:42-50', 'src/upload.ts', 42, null],
    ['src/upload.ts#L10', 'src/upload.ts', 10, null],
    ['src/upload.ts#L10-L20', 'src/upload.ts', 10, null],
    ['upload.ts line 42', 'upload.ts', 42, null],
    ['upload.ts (line 42)', 'upload.ts', 42, null],
    ['.\\src\\upload.ts', 'src/upload.ts', null, null],
  ])('%s', (text, path, line, column) => expect(fileNamed(text)).toEqual({ path, line, column }));

  test.each(['https://example.com/a.ts', '../secret.txt', 'src/../../a', '', 'a\nb', '//host/share'])(
    '%j is no file reference',
    (text) => expect(fileNamed(text)).toBeNull(),
  );

  test('its address resolves back to it, whatever its name', () => {
    const names = ['src/a b.ts', 'src/#1%.ts', 'a:b.ts', 'ä/é.ts'];
    expect(names.map((path) => linkTarget(hrefOf(path, { line: 3, column: 4 })))).toEqual(
      names.map((path) => ({ kind: 'file', path, line: 3, column: 4 })),
    );
  });
});

test.each([
  ['waitBefore', { name: 'waitBefore', container: null }],
  ['Clock.sleep()', { name: 'sleep', container: 'Clock' }],
  ['Clock#sleep', { name: 'sleep', container: 'Clock' }],
  ['std::vector', { name: 'vector', container: 'std' }],
  ['a.b', null],
  ['npm test', null],
  ['x', null],
  ['sleep(5)', null],
])('%s may name a symbol: %j', (text, expected) => expect(symbolNamed(text)).toEqual(expected));

const files = ['src/upload.ts', 'test/upload.test.ts', 'src/a/index.ts', 'src/b/index.ts', 'index.ts'];

function finder(places: Partial<ReferenceLookup> = {}): {
  readonly finder: ReferenceFinder;
  readonly asked: string[];
  readonly clock: ManualClock;
} {
  const asked: string[] = [];
  const clock = new ManualClock(0);
  const given: ReferenceLookup = {
    clock,
    files: () => Promise.resolve(new FileIndex(files)),
    elsewhere: (path) => Promise.resolve(path === 'dist/out.js' ? path : null),
    symbols: ({ name }) => (asked.push(name), Promise.resolve(name === 'waitBefore' ? 1 : 0)),
    ...places,
  };
  return { finder: new ReferenceFinder(given), asked, clock };
}

describe("the names in an answer's texts", () => {
  test('link to files by path or by its end if that is unique; other names link to nothing', async () => {
    const texts = [
      'src/upload.ts:42',
      'upload.ts',
      'index.ts',
      'a/index.ts#L3',
      'b.ts',
      'dist/out.js',
      'src/gone.ts',
      'upload.ts line 7',
    ];
    const hrefs = (await finder().finder.resolve(texts)).map((reference) =>
      reference?.kind === 'file' ? reference.href : reference,
    );
    expect(hrefs).toEqual([
      'src/upload.ts:42',
      'src/upload.ts',
      'index.ts',
      'src/a/index.ts:3',
      null,
      'dist/out.js',
      null,
      'src/upload.ts:7',
    ]);
  });

  test('link to existing symbols, looked up once until something changes', async () => {
    const { finder: found, asked } = finder();
    const answers = [await found.resolve(['waitBefore', 'nobody']), await found.resolve(['waitBefore', 'nobody'])];
    found.forget();
    await found.resolve(['waitBefore']);
    expect({ answers, asked }).toEqual({
      answers: [
        [{ kind: 'symbol', name: 'waitBefore' }, null],
        [{ kind: 'symbol', name: 'waitBefore' }, null],
      ],
      asked: ['waitBefore', 'nobody', 'waitBefore'],
    });
  });

  test('link to nothing if no extension answers within a second, and are looked up again later', async () => {
    let calls = 0;
    const { finder: found, clock } = finder({ symbols: () => (calls++, new Promise<number>(() => undefined)) });
    const answer = found.resolve(['waitBefore', 'src/upload.ts']);
    await clock.untilWaiting();
    await clock.advance(1000);
    expect(await answer).toEqual([null, { kind: 'file', href: 'src/upload.ts' }]);
    void found.resolve(['waitBefore']);
    await clock.untilWaiting();
    expect(calls).toBe(2);
  });
});
