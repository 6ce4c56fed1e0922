import type { NewMessage } from '../../../transcript/message';
import type { ImportedRow } from '../../importing';
import { messageColumns, messageValues } from '../tables/messageRow';

/** Columns with the texts of a message. A long one goes to the store as UTF-8: sql.js encodes a text character by
 *  character, which took a third of the time of an import. */
const texts: ReadonlySet<string> = new Set<(typeof messageColumns)[number]>(['content', 'parts']);
const longText = 1024;
const encoder = new TextEncoder();

/** A row as the store writes it. Runs off the store's thread, which only has to write the values. */
export function importedRow(message: NewMessage, position: number): ImportedRow {
  const values = messageValues(message).map((value, index) =>
    typeof value === 'string' && value.length >= longText && texts.has(messageColumns[index] ?? '')
      ? encoder.encode(value)
      : value,
  );
  return [...values, position];
}

/** Stores such a row; the texts in it become texts again. */
export const insertImported = `INSERT INTO messages (${messageColumns.join(', ')}, position)
  VALUES (${messageColumns.map((column) => (texts.has(column) ? 'CAST(? AS TEXT)' : '?')).join(', ')}, ?)`;
