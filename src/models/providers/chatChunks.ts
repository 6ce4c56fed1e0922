import type { JsonObject, JsonValue } from '../../transcript/json';
import { countsIn, errorIn, type EventReader, textIn } from './eventStream';
import type { errorDetails } from './observedFetch';
import { finishKind } from './finishReasons';
import { isObject } from './prompt';

/** Reads chunks of chat completions, and whole completions, as services send them. */
export class ChatChunks implements EventReader {
  isFinished = false;
  readonly isOver = false;
  private readonly repeats = new RepeatedCalls();

  take(value: JsonObject): readonly JsonObject[] {
    const choice = choiceIn(value);
    const error = choice === null || isObject(value['error']) ? errorIn(value) : null;
    const failed = error === null || this.isFinished ? [] : [this.failed(error)];
    const usage = countsIn(value['usage']);
    if (choice === null && usage === undefined) return failed;
    const { error: _error, id, model, created, ...rest } = value;
    const reason = choice === null ? undefined : reasonOf(choice);
    this.isFinished ||= reason !== undefined;
    const chunk: Record<string, JsonValue> = {
      ...rest,
      choices:
        choice === null
          ? []
          : [
              {
                index: 0,
                delta: this.repeats.without(deltaOf(choice), reason !== undefined),
                ...(reason === undefined ? {} : { finish_reason: reason }),
              },
            ],
    };
    if (typeof id === 'string') chunk['id'] = id;
    if (typeof model === 'string') chunk['model'] = model;
    if (typeof created === 'number') chunk['created'] = created;
    if (usage === undefined) delete chunk['usage'];
    else chunk['usage'] = usage;
    return [chunk, ...failed];
  }

  failed({ message, code, status }: ReturnType<typeof errorDetails>): JsonObject {
    return { error: { message, code: status ?? code } };
  }

  end(): readonly JsonObject[] {
    return [];
  }
}

/** Returns the first choice. Ollama's own protocol has its message without one. */
function choiceIn(value: JsonObject): JsonObject | null {
  const choices = value['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : choices;
  if (isObject(first)) return first;
  if (Array.isArray(choices) && choices.length > 0) return null;
  if (!isObject(value['message']) || isObject(value['error'])) return null;
  return { message: value['message'], finish_reason: value['done'] === true ? (value['done_reason'] ?? 'stop') : null };
}

/** Returns the finish reason. A router may say `stop` where the model's own service failed. */
function reasonOf(choice: JsonObject): string | undefined {
  const said = textIn(choice['finish_reason']) ?? textIn(choice['finishReason']) ?? '';
  const native = textIn(choice['native_finish_reason']) ?? '';
  if (said !== '' && finishKind(said) === 'stop' && native !== '' && finishKind(native) === 'failed') return native;
  return said === '' ? undefined : said;
}

function deltaOf(choice: JsonObject): JsonObject {
  const message = choice['message'];
  const given = isObject(choice['delta']) ? choice['delta'] : isObject(message) ? message : {};
  const {
    role: _role,
    content,
    reasoning_content: thought,
    reasoning,
    thinking,
    tool_calls: calls,
    function_call: call,
    refusal,
    ...rest
  } = given;
  const text =
    wordsIn(content) ?? (isObject(choice['delta']) || isObject(message) ? undefined : textIn(choice['text']));
  const fields: Record<string, JsonValue | undefined> = {
    content: text,
    reasoning_content: wordsIn(thought),
    reasoning: wordsIn(reasoning) ?? wordsIn(thinking),
    refusal: typeof refusal === 'string' ? refusal : undefined,
    tool_calls: callsIn(
      calls ?? (isObject(call) ? [{ index: 0, function: call }] : undefined),
      !isObject(choice['delta']),
    ),
  };
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...rest, ...Object.fromEntries(known) };
}

/** Returns the words of a field that should be text. Lists of parts stay as they are, if the SDK reads them. */
function wordsIn(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    const parts: readonly JsonValue[] = value;
    return parts.every((part) => isObject(part) && typeof part['type'] === 'string')
      ? parts.map((part) => (isObject(part) && typeof part['text'] === 'string' ? { ...part, type: 'text' } : part))
      : parts.map((part) => textIn(wordsIn(part)) ?? '').join('');
  }
  if (isObject(value)) {
    const inner = ['text', 'content', 'summary', 'value', 'reasoning', 'thinking'].map((name) => wordsIn(value[name]));
    return inner.find((each) => typeof each === 'string');
  }
  return textIn(value);
}

function callsIn(value: JsonValue | undefined, isWhole: boolean): JsonValue | undefined {
  const calls: readonly unknown[] = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  const read = calls.filter(isObject).map((call, position): JsonObject => {
    const { id, index, function: called, extra_content: extra } = call;
    const about = isObject(called) ? called : call;
    const given = about['arguments'] ?? about['input'];
    const json =
      given === undefined || given === null ? undefined : typeof given === 'string' ? given : JSON.stringify(given);
    const place = Number(textIn(index) ?? NaN);
    const name = textIn(about['name']);
    return {
      ...(Number.isInteger(place) ? { index: place } : isWhole ? { index: position } : {}),
      ...(textIn(id) === undefined ? {} : { id: textIn(id) ?? '' }),
      function: { ...(name === undefined ? {} : { name }), ...(json === undefined ? {} : { arguments: json }) },
      ...(isObject(extra) ? { extra_content: extra } : {}),
    };
  });
  return read.length === 0 ? undefined : read;
}

interface BegunCall {
  readonly delta: JsonObject;
  readonly id: string;
  readonly name: string;
  json: string;
}

/** Finds calls that a service sends again under the same id: they must not run again. The SDK gives each its own id, so
 *  they are found before it. A call with other arguments under that id is a call, and passes with the finish. */
class RepeatedCalls {
  private readonly begun: BegunCall[] = [];
  private readonly held: BegunCall[] = [];

  without(delta: JsonObject, isFinished: boolean): JsonObject {
    const calls: readonly unknown[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : [];
    const passed = calls.filter(isObject).filter((call) => !this.holds(call));
    const released = isFinished ? this.held.splice(0).filter((call) => !this.isRepeat(call)) : [];
    const { tool_calls: _calls, ...rest } = delta;
    const kept = [
      ...passed,
      ...released.map(({ delta: first, name, json }) => ({ ...first, function: { name, arguments: json } })),
    ];
    return kept.length === 0 ? rest : { ...rest, tool_calls: kept };
  }

  private holds(delta: JsonObject): boolean {
    const called = isObject(delta['function']) ? delta['function'] : {};
    const [id, name, json] = [
      textIn(delta['id']) ?? '',
      textIn(called['name']) ?? '',
      textIn(called['arguments']) ?? '',
    ];
    const isSamePlace = (call: BegunCall): boolean => call.delta['index'] === delta['index'];
    const place = delta['index'] === undefined ? undefined : [...this.held, ...this.begun].find(isSamePlace);
    if (place !== undefined) {
      place.json += json;
      return this.held.includes(place);
    }
    const call = { delta, id, name, json };
    const isKnown = this.begun.some((each) => each.id === id && each.name === name && isWhole(each.json));
    const holds = id !== '' && name !== '' && isKnown && (delta['index'] !== undefined || isWhole(json));
    (holds ? this.held : this.begun).push(call);
    return holds;
  }

  private isRepeat({ id, name, json }: BegunCall): boolean {
    return this.begun.some((each) => each.id === id && each.name === name && each.json === json);
  }
}

function isWhole(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}
