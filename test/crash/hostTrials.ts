import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '../../src/transcript/message';
import { storeFolderOf } from '../../src/store/ownership/storeFolder';
import { storeFiles } from '../../src/store/open/storeFiles';
import { type RecordedRequest, type Reply, reply, startModelServer } from '../support/modelServer';
import { NodeProgram } from '../support/nodeProgram';
import { otherSqlite } from '../support/otherSqlite';
import { historyFaults, withoutHandoff } from '../support/providerRules';
import { buildStoreWorker } from '../support/storeWorker';
import { openWorldStore } from '../support/worldStore';
import { type CrashHostOrder, readRecord, type Shown } from './crashRecord';
import { seededRandom } from '../support/seededRandom';

/** Tokens the model says it takes: a few files read fill it. */
const contextWindow = 8000;
/** What a life shows at most before it is killed, as it is written down; five times as much if it is to be killed in a summary. */
const mostBytesPerLife = 20_000;

export interface HostTrialResult {
  trials: number;
  /** Characters of answers and thinking that surfaces showed, over all trials. */
  shownChars: number;
  /** Of these, characters that are not stored where they were shown. */
  lostChars: number;
  /** Characters of answers that are stored, or were shown, a second time. */
  duplicatedChars: number;
  /** Stores another SQLite complains about, or ours. */
  corrupt: number;
  /** Confirmed prompts that are not stored exactly once, as a row or in the queue. */
  lostPrompts: number;
  /** Rows shown (calls, results) that are not stored. */
  lostRows: number;
  /** Histories that no provider would accept, after recovery. */
  invalidHistories: number;
  /** Requests the strict server refused: the turn after a crash is among them. */
  refusedRequests: number;
  requests: number;
  killedWhileOpening: number;
  /** Trials whose kill cut a turn off. */
  killedInTurn: number;
  /** Summaries the model was asked for, and continuations that were made of them. */
  summaries: number;
  compressionScheduler: number;
  /** Turns that began in one segment of a session and went on in the next. */
  turnsAcrossSegments: number;
  /** Segments another segment carries on that have not exactly one continuation, or one without a handoff. */
  brokenChains: number;
}

/** Kills the product's process again and again on the same store, each time at a random moment, and compares after each kill what was ever
 *  shown with what a fresh process finds. Every word the model says is unique, so that a doubled one is seen. */
