import { chatFileSource } from '../sources/chatFiles/chatFileSource';
import { claudeSource } from '../sources/claude/claudeSource';
import { clineSource } from '../sources/cline/clineSource';
import { codexSource } from '../sources/codex/codexSource';
import { geminiSource } from '../sources/gemini/geminiSource';
import { hermesSource } from '../sources/hermes/hermesSource';
import { OpencodeSource } from '../sources/opencode/opencodeSource';
import { piSource } from '../sources/pi/piSource';
import { qwenSource } from '../sources/qwen/qwenSource';
import { vscodeChatSource } from '../sources/vscodeChat/vscodeChatSource';
import type { HistorySource, Found } from '../sources/historySource';
import {
  type ForeignDatabase,
  type OpenForeignDatabase,
  columnsOf,
  restUnreadable,
} from '../sources/reading/foreignDatabase';
import { type HistoryFiles, firstText, filesBelow, mayHoldSessions } from '../sources/reading/historyFiles';
import { type SourceName, noSession } from '../../../../transcript/sourceTitles';
import { basename } from 'node:path';
import { t } from '../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../transcript/json';
import type { SkipKind } from '../sources/foreign';
import { beginsExport } from '../sources/hermesExport/exportFormat';
import { listOf, objectOf, own, textOf } from '../sources/reading/fields';
import { skippedFile } from '../sources/reading/foundSessions';
import { isZstd } from '../sources/reading/zstdFiles';

/** What a file is: one with sessions of an agent, our own export, which is imported row by row and not converted
 *  (`exportsAmong`), or the reason why it is neither. */
type Recognized = SourceName | 'export' | { readonly kind: SkipKind; readonly reason: string };

/** Finds sessions in files and folders that the user chose. The content of a file tells its reader, not its name. */
export class ChosenFiles {
  constructor(
    private readonly files: HistoryFiles,
    private readonly open: OpenForeignDatabase,
    private readonly readerOf: (source: SourceName) => HistorySource,
  ) {}

  async *find(chosen: readonly string[]): AsyncGenerator<Found> {
    for (const place of chosen) {
      if ((await this.files.stat(place))?.kind === 'file') yield* this.findIn(place);
      else for await (const path of filesBelow(this.files, place, 8, mayHoldSessions)) yield* this.findIn(path);
    }
  }

  private async *findIn(path: string): AsyncGenerator<Found> {
    const recognized = await this.recognize(path);
    if (recognized === 'export') return;
    if (typeof recognized === 'string') yield* this.readerOf(recognized).findIn(path);
    else yield skippedFile(path, recognized.kind, recognized.reason);
  }

  private async recognize(path: string): Promise<Recognized> {
    if (await isZstd(this.files, path)) return 'codex';
    const head = await firstText(this.files, path, 256 * 1024);
    if (head.startsWith('SQLite format 3\0')) return this.recognizeDatabase(path);
    if (beginsExport(head)) return 'export';
    return sourceOfText(head, basename(path)) ?? { kind: 'unknown', reason: noSession() };
  }

  private async recognizeDatabase(path: string): Promise<Recognized> {
    try {
      const database = await this.open(path);
      try {
        // A store of ours has such messages too. Read as another agent's, its sessions would come a second time.
        const isOurs = columnsOf(database, 'stream_chunks').size > 0;
        if (isOurs) return { kind: 'unknown', reason: ownStoreReason() };
        if (columnsOf(database, 'messages').has('session_id')) return 'hermes';
        if (columnsOf(database, 'part').has('message_id')) return 'opencode';
      } finally {
        database.close();
      }
      return { kind: 'unknown', reason: t('The database is of no agent whose sessions can be imported.') };
    } catch (error) {
      return { kind: 'damaged', reason: restUnreadable(error) };
    }
  }
}

function ownStoreReason(): string {
  return t('These sessions are from Hermes in VS Code. Use Show Sessions of Other Folders to read or copy them.');
}

