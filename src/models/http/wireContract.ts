import { createHash } from 'node:crypto';
import { imageMediaType, longerSide } from '../../transcript/imageFile';
import { parsedJson, isJsonObject, type JsonObject, type JsonValue } from '../../transcript/json';
import type { WireAssistantContent, WireImage, WireToolResult, WireUserContent } from '../../transcript/wireMessage';
import type { CompletedToolCall, ModelRequest, WireMessage, WireTool } from '../chatModel';
import type { TransportSettings } from '../transport';
import { metadataKey } from './reasoningField';
import { isList, fittedSchema, type SchemaStyle } from './toolSchema';

/** Everything that a service demands of what goes back to it. */
interface WireContract {
  readonly names: RegExp;
  readonly ids: RegExp;
  readonly images: { readonly base64: number; readonly side: number; readonly count: number };
  /** True when the result of a call may hold images. */
  readonly resultImages: boolean;
  readonly schemas: SchemaStyle;
  readonly tools: { readonly count: number; readonly description: number };
  /** True when every call needs the signature of its thought. */
  readonly signsCalls: boolean;
}

const mega = 1024 * 1024;
const chat: WireContract = {
  names: /^[a-zA-Z0-9_-]{1,64}$/,
  ids: /^[\w.:-]{1,40}$/,
  images: { base64: 20 * mega, side: 16_384, count: 50 },
  resultImages: false,
  schemas: 'valid',
  tools: { count: Infinity, description: Infinity },
  signsCalls: false,
};
const fewTools = { count: 128, description: Infinity };
const anthropic: WireContract = {
  ...chat,
  ids: /^[a-zA-Z0-9_-]{1,64}$/,
  // The limit counts base64, not bytes.
  images: { base64: 5 * mega, side: 8000, count: 100 },
  resultImages: true,
};
/** Names that also Gemini and Moonshot take. */
const strictNames = /^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$/;
const gemini: WireContract = {
  ...chat,
  names: strictNames,
  schemas: 'simple',
  tools: { ...fewTools, count: 512 },
  signsCalls: true,
};

/** Contracts by host, then by the model behind any other host. The first that fits counts. */
const known: readonly (readonly [RegExp, WireContract])[] = [
  [/^api\.openai\.com|\.openai\.azure\.com /, { ...chat, tools: { count: 128, description: 1024 } }],
  [/googleapis\.com |gemini/i, gemini],
  [/claude|anthropic/i, { ...anthropic, ids: /^[a-zA-Z0-9_-]{1,40}$/, resultImages: false }],
  [
    /mistral|devstral|codestral|magistral|ministral|pixtral/i,
    {
      ...chat,
      ids: /^[a-zA-Z0-9]{9}$/,
      images: { ...chat.images, base64: 10 * mega, count: 8 },
      tools: fewTools,
    },
  ],
  [
    /moonshot|kimi/i,
    { ...chat, names: strictNames, schemas: 'simple', images: { ...chat.images, base64: 10 * mega }, tools: fewTools },
  ],
  [/^api\.groq\.com /, { ...chat, images: { ...chat.images, base64: 4 * mega, count: 5 }, tools: fewTools }],
  [/deepseek/i, { ...chat, tools: fewTools }],
];

export function contractOf({
  protocol,
  baseUrl,
  modelId,
}: Pick<TransportSettings, 'protocol' | 'baseUrl' | 'modelId'>): WireContract {
  if (protocol === 'anthropic') return anthropic;
  const about = `${new URL(baseUrl).hostname} ${modelId}`;
  return known.find(([pattern]) => pattern.test(about))?.[1] ?? chat;
}

/** The contract of models that the editor offers. */
export const editorContract: WireContract = { ...chat, resultImages: true };

/** Texts for the model in place of what is not sent. */
export const leftOut = {
  nothing: '(nothing)',
  output: '(no output)',
  image: '(An image stood here. It could not be sent to this model.)',
};
/** Google's documented filler for calls without a signature of their own (ai.google.dev, thought signatures). */
const noSignature = 'skip_thought_signature_validator';