export async function runHostTrials(
  trials: number,
  seed: number,
  say: (line: string) => void = () => undefined,
): Promise<HostTrialResult> {
  const random = seededRandom(seed);
  const built = await buildStoreWorker({ crashHost: 'test/crash/crashHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-crash-'));
  const [storage, project, record] = [join(home, 'storage'), join(home, 'project'), join(home, 'shown.jsonl')];
  for (const folder of [storage, project]) mkdirSync(folder);
  writeFileSync(join(project, 'note.txt'), 'remember the milk\n'.repeat(200));
  const server = await startModelServer();
  let words = 0;
  let summaries = 0;
  server.otherwise((request) => {
    if (isForSummary(request)) {
      summaries++;
      return reply().says(`## Goal\nSummary ${summaries} of what was asked and done.`, { every: 4 });
    }
    const asked = request.outline.findLastIndex((line) => line.startsWith('user:'));
    return answer(random, () => `w${++words}`, request.outline.length - asked < 6).uses({
      input: tokensOf(request),
      output: 20,
    });
  });
  const result: HostTrialResult = {
    trials: 0,
    shownChars: 0,
    lostChars: 0,
    duplicatedChars: 0,
    corrupt: 0,
    lostPrompts: 0,
    lostRows: 0,
    invalidHistories: 0,
    refusedRequests: 0,
    requests: 0,
    killedWhileOpening: 0,
    killedInTurn: 0,
    summaries: 0,
    compressionScheduler: 0,
    turnsAcrossSegments: 0,
    brokenChains: 0,
  };
  const order = (name: string, prompts: number): CrashHostOrder => ({
    name,
    storage,
    project,
    record,
    prompts,
    contextWindow,
    workerEntry: built.entry,
    url: server.url,
    protocol: Math.floor(result.trials / 10) % 2 === 0 ? 'openai' : 'anthropic',
    sessionId: result.trials % 10 === 0 ? null : lastSession(readRecord(record)),
  });
  try {
    for (let trial = 0; trial < trials; trial++) {
      const host = new NodeProgram(join(built.folder, 'crashHost.js'), [JSON.stringify(order(`t${trial}`, 1_000_000))]);
      const early = random() < 0.1;
      const asked = summaries;
      if (!early) {
        await host.line('open');
        // Counted in what it wrote down, not in time: a busy machine must not make every life too short to do anything.
        const share = random();
        const inSummary = random() < 0.2;
        const enough = sizeOf(record) + (inSummary ? 5 : share) * mostBytesPerLife;
        while (sizeOf(record) < enough && !(inSummary && summaries > asked)) await pause(2);
      }
      await pause(random() * (early ? 250 : 40));
      await host.kill();
      result.trials++;
      if (!host.lines.includes('open')) result.killedWhileOpening++;
      await examine(join(home, 'copy'), storage, readRecord(record), result);
      if (result.trials % 50 === 0)
        say(
          `${result.trials} kills: ${result.lostChars} characters lost, ${result.duplicatedChars} doubled, ${result.corrupt} stores damaged`,
        );
    }
    // The last kill is followed by a turn too.
    await new NodeProgram(join(built.folder, 'crashHost.js'), [JSON.stringify(order('last', 1))]).finish();
    await examine(join(home, 'copy'), storage, readRecord(record), result);
    result.shownChars = readRecord(record).reduce(
      (sum, shown) => sum + (shown.kind === 'text' ? shown.text.length : 0),
      0,
    );
    result.requests = server.requests.length;
    result.summaries = summaries;
    result.refusedRequests = server.requests.filter((request) => request.rejection !== null).length;
    return result;
  } finally {
    await server.close();
    built.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A compression asks with a system text of its own, and without tools. */
function isForSummary({ outline }: RecordedRequest): boolean {
  return outline.some((line) => line.startsWith('user:') && /<transcript>/.test(line));
}

/** What its service would count, about. */
function tokensOf({ outline }: RecordedRequest): number {
  return Math.round(outline.join('\n').length / 4);
}

function answer(random: () => number, word: () => string, mayCall: boolean): Reply {
  const every = Math.floor(random() * 4);
  const words = (most: number): string => `${Array.from({ length: 1 + Math.floor(random() * most) }, word).join(' ')} `;
  let said = reply();
  if (random() < 0.3) said = said.thinks(words(10), { every });
  if (random() < 0.8) said = said.says(words(60), { every });
  if (!mayCall || random() < 0.5) return random() < 0.1 ? said.says(words(5)).drops() : said.says(words(20), { every });
  said = said.calls('read_file', { path: 'note.txt' });
  return random() < 0.5 ? said : said.calls('search_files', { query: 'milk' }).calls('list_directory', {});
}

const brokenChains = `SELECT count(*) AS n FROM sessions s
  LEFT JOIN sessions c ON c.parent_session_id = s.id AND c.parent_kind = 'compression'
  WHERE (s.end_reason = 'compression') <> (c.id IS NOT NULL)
    OR (c.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages WHERE uid = c.id || '/handoff' AND content <> ''))`;

/** Looks at a copy of the store, so that the next host finds it as the killed one left it and recovers it by itself. */
async function examine(copy: string, storage: string, shown: readonly Shown[], result: HostTrialResult): Promise<void> {
  rmSync(copy, { recursive: true, force: true });
  cpSync(storage, copy, { recursive: true, filter: (from) => !from.endsWith('.sock') });
  const folder = storeFolderOf(copy);
  const openedAt = Date.now() / 1000;
  const { db, database, store } = await openWorldStore(folder, () => Date.now() / 1000);
  const sessions = database.all('SELECT id FROM sessions').map((row) => String(row['id']));
  const rows = new Map(
    sessions
      .flatMap((sessionId) => db.readTranscript({ sessionId, limit: 100_000, includeHidden: true }).messages)
      .map((row) => [row.uid, row]),
  );
  const queued = database.all('SELECT uid FROM queue').map((row) => String(row['uid']));
  const tips = sessions.filter((sessionId) => db.conversationTip(sessionId) === sessionId);
  result.invalidHistories += tips.filter(
    (sessionId) => historyFaults(withoutHandoff(db.activeMessages(sessionId))).length > 0,
  ).length;
  const count = (sql: string): number => Number(database.get(sql)?.['n'] ?? 0);
  result.compressionScheduler = count("SELECT count(*) AS n FROM sessions WHERE parent_kind = 'compression'");
  result.turnsAcrossSegments = count(
    'SELECT count(*) AS n FROM (SELECT 1 FROM messages WHERE carried_from IS NULL AND turn_uid IS NOT NULL GROUP BY turn_uid HAVING count(DISTINCT session_id) > 1)',
  );
  result.brokenChains += count(brokenChains);
  if (
    database.get("SELECT 1 AS n FROM turns WHERE stop_reason = 'crash' AND settled_at >= ?", [openedAt]) !== undefined
  )
    result.killedInTurn++;
  const damage = db.verifyIntegrity();
  await store.close();
  const judged = otherSqlite(storeFiles(folder).main, 'PRAGMA integrity_check');
  if (damage.length > 0 || judged.join() !== 'ok') result.corrupt++;
  compareTexts(shown, rows, result);
  for (const entry of shown) {
    if (entry.kind === 'row' && !rows.has(entry.uid)) result.lostRows++;
    if (entry.kind === 'prompt' && Number(rows.has(entry.uid)) + queued.filter((uid) => uid === entry.uid).length !== 1)
      result.lostPrompts++;
  }
}

function compareTexts(shown: readonly Shown[], rows: ReadonlyMap<string, Message>, result: HostTrialResult): void {
  const seen = new Map<string, string>();
  for (const entry of shown) {
    if (entry.kind !== 'text') continue;
    const key = `${entry.uid} ${entry.part}`;
    const before = seen.get(key) ?? '';
    if (entry.start < before.length) result.duplicatedChars += before.length - entry.start;
    seen.set(key, before.slice(0, entry.start) + entry.text);
    const part = rows.get(entry.uid)?.parts[entry.part];
    const stored =
      part !== undefined && 'text' in part ? part.text.slice(entry.start, entry.start + entry.text.length) : '';
    result.lostChars += [...entry.text].filter((character, index) => stored[index] !== character).length;
  }
  const words = [...rows.values()].flatMap((row) =>
    row.role === 'assistant'
      ? row.parts.flatMap((part) => (part.kind === 'toolCall' ? [] : (part.text.match(/\bw\d+\b/g) ?? [])))
      : [],
  );
  const known = new Set<string>();
  for (const word of words) {
    if (known.has(word)) result.duplicatedChars += word.length;
    known.add(word);
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function lastSession(shown: readonly Shown[]): string | null {
  const last = shown.findLast((entry) => entry.kind === 'prompt');
  return last?.kind === 'prompt' ? last.sessionId : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
