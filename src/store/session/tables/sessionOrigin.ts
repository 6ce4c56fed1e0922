import * as v from 'valibot';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { SessionOrigin } from '../../../transcript/session';
import { readText } from './columns';
import { parseJson } from './partsJson';

const origin = v.object({
  source: v.string(),
  id: v.string(),
  place: v.string(),
  writtenBy: v.nullable(v.string()),
  model: v.nullable(v.string()),
  importedAt: v.number(),
});

/** The `origin` column; nothing for a session that was written here, or when it cannot be read. */
export function originOf(row: SqlRow): { readonly origin?: SessionOrigin } {
  const stored = readText(row, 'origin', null);
  if (stored === null) return {};
  const parsed = v.safeParse(origin, parseJson(stored));
  return parsed.success ? { origin: parsed.output } : {};
}
