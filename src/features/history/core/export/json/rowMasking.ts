import {
  jsonColumns,
  type ColumnValue,
  type ExportedTable,
  type StoreRow,
} from '../../sources/hermesExport/exportFormat';
import type { SecretMask } from '../output/secretMask';

/** Columns with text of the user, the model or a tool. */
const textColumns: { readonly [T in ExportedTable]?: readonly string[] } = {
  sessions: ['title', 'preview', 'system_prompt'],
  messages: ['content', 'reasoning_content', 'api_content'],
  stream_chunks: ['text'],
  message_revisions: ['content'],
  queue: ['text'],
  drafts: ['text'],
};

/** Strings that connect rows, or are not text: a mask would break a call's link to its result, or an image. */
const keptKeys: ReadonlySet<string> = new Set(['kind', 'callId', 'id', 'sessionId', 'dataBase64', 'mediaType']);

/** Returns the row with its secrets masked. Ids and numbers stay. */
export function maskedRow({ table, row }: StoreRow, { mask }: Pick<SecretMask, 'mask'>): StoreRow {
  const texts = new Set(textColumns[table]);
  const json = new Set(jsonColumns[table]);
  const masked = (name: string, value: ColumnValue): ColumnValue => {
    if (typeof value !== 'string') return value;
    if (texts.has(name)) return mask(value);
    return json.has(name) ? maskedJsonText(value, mask) : value;
  };
  return { table, row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, masked(name, value)])) };
}

function maskedJsonText(text: string, mask: (text: string) => string): string {
  try {
    return JSON.stringify(maskedJson(JSON.parse(text), mask));
  } catch {
    return mask(text);
  }
}

function maskedJson(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((entry) => maskedJson(entry, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, keptKeys.has(key) ? entry : maskedJson(entry, mask)]),
  );
}
