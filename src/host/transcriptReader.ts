import type { Gateway } from '../gateway/gateway';
import type { RowsWanted, TranscriptBranch, TranscriptRows } from '../protocol/transcriptProtocol';
import type { SessionStore, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import { originalRow } from './originalRow';

interface ReaderNeeds {
  readonly gateway: Pick<Gateway, 'readTranscript'>;
  readonly sessions: Pick<SessionStore, 'getMessage' | 'branchesOf'>;
}

/** Rows and branches as the transcript tab is told of them. */
export class TranscriptReader {
  constructor(private readonly needs: ReaderNeeds) {}

  /** Rows around one that is not of this transcript are the newest. */
  async rows(sessionId: string, wanted: RowsWanted, limit: number): Promise<TranscriptRows> {
    switch (wanted.kind) {
      case 'end':
        return this.page({ sessionId, limit });
      case 'before':
        return this.page({ sessionId, limit, before: wanted.position });
      case 'after':
        return this.page({ sessionId, limit, after: wanted.position });
      case 'around': {
        const row = await originalRow(this.needs.sessions, wanted.messageUid);
        return row === null ? this.page({ sessionId, limit }) : this.around(sessionId, row.position, limit);
      }
      default:
        return wanted satisfies never;
    }
  }

  async branches(sessionId: string): Promise<readonly TranscriptBranch[]> {
    const tree = await this.needs.sessions.branchesOf(sessionId);
    return tree.map(({ conversationId, tipId, title, parentConversationId, branchedFrom, lastActiveAt, turnCount }) =>
      ({ conversationId, tipId, title, parentConversationId, branchedFrom, lastActiveAt, turnCount }));
  }

  private async around(sessionId: string, position: number, limit: number): Promise<TranscriptRows> {
    const before = await this.page({ sessionId, limit: Math.max(1, Math.floor(limit / 2)), before: position });
    const from = await this.page({ sessionId, limit: Math.max(1, Math.ceil(limit / 2)), after: position - 1 });
    const turns = new Map([...before.turns, ...from.turns].map((turn) => [turn.uid, turn]));
    return { messages: [...before.messages, ...from.messages], turns: [...turns.values()], hasEarlier: before.hasEarlier, later: from.later, total: from.total };
  }

  private async page(query: TranscriptQuery): Promise<TranscriptRows> {
    const { messages, turns, hasEarlier, later, total }: TranscriptPage = await this.needs.gateway.readTranscript({ ...query, includeHidden: true });
    return { messages, turns, hasEarlier, later, total };
  }
}
