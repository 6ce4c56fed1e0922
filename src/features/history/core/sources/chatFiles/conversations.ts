import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject, type JsonValue } from '../../../../../transcript/json';
import type { ForeignPlace } from '../foreign';
import { asObject, listOf, own, textOf } from '../reading/fields';
import { elements } from '../reading/elements';
import type { HistoryFiles } from '../reading/historyFiles';
import { longestLine } from '../reading/lines';
import { jsonLines } from '../reading/records';
import { noSession } from '../../../../../transcript/sourceTitles';
import { treeOf } from './webExports';

/** A conversation of a file: its messages as the file has them. Only one is in memory at a time. */
export type Conversation =
  | {
      readonly kind: 'conversation';
      readonly format: 'openai' | 'shareGpt' | 'chatGpt' | 'claudeAi';
      readonly place: ForeignPlace;
      readonly about: JsonObject;
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'none'; readonly place: ForeignPlace; readonly isDamaged: boolean; readonly reason: string };

/** Conversations of a JSON or JSONL file, in order. */
export async function* conversations(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  switch (await firstCharacter(files, path)) {
    case '[':
      return yield* ofList(files, path);
    case '{': {
      const whole = await wholeObject(files, path);
      if (whole !== null) return yield conversationOf(whole, { path, unit: 'element', number: 1 });
      return yield* ofLines(files, path);
    }
    case null:
      return;
    default: {
      const place = { path, unit: 'file', number: 1 } as const;
      yield { kind: 'none', place, isDamaged: true, reason: t('The file is not JSON.') };
    }
  }
}

async function* ofLines(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  for await (const record of jsonLines(files, path)) {
    if (record.kind === 'record') yield conversationOf(record.value, record.place);
    else yield { kind: 'none', place: record.place, isDamaged: true, reason: record.reason };
  }
}

/** A list of conversations, or of messages, which are then one conversation. */
async function* ofList(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  const messages: JsonValue[] = [];
  let isMessages: boolean | null = null;
  for await (const element of elements(files.read(path), longestLine)) {
    const place = { path, unit: 'element', number: element.number } as const;
    const value = element.kind === 'text' ? parsedValue(element.text) : null;
    const object = asObject(value ?? undefined);
    isMessages ??= object !== null && (textOf(object, 'role') ?? textOf(object, 'from')) !== null;
    if (isMessages) messages.push(value);
    else if (object === null) {
      yield { kind: 'none', place, isDamaged: true, reason: 'The element is cut off, too long or not an object.' };
    } else yield conversationOf(object, place);
  }
  if (messages.length > 0) {
    yield conversationOf({ [formatOf(messages)]: messages }, { path, unit: 'element', number: 1 });
  }
}

function formatOf(messages: readonly JsonValue[]): 'messages' | 'conversations' {
  return textOf(asObject(messages[0]), 'role') === null ? 'conversations' : 'messages';
}

function conversationOf(about: JsonObject, place: ForeignPlace): Conversation {
  const messages = listOf(about, 'messages');
  if (messages !== null) return { kind: 'conversation', format: 'openai', place, about, messages };
  const tree = treeOf(about);
  if (tree !== null) {
    const format = own(about, 'mapping') === undefined ? 'claudeAi' : 'chatGpt';
    return { kind: 'conversation', format, place, about, messages: tree };
  }
  const turns = listOf(about, 'conversations');
  if (turns !== null) return { kind: 'conversation', format: 'shareGpt', place, about, messages: turns };
  return { kind: 'none', place, isDamaged: false, reason: noSession() };
}

async function firstCharacter(files: HistoryFiles, path: string): Promise<string | null> {
  let start = '';
  for await (const piece of files.read(path, { end: 4096 })) start += Buffer.from(piece).toString('utf8');
  return start.replace(/^\uFEFF/, '').trimStart()[0] ?? null;
}

/** The object that the whole file is; null for several objects, for a cut one, and for a file that is too long. */
async function wholeObject(files: HistoryFiles, path: string): Promise<JsonObject | null> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size > longestLine) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path)) pieces.push(piece);
  const parsed = parseJsonObject(
    Buffer.concat(pieces)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
  );
  return parsed.kind === 'object' ? parsed.value : null;
}

function parsedValue(text: string): JsonValue {
  const wrapped = parseJsonObject(`{"value":${text}}`);
  return wrapped.kind === 'object' ? (wrapped.value['value'] ?? null) : null;
}
