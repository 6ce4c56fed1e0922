import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject, type JsonValue } from '../../../../../transcript/json';
import type { ForeignPlace } from '../foreign';
import { asObject, listOf, own, textOf } from '../reading/fields';
import { elements } from '../reading/elements';
import { firstText, jsonFile, type HistoryFiles } from '../reading/historyFiles';
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
  const start = await firstText(files, path, 4096);
  switch (start.trimStart()[0]) {
    case '[':
      return yield* ofList(files, path);
    case '{': {
      // Null for several objects, for a cut one, and for a file that is too long.
      const whole = await jsonFile(files, path);
      if (whole !== null) return yield conversationOf(whole, { path, unit: 'element', number: 1 });
      return yield* ofLines(files, path);
    }
    case undefined:
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
  const lists = [
    ['openai', listOf(about, 'messages')],
    [own(about, 'mapping') === undefined ? 'claudeAi' : 'chatGpt', treeOf(about)],
    ['shareGpt', listOf(about, 'conversations')],
  ] as const;
  for (const [format, messages] of lists)
    if (messages !== null) return { kind: 'conversation', format, place, about, messages };
  return { kind: 'none', place, isDamaged: false, reason: noSession() };
}

function parsedValue(text: string): JsonValue {
  const wrapped = parseJsonObject(`{"value":${text}}`);
  return wrapped.kind === 'object' ? (wrapped.value['value'] ?? null) : null;
}