/** A request that keeps a contract. */
export interface KeptRequest {
  readonly request: ModelRequest;
  /** What of the newest turn, or of the tools, does not go to the service. */
  readonly images: number;
  readonly tools: readonly string[];
  /** Returns a call with the tool's own names. */
  readonly ownNames: (call: CompletedToolCall) => CompletedToolCall;
}

/** Makes a request keep the contract of its service: names, ids, blank text, half characters, pictures, signatures
 *  and schemas. A request that keeps it already is sent as it is. Only the sent copy changes. Every model passes its
 *  requests through this one function: what a service refuses in one row would make every later request fail. */
export function keepContract(given: ModelRequest, contract: WireContract, style = contract.schemas): KeptRequest {
  const keeper = new Keeper(contract, given.messages);
  const tools = given.tools.slice(0, contract.tools.count);
  const renamed = new Map<string, { readonly name: string; readonly parameters: ReadonlyMap<string, string> }>();
  const names = new Set<string>();
  const sent = tools.map((tool): WireTool => {
    const name = unique(keeper.name(tool.name), names);
    const { schema, renamed: parameters } = fittedSchema(tool.parameters, style);
    if (name !== tool.name || parameters.size > 0) renamed.set(name, { name: tool.name, parameters });
    return {
      name,
      description: clipped(tool.description, contract.tools.description),
      parameters: wholeObject(schema),
    };
  });
  return {
    request: {
      ...given,
      system: given.system.toWellFormed(),
      cacheKey: given.cacheKey?.toWellFormed() ?? null,
      messages: given.messages.map((message, index) => keeper.message(message, index)),
      tools: sent,
    },
    images: keeper.imagesLeftOut,
    tools: given.tools.slice(contract.tools.count).map(({ name }) => name),
    ownNames: (call) => withOwnNames(call, renamed.get(call.name)),
  };
}

class Keeper {
  imagesLeftOut = 0;
  private readonly used = new Set<string>();
  private given: readonly string[] = [];
  private images: number;
  private readonly newest: number;

  constructor(
    private readonly contract: WireContract,
    messages: readonly WireMessage[],
  ) {
    this.images = messages.filter(({ role }) => contract.resultImages || role === 'user').flatMap(imagesOf).length;
    this.newest = messages.findLastIndex(({ role }) => role === 'user');
  }

  name(name: string): string {
    if (this.contract.names.test(name)) return name;
    const plain = name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64);
    if (this.contract.names.test(plain)) return plain;
    return `tool_${plain}`.slice(0, 64);
  }

  message(message: WireMessage, index: number): WireMessage {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: orNothing(message.content.flatMap((part) => this.userPart(part, index))) };
      case 'assistant': {
        const content = orNothing(message.content.flatMap((part) => this.answerPart(part)));
        this.given = content.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []));
        return { role: 'assistant', content: this.contract.signsCalls ? signed(content) : content };
      }
      case 'tool':
        return { role: 'tool', results: message.results.map((result, at) => this.result(result, at, index)) };
      default:
        return message satisfies never;
    }
  }

  private userPart(part: WireUserContent, index: number): readonly WireUserContent[] {
    if (part.kind === 'image') return [this.image(part, index) ?? { kind: 'text', text: leftOut.image }];
    return isBlank(part.text) ? [] : [{ kind: 'text', text: part.text.toWellFormed() }];
  }

  private answerPart(part: WireAssistantContent): readonly WireAssistantContent[] {
    const metadata = part.metadata === undefined ? {} : { metadata: wholeObject(part.metadata) };
    if (part.kind !== 'toolCall')
      return part.kind === 'text' && isBlank(part.text)
        ? []
        : [{ kind: part.kind, text: part.text.toWellFormed(), ...metadata }];
    return [
      {
        kind: 'toolCall',
        callId: unique(this.id(part.callId), this.used, (id, count) => this.id(`${id}_d${count}`)),
        name: this.name(part.name),
        arguments: wholeObject(part.arguments),
        ...metadata,
      },
    ];
  }

  /** Results are in the order of their calls. */
  private result(result: WireToolResult, at: number, index: number): WireToolResult {
    const { images: given = [], ...rest } = result;
    const images = this.contract.resultImages ? given.flatMap((image) => this.image(image, index) ?? []) : given;
    const text = isBlank(result.text) ? leftOut.output : result.text.toWellFormed();
    return {
      ...rest,
      callId: this.given[at] ?? this.id(result.callId),
      name: this.name(result.name),
      text: images.length < given.length ? `${text}\n\n${leftOut.image}` : text,
      ...(images.length === 0 ? {} : { images }),
    };
  }

  /** Returns the image with the type that its bytes say, or null if the service does not take it. The newest ones
   *  stay if there are too many. */
  private image({ mediaType, dataBase64 }: WireImage, index: number): WireImage | null {
    const { base64, side, count } = this.contract.images;
    const head = Buffer.from(dataBase64.slice(0, 64), 'base64');
    const type = imageMediaType(head) ?? (/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) ? mediaType : null);
    const isTaken =
      type !== null &&
      dataBase64 !== '' &&
      dataBase64.length <= base64 &&
      (longerSide(head) ?? 0) <= side &&
      this.images <= count;
    this.images -= 1;
    if (isTaken) return { kind: 'image', mediaType: type, dataBase64 };
    if (index >= this.newest) this.imagesLeftOut += 1;
    return null;
  }

  /** The same id always becomes the same, so a provider's prompt cache stays valid. */
  private id(callId: string): string {
    if (this.contract.ids.test(callId)) return callId;
    const plain = callId.replace(/[^A-Za-z0-9_-]/gu, (each) => `_${(each.codePointAt(0) ?? 0).toString(16)}`);
    if (this.contract.ids.test(plain)) return plain;
    const mark = createHash('sha256').update(callId).digest('hex').slice(0, 9);
    const long = `${plain.slice(0, 24)}_${mark}`;
    return callId === '' ? this.id('call') : this.contract.ids.test(long) ? long : mark;
  }
}

