import type { SqlValue } from '../engine/sqlDatabase';

/** A row as stored in a page. */
export interface StoredRecord {
  /** Null in a table without row numbers. */
  readonly rowNumber: number | null;
  readonly values: readonly SqlValue[];
  /** False when one of its continuation pages is gone: its last values are missing, and the last remaining one may
   *  be truncated. */
  readonly isWhole: boolean;
}

const kinds: ReadonlyMap<number, PageKind> = new Map([
  [0x0d, { hasRowNumbers: true, hasChildren: false }],
  [0x0a, { hasRowNumbers: false, hasChildren: false }],
  [0x02, { hasRowNumbers: false, hasChildren: true }],
]);

/** Reads the rows in one page of a SQLite file, without the tree that led to it. The page is a table's leaf, or any
 *  page of a table without row numbers, which looks like an index page. Returns nothing for any other page. Never
 *  throws: skips invalid cells. `read` returns the continuation pages of long rows. Layout:
 *  sqlite.org/fileformat2.html, sections 1.6 and 2.1; pages in our files have no reserved bytes. */
export function recordsIn(
  page: Uint8Array,
  number: number,
  read: (page: number) => Uint8Array | undefined,
): readonly StoredRecord[] {
  // The first page of the file begins with the file header.
  const start = number === 1 ? 100 : 0;
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const kind = kinds.get(view.getUint8(start));
  if (kind === undefined) return [];
  const cells = view.getUint16(start + 3);
  const pointers = start + (kind.hasChildren ? 12 : 8);
  const content = pointers + cells * 2;
  if (cells === 0 || content > page.length) return [];
  const records: StoredRecord[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const at = view.getUint16(pointers + cell * 2);
    const record = at >= content && at < page.length ? recordAt(page, at, kind, read) : undefined;
    if (record !== undefined) records.push(record);
  }
  return records;
}

interface PageKind {
  readonly hasRowNumbers: boolean;
  readonly hasChildren: boolean;
}

/** Bytes; longer than any row of ours. */
const longestRecord = 1 << 30;
const pageNumberBytes = 4;

function recordAt(
  page: Uint8Array,
  at: number,
  kind: PageKind,
  read: (page: number) => Uint8Array | undefined,
): StoredRecord | undefined {
  const cell = new Reader(page, at + (kind.hasChildren ? pageNumberBytes : 0));
  const length = cell.variable();
  const rowNumber = kind.hasRowNumbers ? cell.variable() : null;
  if (length === undefined || length < 1 || length > longestRecord || rowNumber === undefined) return undefined;
  const local = localLength(length, page.length, kind);
  const payload = page.subarray(cell.position, cell.position + local);
  if (payload.length < local) return undefined;
  const whole = local === length ? payload : withOverflow(payload, page, cell.position + local, length, read);
  const values = valuesOf(whole, length);
  return values === undefined ? undefined : { rowNumber, ...values };
}

/** Bytes of a row that are in the page itself. */
function localLength(length: number, usable: number, { hasRowNumbers }: PageKind): number {
  const most = hasRowNumbers ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (length <= most) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((length - least) % (usable - pageNumberBytes));
  return local <= most ? local : least;
}

/** Joins the parts of a long row that its chain of pages still holds. */
function withOverflow(
  local: Uint8Array,
  page: Uint8Array,
  linkAt: number,
  length: number,
  read: (page: number) => Uint8Array | undefined,
): Uint8Array {
  const pieces = [local];
  let left = length - local.length;
  let next = new Reader(page, linkAt).pageNumber();
  const seen = new Set<number>();
  while (left > 0 && next !== 0 && !seen.has(next)) {
    seen.add(next);
    const link = read(next);
    if (link === undefined) break;
    const piece = link.subarray(pageNumberBytes, pageNumberBytes + left);
    pieces.push(piece);
    left -= piece.length;
    next = new Reader(link, 0).pageNumber();
  }
  const joined = new Uint8Array(length - left);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

const isText = (type: number): boolean => type >= 13 && type % 2 === 1;

/** Undefined when the bytes are not a record of this length. */
function valuesOf(bytes: Uint8Array, length: number): Pick<StoredRecord, 'values' | 'isWhole'> | undefined {
  const header = new Reader(bytes, 0);
  const headerLength = header.variable();
  if (headerLength === undefined || headerLength < header.position || headerLength > bytes.length) return undefined;
  const types: number[] = [];
  while (header.position < headerLength) {
    const type = header.variable();
    if (type === undefined || type === 10 || type === 11) return undefined;
    types.push(type);
  }
  if (header.position !== headerLength || headerLength + types.reduce((sum, type) => sum + sizeOf(type), 0) !== length)
    return undefined;
  const values: SqlValue[] = [];
  let at = headerLength;
  for (const type of types) {
    const end = at + sizeOf(type);
    // Of a truncated value, the beginning of a text is worth keeping; that of a number or blob is not.
    if (end > bytes.length)
      return { values: isText(type) ? [...values, textOf(bytes.subarray(at))] : values, isWhole: false };
    values.push(valueOf(type, bytes.subarray(at, end)));
    at = end;
  }
  return { values, isWhole: true };
}

const integerSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOf(type: number): number {
  return type < 12 ? (integerSizes[type] ?? 0) : Math.floor((type - 12) / 2);
}

function valueOf(type: number, bytes: Uint8Array): SqlValue {
  if (type === 0) return null;
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
  if (type >= 8 && type <= 9) return type - 8;
  if (type < 7) return integerOf(bytes);
  return isText(type) ? textOf(bytes) : bytes.slice();
}

/** Big-endian, signed. Loses digits beyond 2^53, as reading through SQLite does. */
function integerOf(bytes: Uint8Array): number {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return Number(BigInt.asIntN(bytes.length * 8, value));
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    public position: number,
  ) {}

  /** SQLite's variable-length integer of one to nine bytes. Undefined at the end of the bytes. */
  variable(): number | undefined {
    let value = 0n;
    for (let count = 1; ; count++) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) return undefined;
      if (count === 9) return Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte)));
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return Number(value);
    }
  }

  /** 0, which is no page, at the end of the bytes. */
  pageNumber(): number {
    const { bytes, position } = this;
    return position + pageNumberBytes <= bytes.length
      ? new DataView(bytes.buffer, bytes.byteOffset + position).getUint32(0)
      : 0;
  }
}
