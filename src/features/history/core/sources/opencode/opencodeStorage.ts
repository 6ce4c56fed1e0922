import { basename } from 'node:path';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignPlace } from '../foreign';
import { nameOf, numberOf, textOf } from '../reading/fields';
import type { ForeignDatabase } from '../reading/foreignDatabase';
import { jsonFile, type HistoryFiles } from '../reading/historyFiles';

/** A message, or a part of one, as it is stored. `value` is null when it cannot be read. */
export interface StoredRecord {
  readonly id: string;
  readonly value: JsonObject | null;
  readonly place: ForeignPlace;
}

/** Records of one session, in the database or in the files of earlier versions. */
export interface OpencodeStorage {
  /** In the order of the conversation. */
  messages(): AsyncIterable<StoredRecord>;
  /** In the order in which they were made. */
  parts(messageId: string): AsyncIterable<StoredRecord>;
}

/** Tables `message` and `part`, which hold JSON. */
export class DatabaseStorage implements OpencodeStorage {
  constructor(
    private readonly database: ForeignDatabase,
    private readonly path: string,
    private readonly sessionId: string,
  ) {}

  messages(): AsyncGenerator<StoredRecord> {
    return this.records(
      `SELECT rowid AS number, id, CAST(data AS BLOB) AS data FROM message
       WHERE session_id = ? ORDER BY time_created, id`,
      this.sessionId,
    );
  }

  parts(messageId: string): AsyncGenerator<StoredRecord> {
    return this.records(
      'SELECT rowid AS number, id, CAST(data AS BLOB) AS data FROM part WHERE message_id = ? ORDER BY id',
      messageId,
    );
  }

  private async *records(sql: string, key: string): AsyncGenerator<StoredRecord> {
    for (const row of await Promise.resolve(this.database.iterate(sql, [key]))) {
      const number = numberOf(row, 'number') ?? 1;
      const read = parseJsonObject(textOf(row, 'data') ?? '');
      yield {
        id: nameOf(row, 'id') ?? `row ${number}`,
        value: read.kind === 'object' ? read.value : null,
        place: { path: this.path, unit: 'row', number },
      };
    }
  }
}

/** Files `message/<session>/<message>.json` and `part/<message>/<part>.json`. Their names are ids, which ascend. */
export class FileStorage implements OpencodeStorage {
  constructor(
    private readonly files: HistoryFiles,
    private readonly folder: string,
    private readonly sessionId: string,
  ) {}

  messages(): AsyncGenerator<StoredRecord> {
    return this.records(`${this.folder}/message/${this.sessionId}`);
  }

  parts(messageId: string): AsyncGenerator<StoredRecord> {
    return this.records(`${this.folder}/part/${messageId}`);
  }

  private async *records(folder: string): AsyncGenerator<StoredRecord> {
    for (const { name, kind } of await this.files.list(folder)) {
      if (kind !== 'file' || !name.endsWith('.json')) continue;
      const path = `${folder}/${name}`;
      yield {
        id: basename(name, '.json'),
        value: await jsonFile(this.files, path),
        place: { path, unit: 'file', number: 1 },
      };
    }
  }
}
