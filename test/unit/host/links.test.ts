import { describe, expect, it } from 'vitest';
import { linkTarget } from '../../../src/host/navigation/linkOpener';

const file = (path: string, line: number | null = null, column: number | null = null) => ({
  kind: 'file',
  path,
  line,
  column,
});

describe('a link in an answer', () => {
  it.each([
    ['https://example.org/a?b#c', { kind: 'web', url: 'https://example.org/a?b#c' }],
    ['mailto:a@example.org', { kind: 'web', url: 'mailto:a@example.org' }],
    ['src/upload.ts', file('src/upload.ts')],
    ['src/upload.ts#L42', file('src/upload.ts', 42)],
    ['src/upload.ts#L42-L50', file('src/upload.ts', 42)],
    ['src/upload.ts:42', file('src/upload.ts', 42)],
    ['src/upload.ts:42:7', file('src/upload.ts', 42, 7)],
    ['upload.ts:42', file('upload.ts', 42)],
    ['README.md#usage', file('README.md')],
    ['./a%20b/c%23.ts#L3', file('./a b/c#.ts', 3)],
    ['file:///home/a.ts#L3', file('/home/a.ts', 3)],
    ['C:\\work\\a.ts:3', file('C:\\work\\a.ts', 3)],
    ['100%.txt', file('100%.txt')],
    ['src/a.ts#L0', file('src/a.ts', 1)],
  ])('%s opens its target', (href, target) => {
    expect(linkTarget(href)).toEqual(target);
  });

  it.each([
    'command:workbench.action.quit',
    'vscode://settings/a',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.org',
  ])('%s is refused', (href) => {
    expect(linkTarget(href)).toEqual({ kind: 'refused', scheme: href.slice(0, href.indexOf(':')) });
  });
});