/** Returns the value, or its first variant that is not in `taken`, and adds it there. */
function unique(
  value: string,
  taken: Set<string>,
  variant = (text: string, count: number) => `${text.slice(0, 60)}_${count}`,
): string {
  let free = value;
  for (let count = 2; taken.has(free); count++) free = variant(value, count);
  taken.add(free);
  return free;
}

/** Gives the first call of an answer the filler if it has no signature: it is another model's. */
function signed(content: readonly WireAssistantContent[]): readonly WireAssistantContent[] {
  const first = content.find((part) => part.kind === 'toolCall');
  const ours = first?.metadata?.[metadataKey];
  if (first === undefined || (isJsonObject(ours) && ours['thoughtSignature'] !== undefined)) return content;
  return content.map((part) =>
    part === first
      ? { ...part, metadata: { ...part.metadata, [metadataKey]: { thoughtSignature: noSignature } } }
      : part,
  );
}

function withOwnNames(
  call: CompletedToolCall,
  own: { readonly name: string; readonly parameters: ReadonlyMap<string, string> } | undefined,
): CompletedToolCall {
  if (own === undefined) return call;
  const { name, parameters } = own;
  const given = parameters.size > 0 ? parsedJson(call.arguments) : null;
  // The registry reports arguments that are not JSON.
  if (!isJsonObject(given)) return { ...call, name };
  const named = Object.entries(given).map(([key, value]) => [parameters.get(key) ?? key, value] as const);
  return { ...call, name, arguments: JSON.stringify(Object.fromEntries(named)) };
}

export function imagesOf(message: WireMessage): readonly WireImage[] {
  switch (message.role) {
    case 'user':
      return message.content.flatMap((part) => (part.kind === 'image' ? [part] : []));
    case 'tool':
      return message.results.flatMap(({ images = [] }) => images);
    case 'assistant':
      return [];
    default:
      return message satisfies never;
  }
}

function orNothing<T extends { readonly kind: string }>(
  content: readonly T[],
): readonly (T | { readonly kind: 'text'; readonly text: string })[] {
  return content.some(({ kind }) => kind !== 'thinking')
    ? content
    : [...content, { kind: 'text', text: leftOut.nothing }];
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function clipped(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
}

function wholeObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), whole(inner)]));
}

/** Replaces every lone surrogate by U+FFFD: a service refuses the whole JSON because of one. */
function whole(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(whole) : wholeObject(value);
}
