import { parseJson } from '../../base/parsedJson';
import { isJsonObject } from '../../transcript/json';
import type { CompletedToolCall } from '../chatModel';

/** Returns the calls of an answer with their arguments as one JSON object where they hold one. A call that came again
 *  under its id is one call: it must not run twice. */
export function calledOnce(calls: readonly CompletedToolCall[]): readonly CompletedToolCall[] {
  const seen = new Set<string>();
  return calls
    .map((call) => ({ ...call, arguments: oneObject(call.arguments) }))
    .filter(({ callId, name, arguments: json }) => {
      const key = JSON.stringify([callId, name, json]);
      const isNew = callId === '' || !seen.has(key);
      seen.add(key);
      return isNew;
    });
}

/** Models and servers write an object as text in text, in a list, in a code block, after an empty one, or twice. Text
 *  that holds no single object stays as it is, and the tool says what is wrong with it. */
function oneObject(text: string): string {
  const bare = text.replace(/^\s*```(?:json)?\s*\n?|\n?```\s*$/g, '').trim();
  const whole = parseJson(bare);
  if (isJsonObject(whole)) return bare === text.trim() ? text : bare;
  if (whole === null) return '{}';
  if (typeof whole === 'string' && isJsonObject(parseJson(whole))) return whole;
  if (Array.isArray(whole)) return whole.length === 1 && isJsonObject(whole[0]) ? JSON.stringify(whole[0]) : text;
  if (whole !== undefined) return text;
  const objects = new Set(objectsIn(bare).map((value) => JSON.stringify(value)));
  if (objects.size > 1) objects.delete('{}');
  const [only] = objects;
  return objects.size === 1 && only !== undefined ? only : text;
}

/** Returns the objects that follow each other in a text; none if anything else is between them. */
function objectsIn(text: string): readonly object[] {
  const found: object[] = [];
  let begin = 0;
  for (let end = text.indexOf('}') + 1, tries = 0; end > 0 && tries < 200; end = text.indexOf('}', end) + 1, tries++) {
    const value = parseJson(text.slice(begin, end));
    if (!isJsonObject(value)) continue;
    found.push(value);
    begin = end;
  }
  return text.slice(begin).trim() === '' ? found : [];
}

export function isWholeObject(text: string): boolean {
  return isJsonObject(parseJson(text));
}
