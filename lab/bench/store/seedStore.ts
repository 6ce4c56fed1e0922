import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase } from '../../../src/store/open/fileHeader';
import { migrate } from '../../../src/store/schema/migrations';
import { benchTurn, sessionOf } from './benchTurn';
import { NativeSessions } from './nativeSessions';

/** Makes a store of that many turns, indexed, in large transactions without durability. `inSession`: the session of a
 *  turn. */
export function seedStore(folder: string, turns: number, inSession: (number: number) => string = sessionOf): void {
  const file = join(folder, 'state.db');
  writeFileSync(file, emptyDatabase());
  const native = new NativeSessions(file, 'none');
  migrate(native.database, { keepCopy: () => undefined });
  const made = new Set<string>();
  for (let first = 0; first < turns; first += 1000) {
    native.database.asOne(() => {
      for (let number = first; number < Math.min(turns, first + 1000); number++) {
        const { sessionId, opening, settling } = benchTurn(number, inSession(number));
        if (!made.has(sessionId)) native.operations.createSession({ id: sessionId, startedAt: opening.startedAt });
        made.add(sessionId);
        native.operations.openTurn(opening);
        native.operations.settleTurn(settling);
      }
      native.index();
    });
  }
  native.database.close();
}
