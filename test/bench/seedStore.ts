import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase } from '../../src/store/open/fileHeader';
import { migrate } from '../../src/store/schema/migrations';
import { benchTurn, messagesPerTurn, turnsPerSession } from './benchTurn';
import { BetterSqliteDatabase } from './betterSqliteDatabase';
import { indexAll, sessionDbOver } from './contestants';

/** Makes a store of that many messages, indexed, in large transactions without durability. Returns its number of turns.
 *  `packages`: where better-sqlite3 is installed. */
export function seedStore(folder: string, packages: string, messages: number): number {
  const file = join(folder, 'state.db');
  writeFileSync(file, emptyDatabase());
  const database = new BetterSqliteDatabase(packages, file, 'none');
  migrate(database, { keepCopy: () => undefined });
  const sessions = sessionDbOver(database);
  const turns = Math.ceil(messages / messagesPerTurn);
  for (let first = 0; first < turns; first += 1000) {
    database.asOne(() => {
      for (let number = first; number < Math.min(turns, first + 1000); number++) {
        const { sessionId, opening, settling } = benchTurn(number);
        if (number % turnsPerSession === 0) sessions.createSession({ id: sessionId, startedAt: opening.startedAt });
        sessions.openTurn(opening);
        sessions.settleTurn(settling);
      }
      indexAll(sessions);
    });
  }
  database.close();
  return turns;
}
