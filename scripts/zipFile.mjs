/** Reads zip files: enough for packages of ours (APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16), without encryption and
 *  Zip64. */
import fs from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/**
 * @param {string} file
 * @returns {ReadonlyMap<string, { bytes: Buffer, time: number }>} what is in it, by name; `time` as MS-DOS stores it,
 * 0x00210000 is 1 January 1980
 */
export function readZip(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error(`${file} is no zip file`);
  const entries = new Map();
  let offset = zip.readUInt32LE(end + 16);
  for (let index = 0; index < zip.readUInt16LE(end + 10); index += 1) {
    const nameLength = zip.readUInt16LE(offset + 28);
    const name = zip.toString('utf8', offset + 46, offset + 46 + nameLength);
    const header = zip.readUInt32LE(offset + 42);
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const stored = zip.subarray(start, start + zip.readUInt32LE(offset + 20));
    const bytes = zip.readUInt16LE(offset + 10) === 0 ? stored : inflateRawSync(stored);
    entries.set(name, { bytes, time: zip.readUInt32LE(offset + 12) });
    offset += 46 + nameLength + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
  }
  return entries;
}
