import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ForeignSession } from '../../../../../../src/features/history/core/sources/foreign';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { mutated, seededNumbers } from '../../../../../support/history/mutations';
import {
  findHistory,
  fixtures,
  placesWith,
  readHistory,
  type ReadHistory,
} from '../../../../../support/history/readHistory';
import { formats } from '../../../../../support/history/formats';
import { openForeign, openInMemory } from '../../../../../support/history/openForeign';

describe.each(formats)('$name', ({ source, places, path, samples, isDatabase }) => {
  test('never throws and accounts for each record, whatever is damaged', async () => {
    const pick = seededNumbers(20_261_125);
    const contents = samples.map((sample) => readFileSync(`${fixtures}/${sample}`));
    for (let round = 0; round < (isDatabase === true ? 300 : 1000); round++) {
      const content = mutated(contents[round % contents.length] ?? Buffer.alloc(0), pick);
      const reader = source(
        new MemoryFiles({ [path]: content }, 16_384),
        openInMemory({ main: content, log: new Uint8Array() }),
      );
      const { sessions } = await findHistory(reader, placesWith(places));
      for (const session of sessions) expectBalance(await readHistory(reader, session), round);
    }
  });
});

describe.each(formats.filter(({ isBinary, isDatabase }) => isBinary !== true && isDatabase !== true))(
  '$name',
  ({ source, places, path, samples }) => {
    test('reads CRLF, a byte order mark and blank lines as if they were not there', async () => {
      for (const sample of samples) {
        const text = readFileSync(`${fixtures}/${sample}`, 'utf8');
        const plain = await read(text);
        const windows = await read(`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n\r\n`);

        expect(JSON.stringify(windows.messages)).toBe(JSON.stringify(plain.messages));
        expect(windows.records).toEqual(plain.records);
      }
    });

    async function read(content: string): Promise<ReadHistory> {
      const reader = source(new MemoryFiles({ [path]: content }), openForeign);
      const { sessions } = await findHistory(reader, placesWith(places));
      return readHistory(reader, sessions[0] ?? unfound(path));
    }
  },
);

function expectBalance({ records, messages, skipped }: ReadHistory, round: number): void {
  const isBalanced =
    records.in === records.imported + records.skipped && skipped.every(({ reason }) => reason.endsWith('.'));
  const ids = new Set(messages.map(({ id }) => id));
  expect({ round, isBalanced, distinct: ids.size }).toEqual({ round, isBalanced: true, distinct: messages.length });
}

function unfound(path: string): ForeignSession {
  throw new Error(`no session was found in ${path}`);
}
