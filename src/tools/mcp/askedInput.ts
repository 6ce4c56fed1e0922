import type { AskedInput, InputField } from '../../transcript/approval';
import type { InputAnswer } from '../../transcript/inputAnswer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../transcript/json';
import type { McpAnswered, McpAsked } from './mcpConnection';
import type { ToolCallContext } from '../tool';

const mostFields = 30;
const mostOptions = 200;

/** Words for what a form must never ask for. */
const secret = /pass.?(?:word|phrase|code)|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b|card.?number/i;

/** Asks the user for what a server wants. A form that asks for a secret, or cannot be read, is declined unseen: secrets
 *  belong on a page of the server. */
export async function answerServer(
  { server, asked, signal }: { readonly server: string; readonly asked: McpAsked; readonly signal: AbortSignal },
  call: Pick<ToolCallContext, 'ask' | 'report'>,
  openPage: (url: string) => Promise<void>,
): Promise<McpAnswered> {
  const input = readAsked(asked);
  if (typeof input === 'string') {
    call.report({ kind: 'note', text: input });
    return { action: 'decline' };
  }
  const { state } = await call.ask({ kind: 'input', server, asked: input }, asked.message.trim(), signal);
  if (state.kind !== 'decided') return { action: 'cancel' };
  if (state.decision.kind !== 'allow') return { action: 'decline' };
  if (input.kind === 'url') {
    await openPage(input.url);
    return { action: 'accept' };
  }
  const given = state.decision.scope === 'once' ? state.decision.answer : undefined;
  return given === undefined ? { action: 'cancel' } : { action: 'accept', content: withinFields(given, input.fields) };
}

/** Returns a sentence when the user must not be asked. */
function readAsked(asked: McpAsked): AskedInput | string {
  if (asked.kind === 'url') {
    const isPage = URL.canParse(asked.url) && ['https:', 'http:'].includes(new URL(asked.url).protocol);
    return isPage ? { kind: 'url', url: asked.url } : 'The server wanted to open an address that is no web page.';
  }
  const { properties, required } = asked.schema;
  if (!isJsonObject(properties)) return 'The server asked with a form that cannot be read.';
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, schema]) => readField(name, schema, names.includes(name)));
  const known = fields.filter((field) => field !== null);
  if (known.length < fields.length || fields.length > mostFields)
    return 'The server asked with a form that cannot be read.';
  if (known.some(({ name, title }) => secret.test(`${name} ${title}`)))
    return 'The server asked for a secret in a form, and got none.';
  return { kind: 'form', fields: known };
}

function readField(name: string, schema: JsonValue | undefined, isRequired: boolean): InputField | null {
  if (!isJsonObject(schema)) return null;
  const value = readValue(schema);
  const { title, description } = schema;
  return value === null
    ? null
    : {
        name,
        title: typeof title === 'string' && title !== '' ? title : name,
        description: typeof description === 'string' ? description : null,
        isRequired,
        value,
      };
}

function readValue(schema: JsonObject): InputField['value'] | null {
  const { type, default: proposed, items } = schema;
  const options = readOptions(type === 'array' && isJsonObject(items) ? items : schema);
  if (options !== null && options.length > 0 && options.length <= mostOptions) {
    const chosen = [proposed ?? []].flat().filter((each) => typeof each === 'string');
    return {
      kind: 'choice',
      isMany: type === 'array',
      options,
      ...(chosen.length === 0 ? {} : { default: chosen }),
    };
  }
  switch (type) {
    case 'string':
      return { kind: 'text', ...(typeof proposed === 'string' ? { default: proposed } : {}) };
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        isWhole: type === 'integer',
        ...(typeof proposed === 'number' ? { default: proposed } : {}),
      };
    case 'boolean':
      return { kind: 'yesNo', ...(typeof proposed === 'boolean' ? { default: proposed } : {}) };
    default:
      return null;
  }
}

/** The forms of a choice: `enum` with `enumNames`, `oneOf` and `anyOf` with titles. */
function readOptions(schema: JsonObject): readonly { readonly value: string; readonly label: string }[] | null {
  const { enum: values, enumNames: labels } = schema;
  if (Array.isArray(values))
    return values.flatMap((value, index) => {
      const label = Array.isArray(labels) ? labels[index] : undefined;
      return typeof value === 'string' ? [{ value, label: typeof label === 'string' ? label : value }] : [];
    });
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled)) return null;
  return titled.flatMap((each) => {
    if (!isJsonObject(each) || typeof each['const'] !== 'string') return [];
    return [{ value: each['const'], label: typeof each['title'] === 'string' ? each['title'] : each['const'] }];
  });
}

/** Only what was asked for. */
function withinFields(given: InputAnswer, fields: readonly InputField[]): InputAnswer {
  return Object.fromEntries(Object.entries(given).filter(([name]) => fields.some((field) => field.name === name)));
}
