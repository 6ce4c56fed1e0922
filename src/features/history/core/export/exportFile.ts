import { t } from '../../../../base/translate';
import type { SqlDatabase } from '../../../../store/engine/sqlDatabase';
import type { ReadingDeps } from '../../../../store/library/foreignStore';
import type { ExportOptions } from './output/exportOptions';
import { hermesDatabase, type HermesRecords } from './hermes/hermesDatabase';
import { hermesUsage } from './hermes/hermesUsage';
import { exportRows } from './json/jsonExport';
import { OutputFile, writeWhole } from './output/outputFile';
import { htmlArticle, htmlEnd, htmlHead } from './readable/htmlExport';
import { openaiLine } from './readable/openaiExport';
import { RecordReading, type LeftOut } from './readable/recordReading';
import { markdownExport, type ExportedSession } from '../../../../transcript/readable/transcriptExport';
import { SecretMask } from './output/secretMask';
import { newestSegments, sessionsIn, type ExportScope } from './sessionScope';

export const exportFormats = ['json', 'markdown', 'html', 'openai', 'hermes'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly scope: ExportScope;
  readonly path: string;
  /** Does not apply to `json`, which keeps everything. */
  readonly leftOut: LeftOut;
  readonly masksSecrets: boolean;
  readonly language: string;
}

export interface ExportedFile {
  /** Sessions in the file; of a readable format, conversations. */
  readonly sessions: number;
  /** Every session with rows in the file, also those within a conversation. */
  readonly sessionIds: readonly string[];
  readonly maskedSecrets: number;
  readonly bytes: number;
}

/** Exports sessions of a store that is open for reading. The file appears whole or not at all; a stop rejects and
 *  leaves what was there before. */
export async function exportFile(
  database: SqlDatabase,
  deps: ReadingDeps,
  request: ExportRequest,
  options: ExportOptions,
): Promise<ExportedFile> {
  const { format, path, scope } = request;
  const mask = new SecretMask(request.masksSecrets);
  const sessionIds = sessionsIn(database, scope);
  const output = new OutputFile(deps.fileSystem, path);
  const sessions = await writeWhole(output, async () =>
    format === 'json'
      ? ((await exportRows(database, sessionIds, output, mask, options)).counts['sessions'] ?? 0)
      : exportRecords(deps, database, sessionIds, output, { ...request, format }, mask, options),
  );
  return { sessions, sessionIds, maskedSecrets: mask.count, bytes: output.size };
}

async function exportRecords(
  deps: ReadingDeps,
  database: SqlDatabase,
  sessionIds: readonly string[],
  output: OutputFile,
  request: ExportRequest & { readonly format: Exclude<ExportFormat, 'json'> },
  mask: SecretMask,
  options: ExportOptions,
): Promise<number> {
  const reading = new RecordReading(database, request.leftOut, mask, options);
  const { format } = request;
  const conversations = newestSegments(database, sessionIds);
  if (format === 'hermes') {
    output.write(await hermesDatabase(deps, segmentsOf(database, reading, sessionIds, options)));
    return conversations.length;
  }
  if (request.format === 'html') output.write(htmlHead('Hermes', request));
  let done = 0;
  for (const id of conversations) {
    const record = await reading.read(id);
    if (record !== null) output.write(documentOf(record, { ...request, format }, done));
    options.onProgress({ done: ++done, total: conversations.length });
  }
  if (request.format === 'html') output.write(htmlEnd);
  return done;
}

function segmentsOf(
  database: SqlDatabase,
  reading: RecordReading,
  sessionIds: readonly string[],
  options: ExportOptions,
): HermesRecords {
  let done = 0;
  return {
    sessions: new Map(
      sessionIds.flatMap((id) => {
        const session = reading.session(id);
        return session === null ? [] : [[id, session] as const];
      }),
    ),
    read: async (id) => {
      const record = await reading.readSegment(id);
      options.onProgress({ done: ++done, total: sessionIds.length });
      return record;
    },
    usageOf: (id) => hermesUsage(database, id),
  };
}

function documentOf(
  record: ExportedSession,
  request: ExportRequest & { readonly format: Exclude<ExportFormat, 'json' | 'hermes'> },
  index: number,
): string {
  switch (request.format) {
    case 'markdown':
      return `${index === 0 ? '' : '\n---\n\n'}${markdownExport(record, { t, language: request.language })}`;
    case 'html':
      return htmlArticle(record, request);
    case 'openai':
      return `${openaiLine(record)}\n`;
    default:
      return request.format satisfies never;
  }
}
