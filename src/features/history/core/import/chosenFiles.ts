import { basename } from 'node:path';
import { t } from '../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../transcript/json';
import type { SkipKind } from '../sources/foreign';
import type { Found, HistorySource } from '../sources/historySource';
import { beginsExport } from '../sources/hermesExport/exportFormat';
import { listOf, objectOf, own, textOf } from '../sources/reading/fields';
import { skippedFile } from '../sources/reading/foundSessions';
import { columnsOf, restUnreadable, type OpenForeignDatabase } from '../sources/reading/foreignDatabase';
import { filesBelow, firstText, mayHoldSessions, type HistoryFiles } from '../sources/reading/historyFiles';
import { noSession, type SourceName } from '../../../../transcript/sourceTitles';
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
