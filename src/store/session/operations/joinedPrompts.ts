import { t } from '../../../base/translate';
import { separatePrompts } from '../../../transcript/joinedRows';
import type { Message, UserMessage } from '../../../transcript/message';
import type { Turn } from '../../../transcript/turn';
import { readText } from '../tables/columns';
import type { StoredMessage } from '../tables/messageRow';
import { refused } from '../tables/refusal';
import { StorePart } from '../tables/storePart';

/** Prompts that a repair joined to an earlier one. Their text is in a row before the position of their turn, so
 *  hiding the rows after that position does not remove it: it is first removed from that row. Every method runs
 *  inside its caller's transaction. */
export class JoinedPrompts extends StorePart {
  /** Removes the prompt of a turn, and everything joined to the same rows after it, from those rows. Its original
   *  rows are then hidden for `reason`, like the rest of that version. A carried row is changed together with the
   *  row it repeats. Returns the uids of all changed rows. */
  takeBack(turn: Turn, segmentId: string, reason: 'retried' | 'edited'): readonly string[] {
    const changed: string[] = [];
    const seen = new Set<string>();
    for (
      let prompt = this.find(this.store.rows.nameInSegment(segmentId, turn.userMessageUid));
      prompt !== null && !seen.has(prompt.uid);
      prompt = this.find(prompt.carriedFrom)
    ) {
      seen.add(prompt.uid);
      changed.push(...this.takeOut(prompt, turn.uid, reason));
    }
    return changed;
  }

  private takeOut(prompt: Message, version: string, reason: 'retried' | 'edited'): readonly string[] {
    const holders = this.holdersOf(prompt);
    if (holders.at(-1)?.visibility.kind === 'hidden') return [];
    const changed: string[] = [];
    for (const { uid, holder } of this.joinedFrom(prompt, holders)) {
      // The rows that its holder was joined to repeat its text.
      const left = this.leftWithout(uid, holders.slice(holders.findIndex((row) => row.uid === holder)));
      if (left !== null) {
        for (const { stored, without } of left) this.messages.write(stored, without);
        this.messages.hide(uid, reason, null, version);
        changed.push(...left.map(({ stored }) => stored.message.uid), uid);
      } else if (uid === prompt.uid) {
        throw refused(
          t('This prompt was merged with the one before it, so it can’t be edited separately. Nothing was changed.'),
          `the text of message ${holder} does not end with that of ${uid}`,
        );
      }
    }
    return changed;
  }

  /** The rows that hold the text of a prompt: the row it was joined to, the row that one was joined to, and so on.
   *  Empty when it was not joined. */
  private holdersOf(prompt: Message): readonly UserMessage[] {
    const holders: UserMessage[] = [];
    for (let row: Message | null = prompt; row?.visibility.kind === 'hidden' && row.visibility.absorbedInto !== null;) {
      row = this.find(row.visibility.absorbedInto);
      if (row?.role !== 'user' || holders.some(({ uid }) => uid === row?.uid)) break;
      holders.push(row);
    }
    return holders;
  }

  /** Prompts joined to these rows, from `prompt` on, the last first: text can only be removed from the end of a row. */
  private joinedFrom(
    prompt: Message,
    holders: readonly Message[],
  ): readonly { readonly uid: string; readonly holder: string }[] {
    return this.database
      .all(
        `SELECT uid, absorbed_into FROM messages
         WHERE session_id = ? AND active = 0 AND hidden_reason = 'merged' AND role = 'user' AND position >= ?
           AND absorbed_into IN (SELECT value FROM json_each(?)) ORDER BY position DESC`,
        [prompt.sessionId, prompt.position, JSON.stringify(holders.map(({ uid }) => uid))],
      )
      .map((row) => ({ uid: readText(row, 'uid', ''), holder: readText(row, 'absorbed_into', '') }));
  }

  /** The rows without the text of a prompt that was joined to them; null when one of them does not end with that
   *  text. */
  private leftWithout(
    uid: string,
    holders: readonly UserMessage[],
  ): readonly { readonly stored: StoredMessage; readonly without: UserMessage }[] | null {
    const joined = this.find(uid);
    const left = holders.flatMap((holder) => {
      const stored = this.messages.find(holder.uid);
      const without =
        joined?.role === 'user' && stored?.message.role === 'user' ? separatePrompts(stored.message, joined) : null;
      return stored === null || without === null ? [] : [{ stored, without }];
    });
    return left.length === holders.length ? left : null;
  }

  private find(uid: string | null): Message | null {
    return uid === null ? null : (this.messages.find(uid)?.message ?? null);
  }
}
