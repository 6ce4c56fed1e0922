import type { SessionStore } from '../../../store/session/sessionStore';
import { isContinuation } from '../../../transcript/continuation';
import { answerText, type Message } from '../../../transcript/message';
import type { Turn } from '../../../transcript/turn';
import type { SessionTurns, TurnText } from './ports';

const pageSize = 200;

/** Reads turns from the store, from the whole conversation, because a compression may split a turn. */
export function storedTurns(store: Pick<SessionStore, 'readTranscript' | 'getTurn'>): SessionTurns {
  return {
    read: async (sessionId, turnUids) => {
      const rows = await rowsOf(store, sessionId, turnUids);
      const texts = new Map<string, TurnText>();
      for (const [uid, { turn, messages }] of rows) {
        const text = textOf(turn, messages);
        if (text !== null) texts.set(uid, text);
      }
      return texts;
    },
    stateOf: async (turnUid) => {
      const turn = await store.getTurn(turnUid);
      if (turn === null) return 'over';
      if (turn.state !== 'settled') return 'open';
      return turn.outcome === 'complete' ? 'complete' : 'over';
    },
  };
}

interface TurnRows {
  readonly turn: Turn;
  /** In order. */
  readonly messages: readonly Message[];
}

/** Returns shown rows of these turns. Reads from the newest page back until all of them are complete. */
async function rowsOf(
  store: Pick<SessionStore, 'readTranscript'>,
  sessionId: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, TurnRows>> {
  const found = new Map<string, TurnRows>();
  let before: number | undefined;
  for (;;) {
    const page = await store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    });
    for (const turn of page.turns) {
      if (!wanted.has(turn.uid)) continue;
      const messages = page.messages.filter(({ turnUid }) => turnUid === turn.uid);
      found.set(turn.uid, { turn, messages: [...messages, ...(found.get(turn.uid)?.messages ?? [])] });
    }
    const [first] = page.messages;
    if (!page.hasEarlier || first === undefined) return found;
    // A turn whose rows begin before this page is not complete yet.
    const begun = first.turnUid === null ? undefined : found.get(first.turnUid);
    const cutUp = begun !== undefined && first.uid !== begun.turn.userMessageUid;
    if (!cutUp && [...wanted].every((uid) => found.has(uid))) return found;
    before = first.position;
  }
}

/** Null for a turn that is not complete, not shown, or has no answer. The prompt is empty when a repair has merged
 *  it into an earlier one, and when the turn continued an answer. */
function textOf(turn: Turn, messages: readonly Message[]): TurnText | null {
  if (turn.state !== 'settled' || turn.outcome !== 'complete') return null;
  const shown = messages.filter(({ visibility }) => visibility.kind === 'shown');
  const prompt = shown.find(({ uid }) => uid === turn.userMessageUid) ?? shown.find(({ role }) => role === 'user');
  const answer = shown
    .flatMap((message) => (message.role === 'assistant' ? [answerText(message.parts)] : []))
    .filter((text) => text !== '')
    .join('\n\n');
  if (answer.trim() === '') return null;
  return {
    prompt: prompt === undefined || isContinuation(prompt) ? '' : answerText(prompt.parts),
    answer,
    startedAt: turn.startedAt,
    settledAt: turn.settledAt,
  };
}
