import type { SqlDatabase, SqlValue } from '../../../engine/sqlDatabase';
import { partLabels } from '../../../../transcript/draftPart';
import type { RepairedRow, RepairedTable, RowContent } from '../../../repairs';
import { readInteger, oneOf, texts } from '../../tables/columns';
import { readMessageRow } from '../../tables/messageRow';
import { toRow, fingerprint, imagedTables, imageOf, type RowImage } from './rowImages';

/** Characters of a message in a preview. */
const mostShown = 400;

interface ChangedRow {
  readonly table: RepairedTable;
  readonly id: string;
  readonly before: RowImage;
  /** Fingerprint of the row after the repair. */
  readonly after: string;
}

interface Recount {
  readonly sessionId: string;
  readonly messages: number;
  readonly calls: number;
}

/** Records rows before a repair changes them. */
export class ChangeRecord {
  private readonly images = new Map<string, { readonly table: RepairedTable; readonly id: string; before: RowImage }>();
  /** Changes of counts that were wrong, apart from those that follow the messages. */
  readonly recounts: Recount[] = [];
  /** Sessions that were made. */
  readonly madeSessions: string[] = [];
  /** Versions of messages with a higher id were made by the repair. */
  readonly lastRevision: number;

  constructor(private readonly database: SqlDatabase) {
    const row = database.get('SELECT coalesce(max(id), 0) AS n FROM message_revisions') ?? {};
    this.lastRevision = readInteger(row, 'n', 0);
  }

  /** Call before the row changes, or, with a row that is not stored yet, before it is made. */
  before(table: RepairedTable, id: string): void {
    const key = `${table} ${id}`;
    if (!this.images.has(key)) this.images.set(key, { table, id, before: imageOf(this.database, table, id) });
  }

  /** The same for all rows of a table that a condition finds. */
  beforeAll(table: RepairedTable, where: string, params: readonly SqlValue[]): readonly string[] {
    const { key } = imagedTables[table];
    const ids = texts(this.database, `SELECT ${key} AS id FROM ${table} WHERE ${where}`, params);
    for (const id of ids) this.before(table, id);
    return ids;
  }

  /** Call after a row was made. */
  made(table: RepairedTable, id: string): void {
    const key = `${table} ${id}`;
    if (!this.images.has(key)) this.images.set(key, { table, id, before: { row: null, chunks: [] } });
  }

  /** Rows that differ from what they were. */
  changed(): readonly ChangedRow[] {
    return [...this.images.values()].flatMap(({ table, id, before }) => {
      const image = imageOf(this.database, table, id);
      const after = fingerprint(table, image);
      return after === fingerprint(table, before) ? [] : [{ table, id, before, after }];
    });
  }

  /** The same for the user. */
  rows(): readonly RepairedRow[] {
    return this.changed().map(({ table, id, before }) => {
      const after = imageOf(this.database, table, id);
      const role =
        table === 'messages'
          ? oneOf(toRow(after.row === null ? before : after), 'role', ['user', 'assistant', 'tool'], 'assistant')
          : null;
      const content = (image: RowImage, other: RowImage): RowContent =>
        image.row === null
          ? { text: '', isHidden: true }
          : role === null
            ? columnsOf(table, image, other)
            : messageOf(image);
      return {
        table,
        id,
        role,
        before: before.row === null ? null : content(before, after),
        after: content(after, before),
      };
    });
  }
}

function messageOf(image: RowImage): RowContent {
  const { message } = readMessageRow(toRow(image));
  const texts = message.parts.map((part) => {
    switch (part.kind) {
      case 'text':
      case 'thinking':
        return part.text;
      case 'toolCall':
        return `${part.name} ${part.arguments} (${part.callId})`;
      case 'toolResult':
        return `${part.callId}: ${part.text}`;
      case 'image':
      case 'attachment':
        return partLabels([part]).join(' ');
    }
  });
  const streamed = image.chunks.map((chunk) => (typeof chunk['text'] === 'string' ? chunk['text'] : '')).join('');
  const text = [...texts, streamed].filter((one) => one !== '').join('\n');
  return { text: text.slice(0, mostShown), isHidden: message.visibility.kind === 'hidden' };
}

function columnsOf(table: RepairedTable, image: RowImage, other: RowImage): RowContent {
  const [row, compared] = [toRow(image), toRow(other)];
  const columns = imagedTables[table].columns.filter((column) => row[column] !== compared[column]);
  return { text: columns.map((column) => `${column}: ${String(row[column] ?? '–')}`).join(', '), isHidden: false };
}
