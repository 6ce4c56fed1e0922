import { readFileSync, writeFileSync } from 'node:fs';
import { otherSqlite } from './otherSqlite';

/** Makes the tree of the table `messages` in a SQLite file with pages of 4096 bytes seventeen levels deep, each with
 *  hundreds of ways to the same next page: SQLite reads it without end. */
export function withEndlessTree(file: string): void {
  const [root] = otherSqlite(file, "SELECT rootpage FROM sqlite_schema WHERE name = 'messages'").map(Number);
  const size = 4096;
  const bytes = readFileSync(file);
  const at = ((root ?? 0) - 1) * size;
  const leaf = Buffer.from(bytes.subarray(at, at + size));
  const first = bytes.length / size + 1;
  const levels = 17;
  const interior = (child: number): Buffer => {
    const page = Buffer.alloc(size);
    const cells = 400;
    page[0] = 5;
    page.writeUInt16BE(cells, 3);
    page.writeUInt16BE(size - cells * 5, 5);
    page.writeUInt32BE(child, 8);
    for (let cell = 0; cell < cells; cell++) {
      const offset = size - (cell + 1) * 5;
      page.writeUInt16BE(offset, 12 + cell * 2);
      page.writeUInt32BE(child, offset);
      page[offset + 4] = 1;
    }
    return page;
  };
  const pages = Array.from({ length: levels - 1 }, (_, level) => interior(first + level + 1));
  interior(first).copy(bytes, at);
  const whole = Buffer.concat([bytes, ...pages, leaf]);
  whole.writeUInt32BE(whole.length / size, 28);
  writeFileSync(file, whole);
}
