import type { GatewayPart } from '../../../gateway/conversationGateway';
import type {
  feedCommands,
  FeedPage,
  FeedResults,
  feedRequests,
  FindProgress,
  FoundInSession,
  FoundText,
} from '../../../protocol/feedProtocol';
import type { TranscriptPage } from '../../../store/requests';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Message } from '../../../transcript/message';
import { wordsPattern } from '../../../transcript/text/wordsPattern';
import type { ChatFiles } from '../../webviews/chatFiles';
import type { CommandHandlers, RequestHandlers } from '../../webviews/viewEndpoint';

/** Rows read at a time. Each read is a short request to the store, so that pending writes go first. */
const pageSize = 500;
/** Maximum number of occurrences that are counted. */
const mostFound = 10_000;
/** Milliseconds before a search first reports its progress, and between two reports. */
const quietMs = 300;
const everyMs = 150;

interface SessionFindQuery {
  readonly sessionId: string;
  readonly text: string;
  readonly matchCase: boolean;
  /** True to search tool results too. */
  readonly tools: boolean;
}

/** Finds words in everything that the chat shows of a conversation, loaded by the view or not. One search at a time:
 *  a later one ends the one before. Reads pages of the transcript, so that it sees exactly what the chat shows:
 *  segments in order, no hidden row, none twice. */
export class SessionFind {
  private latest = 0;
  private stopped = 0;

  constructor(
    private readonly gateway: GatewayPart<'store', 'readTranscript'>,
    private readonly onProgress: (progress: FindProgress) => void = () => undefined,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Ends the current search; it resolves with the results so far. */
  stop(): void {
    this.stopped = this.latest;
  }

  async find(query: SessionFindQuery): Promise<FoundInSession> {
    const own = ++this.latest;
    const pattern = wordsPattern(query.text, query.matchCase);
    const found: FoundText[] = [];
    if (pattern === null) return { found, more: false, superseded: false };
    let total = 0;
    let after = Number.MIN_SAFE_INTEGER;
    let dueMs = this.nowMs() + quietMs;
    for (let done = 0; ;) {
      const {
        messages,
        later,
        total: rows,
      } = await this.gateway.store.readTranscript({ sessionId: query.sessionId, after, limit: pageSize });
      if (own !== this.latest) return { found: [], more: false, superseded: true };
      for (const message of messages) {
        for (const one of foundIn(message, pattern, query.tools)) {
          if (total + one.count > mostFound) return { found, more: true, superseded: false };
          total += one.count;
          found.push(one);
        }
      }
      const last = messages.at(-1);
      done += messages.length;
      if (last !== undefined && later > 0 && this.stopped === own) return { found, more: true, superseded: false };
      if (this.nowMs() >= dueMs) {
        this.onProgress({ done, total: rows });
        dueMs = this.nowMs() + everyMs;
      }
      if (last === undefined || later === 0) return { found, more: false, superseded: false };
      after = last.position;
    }
  }
}

function foundIn(message: Message, pattern: RegExp, tools: boolean): readonly FoundText[] {
  if (message.visibility.kind !== 'shown') return [];
  const { uid: messageUid, turnUid, position } = message;
  return message.parts.flatMap((part, index): readonly FoundText[] => {
    const found = (kind: FoundText['kind'], text: string, callId: string | null = null): readonly FoundText[] => {
      const count = text.match(pattern)?.length ?? 0;
      return count === 0 ? [] : [{ messageUid, turnUid, position, kind, part: index, callId, count }];
    };
    // A prompt and thinking are shown as written, an answer as rendered Markdown.
    if (part.kind === 'text') return found('text', message.role === 'assistant' ? visibleText(part.text) : part.text);
    if (part.kind === 'thinking') return found('thinking', part.text);
    return part.kind === 'toolResult' && tools ? found('tool', part.text, part.callId) : [];
  });
}

/** Returns Markdown approximately as rendered, to find words in it. Leaves out the marks of emphasis and code, link
 *  targets, and the markers of headings, quotes and items. Code blocks stay as they are. Emphasis is matched within
 *  300 characters, so that no text takes long. */
export function visibleText(markdown: string): string {
  return markdown
    .split(/(^ {0,3}(?:```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}(?:```|~~~)[ \t]*$|(?![\s\S])))/m)
    .map((piece, index) => (index % 2 === 1 ? codeOf(piece) : withoutMarks(piece)))
    .join('');
}

