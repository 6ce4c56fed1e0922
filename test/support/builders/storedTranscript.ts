import type { ConversationBranch, PromptVersions } from '../../../src/store/conversations';
import type { FileChange } from '../../../src/store/fileChanges';
import type {
  FoundRows,
  MessageRevision,
  OutlineRow,
  StoredRow,
  StoredRows,
  StoredTextQuery,
  TranscriptSlice,
} from '../../../src/store/requests';
import type { Approval } from '../../../src/transcript/approval';
import type { Message } from '../../../src/transcript/message';
import type { Session } from '../../../src/transcript/session';
import { holdsText } from '../../../src/transcript/storedText';
import type { Turn } from '../../../src/transcript/turn';

/** Stored rows as the transcript tab's host reads them, from lists that a test holds in its hand. */
export class StoredTranscript {
  turns: Turn[] = [];
  approvals: Approval[] = [];
  fileChanges: FileChange[] = [];
  versions: PromptVersions[] = [];
  tree: ConversationBranch[] = [];
  readonly revisions = new Map<string, readonly MessageRevision[]>();
  readonly tips = new Map<string, string>();
  /** Requests for a slice of rows whose text is looked at. */
  looked = 0;

  constructor(
    public messages: readonly Message[] = [],
    readonly sessions = new Map<string, Session>(),
  ) {}

  async getSession(id: string): Promise<Session | null> {
    return this.sessions.get(id) ?? null;
  }

  async getMessage(uid: string): Promise<Message | null> {
    return this.messages.find((message) => message.uid === uid) ?? null;
  }

  async conversationTip(id: string): Promise<string> {
    return this.tips.get(id) ?? id;
  }

  async branchesOf(): Promise<readonly ConversationBranch[]> {
    return this.tree;
  }

  async subAgentsOf(): Promise<readonly ConversationBranch[]> {
    return [];
  }

  async promptVersions(): Promise<readonly PromptVersions[]> {
    return this.versions;
  }

  async revisionsOf(uid: string): Promise<readonly MessageRevision[]> {
    return this.revisions.get(uid) ?? [];
  }

  async transcriptOutline({ after, limit }: TranscriptSlice): Promise<readonly OutlineRow[]> {
    return this.slice(after, limit).map((message) => this.outlineOf(message));
  }

  async findInTranscript({ after, limit, text, matchCase }: TranscriptSlice & StoredTextQuery): Promise<FoundRows> {
    this.looked++;
    const rows = this.slice(after, limit);
    return {
      uids: rows.filter(({ parts }) => holdsText(parts, text, matchCase)).map(({ uid }) => uid),
      upTo: rows.at(-1)?.position ?? null,
      read: rows.length,
    };
  }

  async transcriptRows(uids: readonly string[]): Promise<StoredRows> {
    const messages = this.messages.filter(({ uid }) => uids.includes(uid));
    const turns = new Set(messages.map(({ turnUid }) => turnUid));
    return {
      messages,
      turns: this.turns.filter(({ uid }) => turns.has(uid)),
      approvals: this.approvals.filter(({ turnUid }) => turns.has(turnUid)),
      fileChanges: this.fileChanges.filter(({ turnUid }) => turns.has(turnUid)),
    };
  }

  async storedRow(uid: string): Promise<StoredRow | null> {
    const message = await this.getMessage(uid);
    return message === null
      ? null
      : {
          columns: { uid, role: message.role, parts: JSON.stringify(message.parts) },
          wireTextLength: null,
          chunks: [],
        };
  }

  private slice(after: number | null, limit: number): readonly Message[] {
    return this.messages
      .filter(({ position, carriedFrom }) => carriedFrom === null && position > (after ?? -1))
      .slice(0, limit);
  }

  private outlineOf({ uid, sessionId, turnUid, position, role, visibility }: Message): OutlineRow {
    const turn = this.turns.find((each) => each.uid === turnUid);
    const hidden = visibility.kind === 'hidden' ? visibility : null;
    return {
      uid,
      sessionId,
      turnUid,
      position,
      role,
      visibility: visibility.kind,
      hiddenReason: hidden?.reason ?? null,
      absorbedInto: hidden?.absorbedInto ?? null,
      turn: turn === undefined ? null : turn.state === 'settled' ? turn.outcome : turn.state,
      revised: this.revisions.has(uid),
    };
  }
}
