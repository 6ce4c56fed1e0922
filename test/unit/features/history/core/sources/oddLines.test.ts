import { expect, test } from 'vitest';
import { jsonLines } from '../../../../../../src/features/history/core/sources/reading/records';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';

async function read(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const record of jsonLines(new MemoryFiles({ '/f.jsonl': text }), '/f.jsonl'))
    found.push(
      record.kind === 'record' ? `${record.name} ${JSON.stringify(record.value)}` : `damaged ${record.place.number}`,
    );
  return found;
}

test.each([
  ['two objects on one line', '{"a":"}{"}{"b":{"c":2}}\n', ['line 1 {"a":"}{"}', 'line 1.2 {"b":{"c":2}}']],
  [
    'three with blanks between them',
    '{"a":1} {"b":2}\t{"c":3}',
    ['line 1 {"a":1}', 'line 1.2 {"b":2}', 'line 1.3 {"c":3}'],
  ],
  ['NUL bytes in front', '\0\0\0{"a":1}\n{"b":2}', ['line 1 {"a":1}', 'line 2 {"b":2}']],
  ['NUL bytes between two', '{"a":1}\0\0{"b":2}', ['line 1 {"a":1}', 'line 1.2 {"b":2}']],
  ['only NUL bytes', '\0\0\0\n{"b":2}', ['line 2 {"b":2}']],
  [
    'half an object before a whole one',
    '{"a":"cut o{"b":{"c":[{"d":1}]}}',
    ['line 1 {"b":{"c":[{"d":1}]}}', 'damaged 1'],
  ],
  ['a whole one before half an object', '{"a":1}{"b":{"c":{"d":1', ['line 1 {"a":1}', 'damaged 1']],
  ['text that is no object', 'Segmentation fault', ['damaged 1']],
  ['a cut object with objects in it', '{"a":{"b":1},"c":[{"d":1},{"e":', ['damaged 1']],
  ['an escape before an object in a text', '{"a":"x\\\\{\\"b\\":1}"}', ['line 1 {"a":"x\\\\{\\"b\\":1}"}']],
])('reads a line with %s', async (_, text, expected) => {
  expect(await read(text)).toEqual(expected);
});
