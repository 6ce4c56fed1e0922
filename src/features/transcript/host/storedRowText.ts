import * as v from 'valibot';
import type { Translate } from '../../../base/translate';
import type { RowForm, RowRevision } from '../protocol/transcriptProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { MessageRevision, StoredRow } from '../../../store/requests';
import type { Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';
import type { Session } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import { unifiedDiff } from '../../../tools/files/unifiedDiff';
import { markdownExport } from '../../../transcript/readable/transcriptExport';

/** Columns that hold JSON. */
const jsonColumns = new Set(['parts', 'tool_calls', 'reasoning_details', 'usage']);
const json = v.pipe(v.string(), v.parseJson());
/** Rows copied or read in one request. */
const sliceRows = 200;

type RowStore = Pick<SessionStore, 'storedRow' | 'revisionsOf' | 'getMessage' | 'transcriptRows'>;

interface RowTextContext {
  readonly t: Translate;
  readonly language: string;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** A stored row as an object: the file's columns under their own names, with their JSON parsed, then the data about
 *  the row that is stored elsewhere. */
function rowObject({ columns, chunks, wireTextLength }: StoredRow, revisions: readonly MessageRevision[]): object {
  const read = Object.entries(columns).map(([name, value]) => {
    const parsed = jsonColumns.has(name) && typeof value === 'string' ? v.safeParse(json, value) : null;
    return [name, parsed?.success === true ? parsed.output : value] as const;
  });
  return {
    ...Object.fromEntries(read),
    ...(wireTextLength === null
      ? {}
      : {
          api_content:
            `(${wireTextLength} characters: the exact text that was sent, with notes or recalled memory; never ` +
            'shown)',
        }),
    ...(chunks.length === 0 ? {} : { stream_chunks: chunks }),
    ...(revisions.length === 0
      ? {}
      : { message_revisions: revisions.map(({ revisedAt, parts }) => ({ revised_at: revisedAt, parts })) }),
  };
}

/** The row as indented JSON. Null: it no longer exists. */
export async function rawRow(store: RowStore, uid: string): Promise<string | null> {
  const row = await storedObject(store, uid);
  return row === null ? null : JSON.stringify(row, null, 2);
}

/** Earlier contents of a rewritten row, oldest first, each with a diff to the next one. */
export async function revisionsWithDiffs(store: RowStore, uid: string): Promise<readonly RowRevision[]> {
  const [revisions, now] = await Promise.all([store.revisionsOf(uid), store.getMessage(uid)]);
  return revisions.map(({ revisedAt, parts }, index) => {
    const next = revisions[index + 1]?.parts ?? now?.parts ?? [];
    const [before, after] = [readableText(parts), readableText(next)];
    return { revisedAt, parts, diff: before === after ? null : unifiedDiff('row', `${before}\n`, `${after}\n`) };
  });
}

/** Rows in the form in which the user copies them, in stored order. One row as JSON is an object, several are a
 *  list. */
export async function rowsAs(
  form: RowForm,
  store: RowStore,
  session: Session,
  uids: readonly string[],
  context: RowTextContext,
): Promise<string> {
  const [objects, messages, turns]: [(object | null)[], Message[], Map<string, Turn>] = [[], [], new Map()];
  for (let at = 0; at < uids.length; at += sliceRows) {
    const slice = uids.slice(at, at + sliceRows);
    if (form === 'json') objects.push(...(await Promise.all(slice.map((uid) => storedObject(store, uid)))));
    else {
      const stored = await store.transcriptRows(slice);
      messages.push(...stored.messages);
      for (const turn of stored.turns) turns.set(turn.uid, turn);
    }
  }
  if (form === 'json') {
    const stored = objects.filter((row) => row !== null);
    return JSON.stringify(objects.length === 1 ? (stored[0] ?? null) : stored, null, 2);
  }
  const plain = messages.map(({ parts }) => readableText(parts)).join('\n\n');
  if (form === 'text') return plain;
  const document = markdownExport({ session, messages, turns: [...turns.values()], exportedAt: context.now }, context);
  // Cut everything before the first row: it concerns the whole session.
  const start = document.indexOf('\n## ');
  return start === -1 ? plain : document.slice(start + 1);
}

async function storedObject(store: RowStore, uid: string): Promise<object | null> {
  const [row, revisions] = await Promise.all([store.storedRow(uid), store.revisionsOf(uid)]);
  return row === null ? null : rowObject(row, revisions);
}

function readableText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'thinking':
        case 'toolResult':
          return part.text;
        case 'toolCall':
          return `${part.name} ${part.arguments}`;
        case 'attachment':
          return `${part.label}\n${part.text}`;
        case 'image':
          return part.name ?? part.mediaType;
        default:
          return part satisfies never;
      }
    })
    .join('\n');
}
