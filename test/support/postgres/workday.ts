import { readdirSync, readFileSync } from 'node:fs';
import type { PostgresServer } from '../../../src/sync/postgres/postgresServer';
import { packedServer } from '../../../src/sync/packedServer';
import { sealedServer } from '../../../src/sync/sealing/sealedServer';
import type { Seal } from '../../../src/sync/sealing/seal';
import { answer, complete, openTurn, result, sessionDbWorld, settle } from '../sessionDbWorld';
import { roundOf } from '../syncRound';

const folder = new URL('../../../docs/', import.meta.url);
/** Text as people and tools write it, so that it compresses as it does in use. */
const prose = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

/** Different text of a length for each place. */
function text(place: number, length: number): string {
  const start = (place * 7919) % (prose.length - length);
  return prose.slice(start, start + length);
}

export interface Workday {
  readonly turns: number;
  /** Turns after which the server cleans up, as it does in use. */
  readonly cleanEach: number;
  readonly clean: () => Promise<unknown>;
  /** Null: the server may read the text. */
  readonly seal: Seal | null;
}

/** One machine asks in ten sessions and sends each turn when it ends. A turn has a prompt, four calls with a result of
 *  2,000 characters each, and an answer. Resolves with the UTF-8 bytes of what the turns say. */
export async function workday(
  client: PostgresServer,
  { turns, cleanEach, clean, seal }: Workday,
): Promise<{ readonly said: number }> {
  const { db, database } = await sessionDbWorld();
  db.synced.begin();
  const server = seal === null ? packedServer(client) : sealedServer(client, seal);
  const round = roundOf(db, server, 'laptop-3f0c8f2a9b6d', { machine: 'Laptop' });
  let said = 0;
  const say = (place: number, length: number): string => {
    const words = text(place, length);
    said += Buffer.byteLength(words);
    return words;
  };
  for (let n = 0; n < turns; n++) {
    const sessionId = `01980f5e-${String(n % 10).padStart(4, '0')}-7abc-8def-0123456789ab`;
    const turnUid = `01980f5e-1111-7abc-8def-${String(n).padStart(12, '0')}`;
    if (n < 10) db.createSession({ id: sessionId, startedAt: 1, title: text(n, 40) });
    openTurn(db, { sessionId, turnUid, text: say(n, 400) });
    const calls = [0, 1, 2, 3].flatMap((call) => {
      const uid = `${turnUid}-${call}`;
      const made = {
        kind: 'toolCall',
        callId: `call_${uid}`,
        name: 'read_file',
        arguments: say(n * 5 + call, 120),
      } as const;
      return [
        answer(`a-${uid}`, [{ kind: 'text', text: say(n * 7 + call, 150) }, made], turnUid, sessionId),
        { ...result(`r-${uid}`, made.callId, say(n * 3 + call, 2000), turnUid), sessionId },
      ];
    });
    settle(db, turnUid, complete, [...calls, answer(`a-${turnUid}`, say(n * 11, 1200), turnUid, sessionId)]);
    await round.run();
    if (n % cleanEach === cleanEach - 1) await clean();
  }
  database.abandon();
  return { said };
}
