import { describe, expect, test } from 'vitest';
import { editorLanguage, fileNamedInCode, isShell, readFence } from '../../../../src/features/codeActions/core/fence';

describe('the text after a code fence', () => {
  test.each([
    ['', '', null],
    ['ts', 'ts', null],
    ['TypeScript', 'typescript', null],
    ['ts title="src/a b.ts"', 'ts', 'src/a b.ts'],
    ["js title='a.js' {1,3}", 'js', 'a.js'],
    ['python filename=src/app.py', 'python', 'src/app.py'],
    ['ts:src/upload.ts', 'ts', 'src/upload.ts'],
    ['ts:src/upload.ts:12', 'ts', 'src/upload.ts'],
    ['src/upload.ts', '', 'src/upload.ts'],
    ['c++', 'c++', null],
    ['"><img src=x onerror=alert(1)>', '', null],
  ])('%j names its language and its file', (info, language, path) =>
    expect(readFence(info)).toEqual({ language, path }),
  );

  test.each([
    ['// src/a.ts\nlet a;', 'src/a.ts'],
    ['# scripts/run.py\nprint()', 'scripts/run.py'],
    ['<!-- index.html -->\n<p>', 'index.html'],
    ['/* styles/a.css */\na {}', 'styles/a.css'],
    ['// File: src/a.ts\nlet a;', 'src/a.ts'],
    ['// the clock comes in\nlet a;', null],
    ['// e.g.\nlet a;', null],
    ['let a; // src/a.ts', null],
    ['', null],
  ])('the first line %j names a file', (code, path) => expect(fileNamedInCode(code)?.path ?? null).toBe(path));

  test("shells are recognized, and the editor's names for languages", () => {
    expect(['bash', 'console', 'powershell', 'bat', 'ts', ''].map(isShell)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(['ts', 'py', 'sh', 'go'].map(editorLanguage)).toEqual(['typescript', 'python', 'shellscript', 'go']);
  });
});
