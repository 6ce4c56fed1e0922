import { type Unchanged, isJsonObject, parseJsonObject, type JsonObject, type JsonValue } from '../transcript/json';
import { t } from '../base/translate';
import type { AskedInput, InputField, InputAnswer } from '../transcript/approval';
import type { ToolCallContext } from './tool';
import { webPage } from './webPage';

/** What a server, or an agent of another maker, asks the user for. Untrusted: `schema` may be anything. */
export type InputRequest =
  | { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject }
  | { readonly kind: 'url'; readonly message: string; readonly url: string };

export type InputResponse =
  { readonly action: 'accept'; readonly content?: InputAnswer } | { readonly action: 'decline' | 'cancel' };

/** Null for what is no such request. */
export function readInputRequest(params: unknown): InputRequest | null {
  const parsed = parseJsonObject(JSON.stringify(params ?? null));
  if (parsed.kind === 'invalid') return null;
  const { mode, message, url, requestedSchema: schema } = parsed.value;
  if (typeof message !== 'string') return null;
  if (mode === 'url') return typeof url === 'string' ? { kind: 'url', message, url } : null;
  return isJsonObject(schema) ? { kind: 'form', message, schema } : null;
}

const mostFields = 30;
const mostOptions = 200;
/** Characters of a message, a description or an answer, and of a label. What is sent back is never shortened. */
const longestText = 4000;
const longestLabel = 300;

/** Words for what a form must never ask for, in the languages of this product. "max tokens" is no secret. */
const secret = new RegExp(
  [
    '\\b(?:pass ?(?:word|wd|phrase|code)s?|pwd|secrets?|credentials?|pin|cv[vc]2?|ssn|otp)\\b',
    '\\btoken\\b(?! (?:count|limit|budget|usage|window))',
    '\\b(?:access|api|auth|bearer|refresh|security|session) ?tokens?\\b',
    '\\b(?:api|private|access|secret|ssh|license|encryption) ?keys?\\b',
    '\\b(?:card|account|social security) ?numbers?\\b',
    '\\b(?:one time|verification|security|recovery|backup|2fa) ?(?:code|phrase)s?\\b|\\bseed phrase\\b',
    'passwor[td]|kennwort|contraseña|mot de passe|senha|hasł[oa]|парол|şifre|パスワード|暗証番号|비밀번호|密码|密碼',
  ].join('|'),
  'iu',
);

/** Asks the user for what a server wants. A form that asks for a secret, or cannot be read, is declined unseen: secrets
 *  belong on a page of the server. `onDeclined`: gets a sentence for the user. */
export async function answerServer(
  { server, asked, signal }: { readonly server: string; readonly asked: InputRequest; readonly signal: AbortSignal },
  call: Pick<ToolCallContext, 'ask'>,
  openPage: (url: string) => Promise<void>,
  onDeclined: (sentence: string) => void,
): Promise<InputResponse> {
  const input = readAsked(asked);
  if (typeof input === 'string') {
    onDeclined(input);
    return { action: 'decline' };
  }
  const { state } = await call.ask(
    { kind: 'input', server, asked: input },
    shortened(asked.message.trim(), longestText),
    signal,
  );
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
function readAsked(asked: InputRequest): AskedInput | string {
  if (asked.kind === 'url') {
    const page = webPage(asked.url);
    return page === null
      ? t('The server wanted to open an address that is no secure web page. Hermes declined.')
      : { kind: 'url', url: page.href };
  }
  const { properties, required } = asked.schema;
  const unreadable = t('The server asked with a form that cannot be shown. Hermes declined.');
  if (!isJsonObject(properties)) return unreadable;
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, schema]) => readField(name, schema, names.includes(name)));
  const known = fields.filter((field) => field !== null);
  if (known.length < fields.length || fields.length > mostFields) return unreadable;
  const texts = known.flatMap(({ name, title, description }) => [name, title, description ?? '']);
  if ([asked.message, ...texts].some(asksForSecret))
    return t('The server asked for a secret in a form. Hermes declined: secrets belong on a page of the server.');
  return { kind: 'form', fields: known };
}

function asksForSecret(text: string): boolean {
  const words = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/[\s_.-]+/g, ' ');
  // "Do not give us your PIN" asks for none.
  return secret.test(words.replace(/\b(?:do not|don['’]t|never) [^.;)]*/gi, ''));
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function readField(name: string, schema: JsonValue | undefined, isRequired: boolean): InputField | null {
  if (!isJsonObject(schema) || name.length > longestLabel) return null;
  const value = readValue(schema);
  const { title, description } = schema;
  return value === null
    ? null
    : {
        name,
        title: typeof title === 'string' && title !== '' ? shortened(title, longestLabel) : name,
        description: typeof description === 'string' ? shortened(description, longestText) : null,
        isRequired,
        value,
      };
}

function readValue(schema: JsonObject): InputField['value'] | null {
  const { type, default: proposed, items } = schema;
  const options = readOptions(type === 'array' && isJsonObject(items) ? items : schema);
  if (options !== null && options.length > 0) {
    if (options.length > mostOptions || options.some(({ value }) => value.length > longestLabel)) return null;
    const chosen = [proposed ?? []].flat().filter((each) => typeof each === 'string');
    return {
      kind: 'choice',
      isMany: type === 'array',
      options: options.map(({ value, label }) => ({ value, label: shortened(label, longestLabel) })),
      ...(chosen.length === 0 ? {} : { default: chosen }),
    };
  }
  switch (type) {
    case 'string':
      return { kind: 'text', ...(typeof proposed === 'string' ? { default: proposed.slice(0, longestText) } : {}) };
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
function withinFields(given: Unchanged<InputAnswer>, fields: readonly InputField[]): InputAnswer {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => fields.some((field) => field.name === name))
      .map(([name, value]) => {
        if (typeof value === 'string') return [name, value.slice(0, longestText)];
        return [name, typeof value === 'object' ? [...value] : value];
      }),
  );
}
