// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import {
  attachedText,
  droppedUris,
  longText,
  mayBeAttached,
  pastedImages,
  readFiles,
  uriLines,
} from '../../../../../src/webview/chat/composer/incomingFiles';

function data(formats: Readonly<Record<string, string>>, files: readonly File[] = []) {
  return { types: Object.keys(formats), files, getData: (format: string) => formats[format] ?? '' };
}

const png = new File([new Uint8Array([137, 80, 78, 71])], 'shot.png', { type: 'image/png' });

describe('dropped content', () => {
  test('is read line by line, without comments and duplicates', () => {
    expect(
      uriLines('# from the explorer\r\nfile:///w/a%20b.ts\r\nvscode-remote://ssh/w/c.ts\r\nfile:///w/a%20b.ts\r\n\r\n'),
    ).toEqual(['file:///w/a%20b.ts', 'vscode-remote://ssh/w/c.ts']);
  });

  test.each([
    [
      'the editor’s own list ahead of the general one',
      { 'text/uri-list': 'file:///x', 'application/vnd.code.uri-list': 'file:///a\r\nfile:///b' },
      ['file:///a', 'file:///b'],
    ],
    ['the general list where there is no other', { 'text/uri-list': 'file:///a' }, ['file:///a']],
    ['nothing for a link to a page', { 'text/uri-list': 'https://example.org/a' }, []],
    ['nothing for what is no address', { 'text/uri-list': '/w/a.ts' }, []],
    ['nothing for a text', { 'text/plain': 'file:///a' }, []],
  ])('gives %s', (_what, formats, expected) => {
    expect(droppedUris(data(formats))).toEqual(expected);
  });

  test('is recognized by its types while it is dragged', () => {
    expect([
      mayBeAttached(['Files']),
      mayBeAttached(['text/plain', 'text/uri-list']),
      mayBeAttached(['text/plain', 'text/html']),
    ]).toEqual([true, true, false]);
  });
});

describe('pasted content', () => {
  test('is an image only where no text comes with it', () => {
    expect([
      pastedImages(data({}, [png])).map(({ name }) => name),
      pastedImages(data({ 'text/plain': 'a\tb' }, [png])),
    ]).toEqual([['shot.png'], []]);
  });

  test.each([
    ['as long as it may be', longText, false],
    ['longer', longText + 1, true],
    ['the longest attachment', 200_000, true],
    ['longer than an attachment may be', 200_001, false],
  ])('is attached or inserted: %s', (_what, length, isAttached) => {
    expect(attachedText(data({ 'text/plain': 'x'.repeat(length) })) !== null).toBe(isAttached);
  });
});

describe('files', () => {
  test('become images and texts', async () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index % 256);
    const { parts, problems } = await readFiles([
      png,
      new File(['größer'], 'a.txt', { type: 'text/plain' }),
      new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' }),
      new File([bytes], 'big.webp', { type: 'image/webp' }),
    ]);
    expect([parts.slice(0, 3), problems]).toEqual([
      [
        { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw==', name: 'shot.png' },
        { kind: 'attachment', label: 'a.txt', source: 'dropped:a.txt', text: 'größer' },
        { kind: 'attachment', label: 'a.svg', source: 'dropped:a.svg', text: '<svg/>' },
      ],
      [],
    ]);
    expect(parts[3]?.kind === 'image' && Buffer.from(parts[3].dataBase64, 'base64').equals(Buffer.from(bytes))).toBe(
      true,
    );
  });

  test('that cannot be taken are named, with the reason, and the others are still taken', async () => {
    const unreadable = new File([], 'folder');
    Object.defineProperty(unreadable, 'arrayBuffer', { value: () => Promise.reject(new Error('NotReadable')) });
    const { parts, problems } = await readFiles([
      new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'huge.png', { type: 'image/png' }),
      new File(['x'], 'a.bmp', { type: 'image/bmp' }),
      new File([new Uint8Array([0, 1, 2])], 'program'),
      new File([new Uint8Array([0xff, 0xfe, 0x41])], 'latin.txt'),
      new File(['x'.repeat(200_001)], 'long.log'),
      unreadable,
      new File(['ok'], 'fine.txt'),
    ]);
    expect([parts.map((part) => part.kind === 'attachment' && part.label), problems]).toEqual([
      ['fine.txt'],
      [
        'huge.png wasn’t attached. It is 5.2 MB, and images can be at most 5 MB.',
        'a.bmp wasn’t attached. Images must be PNG, JPEG, GIF, or WebP.',
        'program wasn’t attached because it isn’t UTF-8 text or an image.',
        'latin.txt wasn’t attached because it isn’t UTF-8 text or an image.',
        'long.log wasn’t attached because it is longer than 200,000 characters. Mention it with @ to ' +
          'send its beginning, or paste the part that matters.',
        'Couldn’t read folder. To attach a folder, type @ and its name.',
      ],
    ]);
  });
});
