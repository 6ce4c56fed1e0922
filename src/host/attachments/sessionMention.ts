import type { SessionStore } from '../../store/session/sessionStore';
import { isContinuation } from '../../transcript/continuation';
import { promptWithLabels } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';

export type MentionableSessions = Pick<
  SessionStore,
  'listSessions' | 'getSession' | 'conversationTip' | 'readTranscript'
>;

const mostCharacters = 20_000;
const newestRows = 200;

/** Returns a session's title and its last prompts and answers as Markdown: as many of the newest as fit. Null: there
 *  is no such session, or it is in the trash. */
export async function sessionText(sessions: MentionableSessions, sessionId: string): Promise<string | null> {
  const session = await sessions.getSession(sessionId);
  if (session === null || session.trashedAt !== null) return null;
  const { messages } = await sessions.readTranscript({
    sessionId: await sessions.conversationTip(sessionId),
    limit: newestRows,
  });
  const heading = `# ${session.title ?? session.id}`;
  const texts = messages.flatMap(textsOf);
  const kept: string[] = [];
  let budget = mostCharacters - heading.length;
  for (const text of texts.toReversed()) {
    budget -= text.length + 2;
    if (budget < 0) break;
    kept.unshift(text);
  }
  const last = texts.at(-1);
  if (kept.length === 0 && last !== undefined)
    kept.push(`${last.slice(0, mostCharacters - heading.length - 100).toWellFormed()} …`);
  return [heading, ...(kept.length < texts.length ? ['(The end of the session.)'] : []), ...kept].join('\n\n');
}

function textsOf(message: Message): readonly string[] {
  if (message.visibility.kind !== 'shown' || message.role === 'tool' || isContinuation(message)) return [];
  const text = message.role === 'user' ? promptWithLabels(message.parts) : answerText(message.parts).trim();
  return text === '' ? [] : [`## ${message.role === 'user' ? 'Person' : 'Hermes'}\n\n${text}`];
}