function codeOf(fenced: string): string {
  return fenced.replace(/^[^\n]*\n/, '').replace(/\n {0,3}(?:```|~~~)[ \t]*$/, '\n');
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^\][]*)\]\([^()\s]{0,2000}(?:\([^()]*\)[^()]*)?(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, '')
    .replace(/(?<!`)(`{1,3})(?!`)([\s\S]{1,300}?)(?<!`)\1(?!`)/g, '$2')
    .replace(/(\*\*\*|\*\*|~~)(?=\S)([\s\S]{0,300}?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)(__?)(?=\S)([^_\n]*\S)\1(?!\w)/g, '$2');
}
interface FeedHandlerDeps {
  readonly gateway: GatewayPart<'store', 'readTranscript'>;
  readonly sessions: Pick<SessionStore, 'getMessage' | 'getSession'>;
  readonly files: Pick<ChatFiles, 'ofTurns'>;
}

interface FeedHandlers {
  readonly commands: CommandHandlers<typeof feedCommands>;
  readonly requests: RequestHandlers<typeof feedRequests, FeedResults>;
}

/** Reads ranges of a conversation for a view, and finds words in it. One per view. */
export function feedHandlers(
  { gateway, sessions, files }: FeedHandlerDeps,
  onFindProgress: (progress: FindProgress) => void,
): FeedHandlers {
  const find = new SessionFind(gateway, onFindProgress);
  const pageOf = async ({ messages, turns, versions, hasEarlier, later }: TranscriptPage): Promise<FeedPage> => ({
    messages,
    turns,
    versions,
    hasEarlier,
    hasLater: later > 0,
    changes: await files.ofTurns(turns.map(({ uid }) => uid)),
  });
  const requests: FeedHandlers['requests'] = {
    loadLater: async ({ sessionId, after, limit }) =>
      pageOf(await gateway.store.readTranscript({ sessionId, limit, after: after ?? Number.MIN_SAFE_INTEGER })),
    loadAround: async ({ sessionId, messageUid, limit }) => {
      const row = await originalRow(sessions, messageUid);
      const [own, shown] = [
        row === null ? null : await sessions.getSession(row.sessionId),
        await sessions.getSession(sessionId),
      ];
      if (row === null || own === null || own.conversationId !== shown?.conversationId) return null;
      const before = await gateway.store.readTranscript({
        sessionId,
        limit: Math.max(1, Math.floor(limit / 2)),
        before: row.position,
      });
      const from = await gateway.store.readTranscript({
        sessionId,
        limit: Math.max(1, Math.ceil(limit / 2)),
        after: row.position - 1,
      });
      const turns = new Map([...before.turns, ...from.turns].map((turn) => [turn.uid, turn]));
      const messages = [...before.messages, ...from.messages];
      return pageOf({
        ...from,
        messages,
        turns: [...turns.values()],
        versions: [...before.versions, ...from.versions],
        hasEarlier: before.hasEarlier,
      });
    },
    findInSession: (query) => find.find(query),
  };
  return { requests, commands: { stopFind: () => find.stop() } };
}

/** Returns the row itself, or the row of an earlier segment that it repeats: the transcript contains that one. Null:
 *  it is not stored. */
export async function originalRow(sessions: Pick<SessionStore, 'getMessage'>, uid: string): Promise<Message | null> {
  let message = await sessions.getMessage(uid);
  const passed = new Set([uid]);
  while (message !== null && message.carriedFrom !== null && !passed.has(message.carriedFrom)) {
    passed.add(message.carriedFrom);
    message = await sessions.getMessage(message.carriedFrom);
  }
  return message;
}
