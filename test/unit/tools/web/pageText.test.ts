import { describe, expect, it } from 'vitest';
import { pageKind, pageText, prettyJson } from '../../../../src/tools/web/page/pageText';

const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array => Buffer.from(text, encoding);

describe('the kind of an answer', () => {
  it.each([
    ['text/html; charset=utf-8', '<p>', 'html'],
    ['application/xhtml+xml', '<p>', 'html'],
    ['application/json', '{}', 'json'],
    ['application/ld+json', '{}', 'json'],
    ['text/markdown', '# a', 'text'],
    ['application/xml', '<a/>', 'text'],
    ['application/pdf', '%PDF-1.7', 'pdf'],
    ['text/plain', '%PDF-1.7', 'pdf'],
    ['image/png', 'x', 'binary'],
    ['', '<!DOCTYPE html><p>', 'html'],
    ['', 'words', 'text'],
    ['application/octet-stream', 'a\0b', 'binary'],
  ])('%s %j is %s', (type, text, expected) => expect(pageKind(type, bytes(text))).toBe(expected));
});

describe('the charset of an answer', () => {
  it.each([
    ['the server says', 'text/html; charset=iso-8859-1', bytes('für', 'latin1'), 'für'],
    [
      'the page says',
      'text/html',
      bytes('<meta charset="windows-1252">für', 'latin1'),
      '<meta charset="windows-1252">für',
    ],
    ['nobody says: UTF-8', 'text/html', bytes('für'), 'für'],
    [
      'the server says wrongly, and the page knows',
      'text/html; charset=utf-8',
      bytes('<meta charset=latin1>für', 'latin1'),
      '<meta charset=latin1>für',
    ],
    ['is one that nobody has heard of', 'text/html; charset=klingon', bytes('für'), 'für'],
    [
      'stands in a byte order mark, which wins',
      'text/plain; charset=utf-8',
      Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('für', 'utf16le')]),
      'für',
    ],
    ['is Japanese', 'text/html; charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ])('%s', (_case, type, body, expected) => expect(pageText(type, body)).toBe(expected));
});

describe('JSON', () => {
  it('is indented; other text stays as it is', () =>
    expect([prettyJson('{"a":[1]}'), prettyJson('{"a":')]).toEqual(['{\n  "a": [\n    1\n  ]\n}', '{"a":']));
});
