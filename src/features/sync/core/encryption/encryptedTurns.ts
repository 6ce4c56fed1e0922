import type { SharedTurns } from '../sharedTurns';
import type { Cipher } from './cipher';

/** Name under which what a turn shows is encrypted; no document has it. */
const document = 'watched';

/** Running turns of which the server sees only that they run. */
export function encryptedTurns(turns: SharedTurns, cipher: Cipher): SharedTurns {
  return {
    wishes: (...args) => turns.wishes(...args),
    show: async (conversationId, fence, body) =>
      turns.show(conversationId, fence, await cipher.encrypt(body, { conversationId, document, version: fence })),
    end: (...args) => turns.end(...args),
    watch: async (conversationId) => {
      const turn = await turns.watch(conversationId);
      if (turn === null || turn.body === null) return turn;
      return { ...turn, body: await cipher.open(turn.body, { conversationId, document, version: turn.fence }) };
    },
    askToStop: (...args) => turns.askToStop(...args),
  };
}
