import { parsedAs } from '../../../../transcript/json';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type ForeignSession } from '../sources/foreign';
import { sourceNames } from '../../../../transcript/sourceTitles';

const sessionSchema = v.object({
  source: v.picklist(sourceNames),
  id: v.string(),
  title: v.nullable(v.string()),
  /** True for a session that names no folder. */
  isFolderless: v.boolean(),
});
const fileSchema = v.object({
  /** Size and time of the file when it was imported. */
  stamp: v.string(),
  /** True when the file was deleted. */
  isGone: v.boolean(),
  /** Its sessions in this store. */
  sessions: v.array(sessionSchema),
});
const recordSchema = v.object({
  version: v.literal(1),
  /** Seconds since the epoch; null before the first import. */
  importedAt: v.nullable(v.number()),
  /** Names the folders whose sessions the files were searched for. */
  scope: v.string(),
  files: v.record(v.string(), fileSchema),
});

export type RescuedSession = v.InferOutput<typeof sessionSchema>;
export type RescuedFile = v.InferOutput<typeof fileSchema>;
export type RescueRecord = v.InferOutput<typeof recordSchema>;

export const emptyRecord: RescueRecord = { version: 1, importedAt: null, scope: '', files: {} };

/** Keeps the record of one store. */
export interface RescueRecordFile {
  /** An empty record where none can be read. */
  load(): Promise<RescueRecord>;
  save(record: RescueRecord): Promise<void>;
  /** Sessions without a folder that other stores of this machine keep, by `sessionKey`. */
  keptElsewhere(): Promise<ReadonlySet<string>>;
}

export function sessionKey({ source, id }: Pick<ForeignSession, 'source' | 'id'>): string {
  return JSON.stringify([source, id]);
}

/** Records in files of one folder. `store`: folder of the store, which only names the file. */
export class NodeRescueRecord implements RescueRecordFile {
  private readonly name: string;

  constructor(
    private readonly folder: string,
    store: string,
  ) {
    this.name = `${createHash('sha256').update(store).digest('hex').slice(0, 24)}.json`;
  }

  load(): Promise<RescueRecord> {
    return recordIn(join(this.folder, this.name));
  }

  /** Replaces the file as a whole. */
  async save(record: RescueRecord): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const unfinished = join(this.folder, `${this.name}.${randomUUID()}.tmp`);
    try {
      const file = await open(unfinished, 'wx');
      try {
        await file.writeFile(JSON.stringify(record));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, join(this.folder, this.name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async keptElsewhere(): Promise<ReadonlySet<string>> {
    const names = await readdir(this.folder).catch(() => []);
    const others = names.filter((name) => name.endsWith('.json') && name !== this.name);
    const kept = new Set<string>();
    for (const name of others) {
      const { files } = await recordIn(join(this.folder, name));
      for (const session of Object.values(files).flatMap(({ sessions }) => sessions))
        if (session.isFolderless) kept.add(sessionKey(session));
    }
    return kept;
  }
}

async function recordIn(path: string): Promise<RescueRecord> {
  return parsedAs(recordSchema, await readFile(path, 'utf8').catch(() => null)) ?? emptyRecord;
}
