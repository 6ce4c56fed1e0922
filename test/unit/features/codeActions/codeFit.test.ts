import { describe, expect, test } from 'vitest';
import { fitCode } from '../../../../src/features/codeActions/core/codeFit';

const file = `import { send } from './send';

export class Clock {
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

export async function upload(file: File): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (await send(file)) return;
    await wait(200 * attempt);
  }
  throw new UploadError('gave up');
}

function wait(ms: number): Promise<void> {
  return new Clock().sleep(ms);
}
`;

const changed = (code: string, before = file): string => {
  const fit = fitCode(before, code);
  return 'text' in fit ? fit.text : fit.kind;
};

describe('code that belongs in a file', () => {
  test('replaces the whole file if it repeats most of the file', () => {
    const code = file.replace('attempt <= 3', 'attempt <= 5').replace("'gave up'", "'gave up after 5'");
    expect(fitCode(file, code)).toEqual({ kind: 'change', text: code });
  });

  test('replaces the function whose lines it repeats', () => {
    const code = `export async function upload(file: File, clock: Clock): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (await send(file)) return;
    await clock.sleep(200 * attempt);
  }
  throw new UploadError('gave up');
}`;
    const expected = file
      .replace('upload(file: File)', 'upload(file: File, clock: Clock)')
      .replace('await wait(200', 'await clock.sleep(200');
    expect(changed(code)).toBe(expected);
  });

  test('replaces a function of which only the first line remains', () => {
    expect(
      changed(
        'function wait(ms: number): Promise<void> {\n  const clock = new Clock();\n  return ' +
          'clock.sleep(Math.max(0, ms));\n}',
      ),
    ).toBe(
      file.replace(
        '  return new Clock().sleep(ms);',
        '  const clock = new Clock();\n  return clock.sleep(Math.max(0, ms));',
      ),
    );
  });

  test('takes the indentation of its place', () => {
    expect(
      changed(
        'sleep(ms: number): Promise<void> {\n  if (ms <= 0) return Promise.resolve();\n  return new ' +
          'Promise((resolve) => setTimeout(resolve, ms));\n}',
      ),
    ).toBe(
      file.replace('    return new Promise', '    if (ms <= 0) return Promise.resolve();\n    return new Promise'),
    );
  });

  test('leaves alone the lines that a comment says to keep', () => {
    const code = `import { send } from './send';
import { log } from './log';

// ... existing code ...

function wait(ms: number): Promise<void> {
  log('waits');
  return new Clock().sleep(ms);
}`;
    expect(changed(code)).toBe(
      file
        .replace("'./send';\n", "'./send';\nimport { log } from './log';\n")
        .replace('  return new Clock()', "  log('waits');\n  return new Clock()"),
    );
  });

  test("keeps the file's line endings, and a last line without one", () => {
    const windows = 'first line\r\nsecond line\r\nthird line\r\nfourth line\r\nfifth line';
    expect(changed('second line\nbetween them\nthird line', windows)).toBe(
      'first line\r\nsecond line\r\nbetween them\r\nthird line\r\nfourth line\r\nfifth line',
    );
    expect(changed('fourth line\nfifth line\nsixth line', windows)).toBe(
      'first line\r\nsecond line\r\nthird line\r\nfourth line\r\nfifth line\r\nsixth line',
    );
  });

  test('replaces up to the end of the indentation if no bracket closes the block', () => {
    const python =
      'def first():\n    return 1\n\n\ndef second(value):\n    total = value\n    total += 1\n    ' +
      'return total\n\n\ndef third():\n    return 3\n';
    expect(changed('def second(value):\n    yield value + 2', python)).toBe(
      'def first():\n    return 1\n\n\ndef second(value):\n    yield value + 2\n\n\ndef third():\n    return 3\n',
    );
  });

  test.each([
    ['shares no line with the file', 'export const retries = 3;'],
    ['shares only lines that are everywhere', '{\n  }\n}\n'],
    ['leaves out everything', '// ... existing code ...'],
    ['has a part without a place', "import { other } from './other';\n\n// ... rest of the file\n"],
  ])('has no place if it %s', (_why, code) => expect(changed(code)).toBe('misfit'));
});
