import { readWhole } from '../../../store/engine/fileSystem';
import type { SqlDatabase, SqlValue } from '../../../store/engine/sqlDatabase';
import { SqlJsDatabase } from '../../../store/engine/sqlJsDatabase';
import type { ReadingDeps } from '../../../store/library/foreignStore';
import { filledCopy } from '../../../store/library/storeCopy';
import { storeFiles } from '../../../store/open/storeFiles';
import type { Message } from '../../../transcript/message';
import type { ImagePart, Part } from '../../../transcript/part';
import type { ExportedSession } from '../readable/transcriptExport';
import { hermesSchema } from './hermesSchema';

/** Marks content that is JSON and no plain text. */
const jsonMark = '\0json:';

/** Returns a `state.db` of Hermes Agent with these conversations, each as one session. */
export async function hermesDatabase(deps: ReadingDeps, records: AsyncIterable<ExportedSession>): Promise<Uint8Array> {
  const { fileSystem, sqlite } = deps;
  const copy = filledCopy(deps, deps.copies, (folder) => fileSystem.open(storeFiles(folder).main, 'createNew').close());
  try {
    const { main: mainPath, log: logPath } = storeFiles(copy.folder);
    const connection = sqlite.connect({ fileSystem, folder: copy.folder, mainPath, logPath, readOnly: false });
    const database = new SqlJsDatabase(connection, () => undefined);
    try {
      database.execute('PRAGMA journal_mode = MEMORY');
      database.execute(hermesSchema);
      for await (const record of records) database.transaction(() => insertSession(database, record));
    } finally {
      database.close();
    }
    return readWhole(fileSystem, mainPath);
  } finally {
    copy.remove();
  }
}

function insertSession(database: SqlDatabase, { session, messages }: ExportedSession): void {
  const sent = messages.filter(({ visibility }) => visibility.kind !== 'closing');
  insert(database, 'sessions', {
    id: session.id,
    source: 'cli',
    model: session.model,
    started_at: session.startedAt,
    ended_at: session.endedAt,
    end_reason: session.endReason,
    message_count: sent.length,
    tool_call_count: sent.filter(({ role }) => role === 'tool').length,
    cwd: session.folder,
    title: session.title,
    last_activity_at: session.lastActiveAt,
    archived: session.archived ? 1 : 0,
    pinned: session.pinned ? 1 : 0,
  });
  const summary = sent.findLastIndex(({ visibility }) => visibility.kind === 'handoff');
  sent.forEach((message, index) => {
    const isHidden = message.visibility.kind === 'hidden';
    insert(database, 'messages', {
      ...rowOf(message),
      session_id: session.id,
      role: message.role,
      timestamp: message.createdAt,
      _compressed_summary: message.visibility.kind === 'handoff' ? 1 : 0,
      active: isHidden || index < summary ? 0 : 1,
      compacted: !isHidden && index < summary ? 1 : 0,
    });
  });
}

function rowOf(message: Message): Record<string, SqlValue> {
  switch (message.role) {
    case 'user':
      return { content: contentOf(message.parts) };
    case 'tool': {
      const [{ callId, name, text, images = [] }] = message.parts;
      return { content: contentOf([{ kind: 'text', text }, ...images]), tool_call_id: callId, tool_name: name };
    }
    case 'assistant': {
      const thinking = message.parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : [])).join('\n\n');
      const calls = message.parts.flatMap((part) =>
        part.kind === 'toolCall'
          ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }]
          : [],
      );
      return {
        content: contentOf(message.parts),
        reasoning: thinking === '' ? null : thinking,
        reasoning_content: thinking === '' ? null : thinking,
        tool_calls: calls.length === 0 ? null : JSON.stringify(calls),
        finish_reason: message.finishReason,
        token_count: message.usage?.outputTokens ?? null,
      };
    }
    default:
      return message satisfies never;
  }
}

function contentOf(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) =>
    part.kind === 'text' ? [part.text] : part.kind === 'attachment' ? [`${part.label}\n\n${part.text}`] : [],
  );
  const images = parts.filter((part): part is ImagePart => part.kind === 'image');
  if (images.length === 0) return texts.join('\n');
  return `${jsonMark}${JSON.stringify([
    ...texts.map((text) => ({ type: 'text', text })),
    ...images.map(({ mediaType, dataBase64 }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${dataBase64}` },
    })),
  ])}`;
}

function insert(database: SqlDatabase, table: string, row: Readonly<Record<string, SqlValue>>): void {
  const names = Object.keys(row);
  database.run(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    names.map((name) => row[name] ?? null),
  );
}
