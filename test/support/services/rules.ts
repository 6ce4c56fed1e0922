import { signatureOf } from '../modelServer/anthropicFrames';

/** One tool call in a request, whatever the protocol. */
interface SentCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly signature: unknown;
}

interface SentImage {
  readonly mediaType: string;
  readonly dataBase64: string;
}

/** One message in a request. `calls` only from the model; `answers`: the call that a result answers. */
export interface SentMessage {
  readonly role: string;
  readonly texts: readonly string[];
  readonly images: readonly SentImage[];
  readonly calls: readonly SentCall[];
  readonly answers: readonly string[];
  /** Signatures of thinking that are not the service's own. */
  readonly forged: boolean;
  readonly fields: readonly string[];
}

interface SentTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** What a request says, read the same way for both protocols. */
export interface Sent {
  readonly raw: string;
  readonly fields: readonly string[];
  readonly messages: readonly SentMessage[];
  readonly tools: readonly SentTool[];
}

/** Returns the service's words if it refuses the request, else null. */
export type Rule = (sent: Sent) => string | null;

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const records = (value: unknown): readonly Json[] => list(value).filter(isRecord);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads a body of chat completions. */
export function readCompletions(body: Json, raw: string): Sent {
  return {
    raw,
    fields: Object.keys(body),
    messages: records(body['messages']).map((message) => ({
      role: text(message['role']),
      texts:
        typeof message['content'] === 'string'
          ? [message['content']]
          : records(message['content']).flatMap((part) => (part['type'] === 'text' ? [text(part['text'])] : [])),
      images: records(message['content']).flatMap((part) => {
        const url = isRecord(part['image_url']) ? text(part['image_url']['url']) : '';
        const [, mediaType = '', dataBase64 = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
        return part['type'] === 'image_url' ? [{ mediaType, dataBase64 }] : [];
      }),
      calls: records(message['tool_calls']).map((call) => {
        const called = isRecord(call['function']) ? call['function'] : {};
        const extra = isRecord(call['extra_content']) ? call['extra_content']['google'] : undefined;
        return {
          id: text(call['id']),
          name: text(called['name']),
          arguments: parsed(text(called['arguments'])),
          signature: isRecord(extra) ? extra['thought_signature'] : undefined,
        };
      }),
      answers: message['role'] === 'tool' ? [text(message['tool_call_id'])] : [],
      forged: false,
      fields: Object.keys(message),
    })),
    tools: records(body['tools']).map((tool) => {
      const about = isRecord(tool['function']) ? tool['function'] : {};
      return { name: text(about['name']), description: text(about['description']), schema: about['parameters'] };
    }),
  };
}

/** Reads a body of the messages protocol. Results count as messages of the role "tool". */
export function readMessages(body: Json, raw: string): Sent {
  return {
    raw,
    fields: Object.keys(body),
    messages: records(body['messages']).map((message) => {
      const blocks: readonly Json[] =
        typeof message['content'] === 'string'
          ? [{ type: 'text', text: message['content'] }]
          : records(message['content']);
      const results = blocks.filter((block) => block['type'] === 'tool_result');
      const inner = [...blocks, ...results.flatMap((result) => records(result['content']))];
      return {
        role: text(message['role']),
        texts: inner.flatMap((block) => (block['type'] === 'text' ? [text(block['text'])] : [])),
        images: inner.flatMap((block) => {
          const source = isRecord(block['source']) ? block['source'] : {};
          return block['type'] === 'image'
            ? [{ mediaType: text(source['media_type']), dataBase64: text(source['data']) }]
            : [];
        }),
        calls: blocks.flatMap((block) =>
          block['type'] === 'tool_use'
            ? [{ id: text(block['id']), name: text(block['name']), arguments: block['input'], signature: undefined }]
            : [],
        ),
        answers: results.map((result) => text(result['tool_use_id'])),
        forged: blocks.some(
          (block) => block['type'] === 'thinking' && block['signature'] !== signatureOf(text(block['thinking'])),
        ),
        fields: Object.keys(message),
      };
    }),
    tools: records(body['tools']).map((tool) => ({
      name: text(tool['name']),
      description: text(tool['description']),
      schema: tool['input_schema'],
    })),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const calls = ({ messages }: Sent): readonly SentCall[] => messages.flatMap((message) => message.calls);
const images = ({ messages }: Sent): readonly SentImage[] => messages.flatMap((message) => message.images);
const firstOf = <T>(items: readonly T[], judge: (item: T, index: number) => string | null): string | null => {
  for (const [index, item] of items.entries()) {
    const words = judge(item, index);
    if (words !== null) return words;
  }
  return null;
};

export const names =
  (pattern: RegExp, where = 'messages.tool_calls.function.name'): Rule =>
  (sent) =>
    firstOf([...calls(sent), ...sent.tools], ({ name }) =>
      pattern.test(name) ? null : `Invalid '${where}': string does not match pattern. Expected ${pattern.source}.`,
    );

export const ids =
  (pattern: RegExp): Rule =>
  (sent) =>
    firstOf(calls(sent), ({ id }) =>
      pattern.test(id) ? null : `Tool call id was ${id} but must match ${pattern.source}.`,
    );

export const argumentsAreObjects: Rule = (sent) =>
  firstOf(calls(sent), (call) =>
    isRecord(call.arguments) ? null : 'invalid tool call arguments: Input should be a valid dictionary',
  );

export const wholeText: Rule = ({ raw }) =>
  /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i.test(raw)
    ? 'The request body is not valid JSON: no low surrogate in string'
    : null;

export const noBlankText: Rule = ({ messages }) =>
  firstOf(messages, ({ role, texts, images: pictures, calls: called, answers }, index) =>
    texts.some((each) => each.trim() === '' && role !== 'system') && called.length === 0
      ? `messages.${index}: text content blocks must contain non-whitespace text`
      : texts.length + pictures.length + called.length + answers.length === 0
        ? `message at position ${index} with role '${role}' must not be empty`
        : null,
  );

/** Calls are answered by the next messages, results answer a call before them, ids are used once. */
export const pairs: Rule = ({ messages }) => {
  const used = new Set<string>();
  let open: string[] = [];
  return (
    firstOf(messages, ({ calls: called, answers }, index) => {
      const stray = answers.find((id) => !open.includes(id));
      if (stray !== undefined) return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray}`;
      open = open.filter((id) => !answers.includes(id));
      if (answers.length === 0 && open.length > 0)
        return `tool_call_ids did not have response messages: ${open.join(', ')}`;
      for (const { id } of called) {
        if (used.has(id)) return `tool_use ids must be unique: ${id}`;
        used.add(id);
        open.push(id);
      }
      return null;
    }) ?? (open.length > 0 ? `tool_call_ids did not have response messages: ${open.join(', ')}` : null)
  );
};

/** The rules of strict chat templates and of Mistral. */
export const alternating: Rule = ({ messages }) => {
  const talk = messages.filter(({ role }) => role !== 'system');
  if (talk[0]?.role !== 'user') return 'Conversation roles must alternate user/assistant/user/assistant/...';
  if (talk.at(-1)?.role === 'assistant') return 'Expected last role User or Tool for serving but got assistant';
  return firstOf(talk, ({ role }, index) => {
    const before = talk[index - 1]?.role;
    return (role === before && role !== 'tool') || (before === 'tool' && role === 'user')
      ? `Unexpected role '${role}' after role '${before}'`
      : null;
  });
};

export const ownThinking: Rule = ({ messages }) =>
  messages.some(({ forged }) => forged) ? 'messages.1.content.0: Invalid `signature` in `thinking` block' : null;

/** Gemini 3: every answer's first call in the newest turn needs its signature, or the documented filler. */
export const thoughtSignatures: Rule = ({ messages }) =>
  firstOf(messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1), ({ calls: [first] }) =>
    first === undefined || (typeof first.signature === 'string' && first.signature !== '')
      ? null
      : `Function call \`${first.name}\` is missing a thought_signature in functionCall parts.`,
  );

export const noFields =
  (refused: readonly string[]): Rule =>
  ({ messages, fields }) => {
    const found = [...fields, ...messages.flatMap((message) => message.fields)].find((name) => refused.includes(name));
    return found === undefined ? null : `Extra inputs are not permitted: ${found}`;
  };

export interface ImageLimits {
  readonly base64: number;
  readonly count: number;
  readonly side?: number;
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export const imagesWithin =
  (limits: ImageLimits): Rule =>
  (sent) => {
    const all = images(sent);
    if (all.length > limits.count) return `At most ${limits.count} image(s) may be provided in one request.`;
    return firstOf(all, ({ mediaType, dataBase64 }) => {
      const bytes = Buffer.from(dataBase64.slice(0, 64), 'base64');
      if (dataBase64.length > limits.base64)
        return `messages.0.content.1.image.source.base64: image exceeds ${limits.base64} bytes maximum`;
      if (!pictureTypes.includes(mediaType)) return `Unsupported image type ${mediaType}`;
      const found = typeOf(bytes);
      if (found === null) return 'Could not process image';
      if (found !== mediaType)
        return `The image was specified using the ${mediaType} media type, but the image appears to be a ${found} image`;
      if (found !== 'image/png') return null;
      if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return 'Could not process image';
      // Pictures with this byte after the header stand for ones that only a decoder finds broken.
      if (bytes[24] === 0xbd) return 'Could not process image';
      const side = Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
      return side > (limits.side ?? 1e9) ? 'image dimensions exceed max allowed size: 8000 pixels' : null;
    });
  };

export const noImages =
  (words: string): Rule =>
  (sent) =>
    images(sent).length > 0 ? words : null;

function typeOf(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

export const fewTools =
  (most: number, longestDescription = Infinity): Rule =>
  ({ tools }) => {
    if (tools.length > most) return `Invalid 'tools': array too long. Expected an array with maximum length ${most}.`;
    if (new Set(tools.map(({ name }) => name)).size < tools.length) return 'tools: Tool names must be unique.';
    return firstOf(tools, ({ description }, index) =>
      description.length > longestDescription
        ? `Invalid 'tools[${index}].function.description': string too long.`
        : null,
    );
  };

type SchemaRule = (node: Json, isTop: boolean) => string | null;

/** Every tool's schema, each object in it judged by these rules. */
export const schemas =
  (...judges: readonly SchemaRule[]): Rule =>
  ({ tools }) =>
    firstOf(tools, ({ name, schema }, index) => {
      const words = isRecord(schema) ? badNode(schema, true, judges) : 'not an object';
      return words === null
        ? null
        : `tools.${index}.custom.input_schema: Invalid schema for function '${name}': ${words}`;
    });

const schemaMaps = ['properties', '$defs', 'definitions', 'patternProperties'];

function badNode(node: Json, isTop: boolean, judges: readonly SchemaRule[]): string | null {
  return (
    firstOf(judges, (judge) => judge(node, isTop)) ??
    firstOf(Object.entries(node), ([key, value]) => {
      const inner = schemaMaps.includes(key) && isRecord(value) ? Object.values(value) : [value];
      if (['enum', 'const', 'default', 'examples', 'example', 'required'].includes(key)) return null;
      return firstOf(inner.flatMap((each) => (Array.isArray(each) ? each : [each])).filter(isRecord), (each) =>
        badNode(each, false, judges),
      );
    })
  );
}

export const objectAtTop: SchemaRule = (node, isTop) => {
  if (!isTop) return null;
  if (node['type'] !== 'object') return `schema must be of type "object", got ${JSON.stringify(node['type'])}`;
  return ['anyOf', 'oneOf', 'allOf', 'enum', 'not'].some((key) => key in node)
    ? "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
    : null;
};

export const keysMatch =
  (pattern: RegExp): SchemaRule =>
  (node) =>
    isRecord(node['properties']) && Object.keys(node['properties']).some((key) => !pattern.test(key))
      ? `Property keys should match pattern '${pattern.source}'`
      : null;

export const listsHaveItems: SchemaRule = (node) =>
  list(node['type']).concat(node['type']).includes('array') && !isRecord(node['items'])
    ? 'array schema missing items'
    : null;

const knownTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Draft 2020-12: what older drafts allowed, and what was never allowed. */
export const draft2020: SchemaRule = (node) => {
  const types = 'type' in node ? list(node['type']).concat(Array.isArray(node['type']) ? [] : [node['type']]) : [];
  if (types.some((type) => !knownTypes.includes(String(type)))) return 'JSON schema is invalid: type';
  for (const key of ['exclusiveMinimum', 'exclusiveMaximum', 'minimum', 'maximum', 'minLength', 'maxItems'])
    if (key in node && typeof node[key] !== 'number') return `JSON schema is invalid: ${key}`;
  if ('required' in node && list(node['required']).some((each) => typeof each !== 'string'))
    return 'JSON schema is invalid: required';
  if ('required' in node && !Array.isArray(node['required'])) return 'JSON schema is invalid: required';
  if ('properties' in node && !isRecord(node['properties'])) return 'JSON schema is invalid: properties';
  if (Array.isArray(node['items'])) return 'JSON schema is invalid: items';
  if ('enum' in node && (!Array.isArray(node['enum']) || node['enum'].length === 0))
    return 'JSON schema is invalid: enum';
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    if (key in node && (!Array.isArray(node[key]) || list(node[key]).length === 0))
      return `JSON schema is invalid: ${key}`;
  if ('description' in node && typeof node['description'] !== 'string') return 'JSON schema is invalid: description';
  if ('pattern' in node && !isExpression(node['pattern'])) return 'JSON schema is invalid: pattern';
  return null;
};

function isExpression(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export const onlyKeys =
  (...allowed: readonly string[]): SchemaRule =>
  (node) => {
    const unknown = Object.keys(node).find((key) => !allowed.includes(key));
    return unknown === undefined ? null : `Unknown name "${unknown}": Cannot find field.`;
  };

export const withoutKeys =
  (...refused: readonly string[]): SchemaRule =>
  (node) => {
    const found = refused.find((key) => key in node);
    return found === undefined ? null : `Unrecognized schema keyword ${found}`;
  };

/** Gemini: one type each, enums of filled strings, required properties exist. */
export const protoSchema: SchemaRule = (node) => {
  if ('type' in node && typeof node['type'] !== 'string') return 'Proto field is not repeating, cannot start list.';
  if (list(node['enum']).some((each) => typeof each !== 'string' || each === '')) return 'enum: cannot be empty';
  const properties = isRecord(node['properties']) ? Object.keys(node['properties']) : [];
  return list(node['required']).some((each) => !properties.includes(String(each)))
    ? 'required[0]: property is not defined'
    : null;
};

/** Moonshot: a type beside anyOf belongs into its items. */
export const noTypeBesideAnyOf: SchemaRule = (node) =>
  'anyOf' in node && 'type' in node
    ? 'when using anyOf, type should be defined in anyOf items instead of the parent schema'
    : null;

/** llama.cpp turns patterns into a grammar. */
export const anchoredPatterns: SchemaRule = (node) =>
  typeof node['pattern'] === 'string' && !/^\^.*\$$/s.test(node['pattern'])
    ? "Pattern must start with '^' and end with '$'"
    : null;
