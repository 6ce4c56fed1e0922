import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import * as v from 'valibot';
import { storeFiles } from '../../src/store/open/storeFiles';
import { otherSqlite } from './otherSqlite';
import { quickFolder } from './quickFolder';
import type { RecordingSurface } from './recordingSurface';
import type { World } from './world';

const part = v.object({
  kind: v.string(),
  text: v.exactOptional(v.string()),
  name: v.exactOptional(v.string()),
  arguments: v.exactOptional(v.string()),
  outcome: v.exactOptional(v.string()),
});
const storedRow = v.object({
  uid: v.string(),
  role: v.string(),
  active: v.number(),
  display: v.nullable(v.string()),
  hidden: v.nullable(v.string()),
  parts: v.array(part),
});
type StoredRow = v.InferOutput<typeof storedRow>;

/** The rows of one statement, read by a SQLite that is not ours from a copy of the files as they lie while the store is open, with the
 *  log in SQLite's own form. Each row must come out as one line: a number, a word, or JSON. */
export function readElsewhere(world: World, statement: string): readonly string[] {
  const copies = quickFolder('hermes-elsewhere-');
  const files = storeFiles(path.join(world.home, 'store'));
  const copy = path.join(copies, 'copy.db');
  try {
    // Read and written: `copyFile` goes on for ever with a file that becomes shorter meanwhile, as the log does at a checkpoint.
    writeFileSync(copy, readFileSync(files.main));
    if (existsSync(files.log)) copyFileSync(files.log, `${copy}-wal`);
    return otherSqlite(copy, statement);
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

/** The stored rows of a session in order, one line each, as `World.lines` writes them, but read by another SQLite. */
export function storedLines(world: World, sessionId: string): readonly string[] {
  return storedRows(world, sessionId).map(lineOf);
}

/** How a turn stands in the file: `complete stop`, `interrupted user`, `running`. */
export function storedTurns(world: World, sessionId: string): readonly string[] {
  return readElsewhere(
    world,
    `SELECT trim(coalesce(outcome, state) || ' ' || coalesce(stop_reason, '')) FROM turns WHERE session_id = '${sessionId}' ORDER BY id`,
  );
}

/** What conformance asks of every scenario. */
export interface Account {
  /** Read by another SQLite. */
  readonly stored: readonly string[];
  /** Messages of which the surface was given a text that is not, exactly and once, the stored one. */
  readonly missing: readonly string[];
  /** Why the strict server refused requests. */
  readonly refused: readonly string[];
  /** Times the gateway had to write what should have been there. */
  readonly backfills: number;
}

/** The account of a session after its turns: *delivered* as the surface recorded it, *stored* as another SQLite reads it. */
export async function account(world: World, surface: RecordingSurface, sessionId: string): Promise<Account> {
  await world.idle();
  const everywhere = storedRows(world, null);
  const missing = surface.delivered.filter(
    ({ uid, text }) => !everywhere.some((row) => row.uid === uid && textIn(row) === text),
  );
  return {
    stored: storedRows(world, sessionId).map(lineOf),
    missing: missing.map(({ text }) => text),
    refused: world.server.requests.flatMap(({ rejection }) => rejection ?? []),
    backfills: world.logLines.filter((line) => line.includes('Backfill')).length,
  };
}

/** Nothing missing, nothing refused, nothing written afterwards. */
export const sound = { missing: [], refused: [], backfills: 0 } as const;

function storedRows(world: World, sessionId: string | null): readonly StoredRow[] {
  const where = sessionId === null ? '' : `WHERE session_id = '${sessionId}'`;
  const columns =
    "'uid', uid, 'role', role, 'active', active, 'display', display_kind, 'hidden', hidden_reason, 'parts', json(parts)";
  return readElsewhere(
    world,
    `SELECT json_object(${columns}) FROM messages ${where} ORDER BY session_id, position`,
  ).map((line) => v.parse(storedRow, JSON.parse(line)));
}

function lineOf({ role, active, display, hidden, parts }: StoredRow): string {
  const mark = active === 0 ? ` (hidden: ${hidden ?? 'no reason'})` : display === null ? '' : ` (${display})`;
  return `${role}${mark}: ${parts.map(textOf).join(' ')}`;
}

function textOf({
  kind,
  text = '',
  name = '',
  arguments: given = '',
  outcome = '',
}: v.InferOutput<typeof part>): string {
  switch (kind) {
    case 'text':
      return text;
    case 'thinking':
      return `<${text}>`;
    case 'toolCall':
      return `[${name} ${given}]`;
    case 'toolResult':
      return `${outcome}: ${text}`;
    default:
      return `[${kind}]`;
  }
}

function textIn({ parts }: StoredRow): string {
  return parts.map(({ kind, text = '' }) => (kind === 'text' || kind === 'thinking' ? text : '')).join('');
}
