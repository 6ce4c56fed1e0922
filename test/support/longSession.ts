import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase } from '../../src/store/open/fileHeader';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import type { SqlDatabase } from '../../src/store/engine/sqlDatabase';
import type { Sqlite } from '../../src/store/engine/sqlite';
import { openDatabase } from '../../src/store/open/openDatabase';
import { migrate } from '../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import type { NewMessage } from '../../src/transcript/message';
import { unknownUsage } from '../../src/transcript/usage';

export const longSession = 'long';
export const longSessionTitle = 'A long session';
/** Turns in one transaction while a store is made. */
const turnsAtOnce = 500;
const promptLength = 200;
const answerLength = 800;

export const turnOf = (number: number): string => `turn-${number}`;
export const promptOf = (number: number): string => `${turnOf(number)}-prompt`;

/** Makes a store in `folder` with one session of that many turns, a prompt and an answer each, indexed. `indexed`: rows of which the words are
 *  in the search index; default all. */
export function seedLongSession(sqlite: Sqlite, folder: string, turns: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'state.db'), emptyDatabase());
  const { database } = openDatabase({
    sqlite,
    fileSystem: new NodeFileSystem(),
    folder,
    now: () => 1_700_000_000,
  });
  migrate(database);
  const inOne: SqlDatabase = {
    run: (...args) => database.run(...args),
    get: (...args) => database.get(...args),
    all: (...args) => database.all(...args),
    iterate: (...args) => database.iterate(...args),
    transaction: (work) => work(),
    readTransaction: (work) => work(),
    execute: (sql) => database.execute(sql),
    close: () => database.close(),
  };
  const sessions = createSessionDb({
    database: inOne,
    now: () => 1_700_000_000,
    fileSizes: () => ({ fileBytes: 0, logBytes: 0 }),
  });
  sessions.createSession({ id: longSession, startedAt: 1_600_000_000, title: longSessionTitle, titleSource: 'person' });
  for (let first = 0; first < turns; first += turnsAtOnce) {
    database.transaction(() => {
      for (let number = first; number < Math.min(turns, first + turnsAtOnce); number++) storeTurn(sessions, number);
      while (sessions.indexBatch(256) > 0);
    });
  }
  database.close();
}

function storeTurn(sessions: SessionDb, number: number): void {
  const [uid, at] = [turnOf(number), 1_700_000_000 + number];
  const base = (name: string) =>
    ({
      uid: `${uid}-${name}`,
      sessionId: longSession,
      turnUid: uid,
      createdAt: at,
      visibility: { kind: 'shown' },
      carriedFrom: null,
    }) as const;
  const answer: NewMessage = {
    ...base('answer'),
    role: 'assistant',
    parts: [{ kind: 'text', text: words(number * 2 + 1, answerLength) }],
    state: 'final',
    lastSeq: 0,
    model: 'bench/model',
    finishReason: 'stop',
    usage: unknownUsage,
  };
  sessions.openTurn({
    turnUid: uid,
    sessionId: longSession,
    model: 'bench/model',
    startedAt: at,
    userMessage: { ...base('prompt'), role: 'user', parts: [{ kind: 'text', text: words(number * 2, promptLength) }] },
  });
  sessions.settleTurn({
    turnUid: uid,
    settledAt: at + 1,
    settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
    messages: [answer],
  });
}

/** Some words are frequent and most are rare, as in any language. */
function words(seed: number, length: number): string {
  let state = (seed * 2654435761 + 12345) >>> 0;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const uniform = state / 2 ** 32;
    text += `${(1000 + Math.floor(4000 * uniform ** 3)).toString(36)}n `;
  }
  return text.trimEnd();
}
