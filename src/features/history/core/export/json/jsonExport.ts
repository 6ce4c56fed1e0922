import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { schemaVersion } from '../../../../../store/schema/migrations';
import { exportFormat, exportVersion, type ExportTrailer } from '../../sources/hermesExport/exportFormat';
import { rowLine } from '../../sources/hermesExport/rowJson';
import type { ExportOptions } from '../output/exportOptions';
import type { OutputFile } from '../output/outputFile';
import type { SecretMask } from '../output/secretMask';
import { maskedRow } from './rowMasking';
import { rowsOfSessions } from './storeRows';

/** Rows between two moments at which a stop is noticed. */
const rowsPerSlice = 200;

/** Writes all rows of these sessions, one per line of a JSON document. Memory does not grow with the sessions. With a
 *  mask that is on, the contents of changed files are left out: they are bytes, and may hold secrets. */
export async function exportRows(
  database: SqlDatabase,
  sessionIds: readonly string[],
  output: OutputFile,
  mask: SecretMask,
  options: ExportOptions,
): Promise<ExportTrailer> {
  const counts: Record<string, number> = {};
  const header = {
    format: exportFormat,
    version: exportVersion,
    schemaVersion,
    exportedAt: new Date(options.now() * 1000).toISOString(),
    lossless: !mask.isOn,
  };
  output.write(`${JSON.stringify(header).slice(0, -1)},"rows":[`);
  let [rows, sessions] = [0, 0];
  for (const row of rowsOfSessions(database, sessionIds, !mask.isOn)) {
    output.write(`${rows === 0 ? '' : ','}\n${rowLine(mask.isOn ? maskedRow(row, mask) : row)}`);
    counts[row.table] = (counts[row.table] ?? 0) + 1;
    if (row.table === 'sessions') options.onProgress({ done: sessions++, total: sessionIds.length });
    if (++rows % rowsPerSlice === 0) await options.pause();
  }
  const trailer = { counts, maskedSecrets: mask.count };
  output.write(`\n],${JSON.stringify(trailer).slice(1)}\n`);
  return trailer;
}
