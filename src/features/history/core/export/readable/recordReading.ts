import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { createSessionDb, type SessionDb } from '../../../../../store/session/sessionDb';
import { readText } from '../../../../../store/session/tables/columns';
import type { TranscriptPage } from '../../../../../store/requests';
import type { Message } from '../../../../../transcript/message';
import type { Session } from '../../../../../transcript/session';
import type { Turn } from '../../../../../transcript/turn';
import type { ExportOptions } from '../output/exportOptions';
import type { SecretMask } from '../output/secretMask';
import { maskedMessage, maskedSession, maskedTurn } from './maskedRecord';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';

const pageSize = 200;

/** Parts of a conversation that are left out. Default: none. */
export interface LeftOut {
  readonly toolOutput: boolean;
  readonly thinking: boolean;
  readonly images: boolean;
  /** Hidden messages and earlier versions of prompts. */
  readonly hidden: boolean;
}

/** Reads conversations, masked and reduced, from a store open for reading. */
export class RecordReading {
  private readonly db: SessionDb;

  constructor(
    private readonly database: SqlDatabase,
    private readonly leftOut: LeftOut,
    private readonly mask: SecretMask,
    private readonly options: ExportOptions,
  ) {
    this.db = createSessionDb({ database, now: options.now, fileSizes: () => ({ fileBytes: 0, logBytes: 0 }) });
  }

  /** The whole conversation up to this session, or null when it no longer exists. */
  async read(sessionId: string): Promise<ExportedSession | null> {
    const session = this.db.getSession(sessionId);
    if (session === null) return null;
    const pages: TranscriptPage[] = [];
    for (let before: number | undefined; ;) {
      const page = this.db.readTranscript({
        sessionId,
        limit: pageSize,
        includeHidden: !this.leftOut.hidden,
        isCounted: false,
        ...(before === undefined ? {} : { before }),
      });
      pages.push(page);
      before = page.messages[0]?.position;
      await this.options.pause();
      if (!page.hasEarlier || before === undefined) break;
    }
    return this.record(session, pages.reverse());
  }

  /** One segment with all its own rows, also those that repeat rows of the one before it. Null when it no longer
   *  exists. */
  async readSegment(sessionId: string): Promise<ExportedSession | null> {
    const session = this.db.getSession(sessionId);
    if (session === null) return null;
    const uids = this.database
      .all('SELECT uid FROM messages WHERE session_id = ? ORDER BY position', [sessionId])
      .map((row) => readText(row, 'uid', ''));
    const pages: Rows[] = [];
    for (let start = 0; start < uids.length; start += pageSize) {
      const { messages, turns } = this.db.transcriptRows(uids.slice(start, start + pageSize));
      const isLeftOut = ({ visibility }: Message): boolean => this.leftOut.hidden && visibility.kind === 'hidden';
      pages.push({ messages: messages.filter((message) => !isLeftOut(message)), turns });
      await this.options.pause();
    }
    return this.record(session, pages);
  }

  /** Null when it no longer exists, or is still being made or erased. Its title is not masked. */
  session(sessionId: string): Session | null {
    return this.db.getSession(sessionId);
  }

  private record(session: Session, pages: readonly Rows[]): ExportedSession {
    const { mask } = this.mask;
    const turns = new Map(pages.flatMap((page) => page.turns.map((turn) => [turn.uid, maskedTurn(turn, mask)])));
    return {
      session: maskedSession(session, mask),
      messages: pages.flatMap((page) =>
        page.messages.map((message) => maskedMessage(reduced(message, this.leftOut), mask)),
      ),
      turns: [...turns.values()],
      exportedAt: this.options.now(),
    };
  }
}

interface Rows {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
}

function reduced(message: Message, { toolOutput, thinking, images }: LeftOut): Message {
  switch (message.role) {
    case 'user':
      return images ? { ...message, parts: message.parts.filter(({ kind }) => kind !== 'image') } : message;
    case 'assistant':
      return thinking ? { ...message, parts: message.parts.filter(({ kind }) => kind !== 'thinking') } : message;
    case 'tool': {
      const { images: shown, details, ...result } = message.parts[0];
      if (toolOutput) return { ...message, parts: [{ ...result, text: '' }] };
      const kept = { ...result, ...(details === undefined ? {} : { details }) };
      return { ...message, parts: [images || shown === undefined ? kept : { ...kept, images: shown }] };
    }
    default:
      return message satisfies never;
  }
}