/** Reader for a text; null for a text that is not JSON. */
function sourceOfText(head: string, name: string): SourceName | null {
  const start = head.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return null;
  if (/^\{\s*"kind"\s*:\s*0\b/.test(start)) return 'vscodeChat';
  if (
    start.startsWith('{') &&
    /"(?:responderUsername|initialLocation)"\s*:/.test(start) &&
    /"requests"\s*:/.test(start)
  )
    return 'vscodeChat';
  if (start.startsWith('{') && /"sessionId"\s*:/.test(start) && /"projectHash"\s*:/.test(start)) return 'gemini';
  // The content of these files is that of Anthropic's API, which other programs use, too.
  if (name === 'api_conversation_history.json' || name.endsWith('.messages.json')) return 'cline';
  for (const line of start.split('\n', 50)) {
    const record = parseJsonObject(line);
    const source = record.kind === 'object' ? sourceOfRecord(record.value) : null;
    if (source !== null) return source;
  }
  return 'openai';
}

const rolloutTypes = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
]);

/** Agent that writes such a line; null for lines that several might write. */
function sourceOfRecord(record: JsonObject): SourceName | null {
  const type = textOf(record, 'type');
  const has = (name: string): boolean => own(record, name) !== undefined;
  if (type !== null && rolloutTypes.has(type) && objectOf(record, 'payload') !== null) return 'codex';
  if (has('record_type') || (has('instructions') && has('timestamp') && has('id') && !has('messages'))) return 'codex';
  if (type === 'session' && has('id') && has('timestamp')) return 'pi';
  const isQwen =
    type === 'tool_result' || has('systemPayload') || listOf(objectOf(record, 'message'), 'parts') !== null;
  if (has('sessionId') && has('uuid') && isQwen) return 'qwen';
  const isClaude =
    (has('sessionId') && (has('uuid') || type === 'queue-operation')) || (type === 'summary' && has('leafUuid'));
  return isClaude || (type === 'file-history-snapshot' && has('snapshot')) ? 'claudeCode' : null;
}

/** All readers. `readerOf` finds the one for a session. */
export interface SessionSources {
  /** Readers of agents that keep their sessions in places of their own. */
  readonly agents: readonly HistorySource[];
  readonly chosen: ChosenFiles;
  readerOf(source: SourceName): HistorySource;
}

export function sessionSources(files: HistoryFiles, open: OpenForeignDatabase): SessionSources {
  const chats = chatFileSource(files);
  const readers = {
    claudeCode: claudeSource(files),
    codex: codexSource(files),
    hermes: hermesSource(files, open),
    opencode: new OpencodeSource(files, open),
    pi: piSource(files),
    cline: clineSource(files),
    vscodeChat: vscodeChatSource(files),
    gemini: geminiSource(files),
    qwen: qwenSource(files),
    openai: chats,
    shareGpt: chats,
    chatGpt: chats,
    claudeAi: chats,
  } as const satisfies { readonly [S in SourceName]: HistorySource };
  const readerOf = (source: SourceName): HistorySource => readers[source];
  const agents = Object.values(readers).filter((reader) => reader !== chats);
  return { agents, chosen: new ChosenFiles(files, open, readerOf), readerOf };
}

/** Keeps the private copy of a database open while its sessions are read one after another: a copy of a large
 *  database for each session would take longer than reading it. */
export class SharedDatabases {
  private readonly opened = new Map<string, Promise<ForeignDatabase>>();

  constructor(private readonly openOne: OpenForeignDatabase) {}

  readonly open: OpenForeignDatabase = async (path) => {
    const known = this.opened.get(path) ?? this.openOne(path);
    this.opened.set(path, known);
    const database = await known;
    return { iterate: (sql, params) => database.iterate(sql, params), close: () => undefined };
  };

  /** Closes all databases, which removes their copies. */
  async close(): Promise<void> {
    const opened = [...this.opened.values()];
    this.opened.clear();
    for (const one of await Promise.allSettled(opened)) if (one.status === 'fulfilled') one.value.close();
  }
}
