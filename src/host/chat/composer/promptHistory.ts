import type { Gateway } from '../../../gateway/gateway';
import type { EarlierPrompt, PromptHistoryPage } from '../../../protocol/composerProtocol';
import { answerText, type Message } from '../../../transcript/message';
import { isWritten, mentionsAgain } from '../../../transcript/promptHistory';

/** Rows read at once. */
const pageSize = 200;
/** One answer holds no more prompts, and reads no more pages, than this. */
const enough = 30;
const mostPages = 10;

/** Prompts of a session's conversation ahead of a position, newest first. A long stretch without prompts ends an answer early: `before` says where to
 *  go on. */
export async function promptHistory(
  gateway: Pick<Gateway, 'readTranscript'>,
  sessionId: string,
  before: number | null,
): Promise<PromptHistoryPage> {
  const prompts: EarlierPrompt[] = [];
  let place = before;
  for (let pages = 0; pages < mostPages && prompts.length < enough; pages++) {
    const { messages, hasEarlier } = await gateway.readTranscript({
      sessionId,
      limit: pageSize,
      ...(place === null ? {} : { before: place }),
    });
    prompts.push(...messages.filter(isWritten).toReversed().map(asWritten));
    const first = messages[0]?.position;
    if (!hasEarlier || first === undefined) return { prompts, before: null };
    place = first;
  }
  return { prompts, before: place };
}

function asWritten({ uid, parts }: Message): EarlierPrompt {
  return { uid, text: answerText(parts), mentions: mentionsAgain(parts) };
}
