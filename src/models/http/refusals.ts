import type { ModelRequest, WireAssistantContent, WireMessage } from '../chatModel';
import { bodyMessage, failureCause, isTooLong } from './failures';
import { lacksReasoning, withReasoning } from './reasoningField';
import type { TransportFault } from '../transport';
import { imagesOf, leftOut } from './wireContract';
import type { WireToolResult } from '../../transcript/wireMessage';

/** Optional parts of a request: the reasoning of earlier answers that is sent back · the reasoning effort · images. */
type Dispensable = 'reasoning' | 'effort' | 'images';

/** Replaces an image. */
const imageLeftOut = '(An image stood here. This model takes no images.)';

/** Statuses of a request that the service understood and refused. 404 is OpenRouter's status for a model without a
 *  capability. */
const refusing: ReadonlySet<number> = new Set([400, 404, 415, 422]);

/** `named`: matches a refusal that speaks of the part. */
interface OptionalPart {
  readonly named: RegExp;
  readonly isIn: (request: ModelRequest) => boolean;
  readonly leaveOut: (request: ModelRequest) => ModelRequest;
}

const parts: Readonly<Record<Dispensable, OptionalPart>> = {
  effort: {
    named:
      /reasoning[._ ]?effort|budget_tokens|\bthinking\.\w+|not support\w*[^.]{0,40}\b(?:thinking|reasoning)\b|\b(?:thinking|reasoning)\b[^.]{0,40}\bnot supported/i,
    isIn: ({ reasoningEffort }) => reasoningEffort !== 'default',
    leaveOut: (request) => ({ ...request, reasoningEffort: 'default' }),
  },
  images: {
    named: /\b(?:images?|vision|multimodal)\b|image_url/i,
    isIn: ({ messages }) => messages.some(hasImages),
    leaveOut: withoutImages,
  },
  reasoning: {
    named:
      /signature|encrypted|redacted_thinking|\bthinking\b|\breasoning\b|reasoning_(?:content|details)|\bthought\b/i,
    isIn: ({ messages }) => messages.some(carriesData),
    leaveOut: (request) => ({ ...request, messages: request.messages.map(withoutReasoning) }),
  },
};
/** Matches refusals of an input type, not of one image: an image that is too large is the user's to replace. */
const ofKind =
  /support|unknown variant|text[- ]only|only text|not (?:a )?(?:multimodal|vision)|expected [`'"]?(?:text|string)/i;

/** Matches a service that misses reasoning, in the words of Moonshot ("thinking is enabled but reasoning_content is
 *  missing in assistant tool call message at index 2") and DeepSeek ("Missing `reasoning_content` field in the
 *  assistant message", "The `reasoning_content` in the thinking mode must be passed back to the API."). Removing
 *  more would be refused again. */
const missesReasoning =
  /reasoning[_ ]content\b[^.;]{0,60}\b(?:missing|required|must be (?:passed|provided|included|sent))|\bmissing\b[^.;]{0,20}reasoning[_ ]content|must include\b[^.;]{0,20}reasoning[_ ]content/i;

const kinds: readonly Dispensable[] = ['effort', 'images', 'reasoning'];

/** Reductions of requests that were refused for no known reason, in the order in which they are tried: the pictures
 *  so far · schemas of tools as every service reads them · the tools that the service named · everything so far as
 *  plain text · all tools. */
type Reduction = 'pictures' | 'schemas' | 'namedTools' | 'history' | 'tools';
const reductions: readonly Reduction[] = ['pictures', 'schemas', 'namedTools', 'history', 'tools'];

/** A request without what its service refused, and what to tell the user about it. */
export interface FittedRequest {
  readonly request: ModelRequest;
  readonly simpleSchemas: boolean;
  /** What this request lacks although the user or a tool gave it. */
  readonly images: number;
  readonly tools: readonly string[];
  readonly isPlain: boolean;
}

/** Remembers, while the window is open, which parts services refused, so that every later request omits them. Also
 *  remembers which services require the reasoning of earlier answers, so that every later request includes it. Only
 *  wire copies change: the stored rows keep their reasoning and its signatures (hermes-agent#109572, #70233). */
export class LearnedRefusals {
  /** For each entry how many messages of the conversation it concerns: what comes after them is sent as usual. */
  private readonly learned = new Map<string, number>();

  /** Returns the request without refused parts, and with required ones. */
  fitting(given: ModelRequest, modelId: string): FittedRequest {
    const asks = this.learned.has(askingKey(modelId));
    const fits = kinds
      .filter((kind) => !(asks && kind === 'reasoning') && this.learned.has(keyOf(kind, given, modelId)))
      .reduce((sent, kind) => parts[kind].leaveOut(sent), given);
    const request = asks ? { ...fits, messages: fits.messages.map(withReasoning) } : fits;
    const pictures = this.learned.get(keyOf('pictures', given, modelId)) ?? 0;
    let history = this.learned.get(keyOf('history', given, modelId)) ?? 0;
    // The results of a call that is text are text too.
    while (request.messages[history]?.role === 'tool') history += 1;
    const all = this.learned.has(keyOf('tools', given, modelId));
    const refused = request.tools.filter(({ name }) => all || this.learned.has(toolKey(name, modelId)));
    const newest = request.messages.findLastIndex(({ role }) => role === 'user');
    return {
      request: {
        ...request,
        messages: [
          ...plainHistory(request.messages.slice(0, history)),
          ...request.messages
            .slice(history)
            .map((message, index) => (index + history < pictures ? messageWithoutImages(message) : message)),
        ],
        tools: request.tools.filter((tool) => !refused.includes(tool)),
      },
      simpleSchemas: this.learned.has(keyOf('schemas', given, modelId)),
      images: request.messages.slice(newest, Math.max(pictures, history)).flatMap(imagesOf).length,
      tools: refused.map(({ name }) => name),
      isPlain: history > newest,
    };
  }

  /** Learns from the fault of a sent request. Returns the new entries, which the caller removes again if they do not
   *  help. Null when nothing can be removed or added, so a retry would be refused again. `tried`: entries already
   *  learned for this request. `whole`: the request before anything was left out. */
  learn(
    fault: TransportFault,
    { request: sent, simpleSchemas }: FittedRequest,
    whole: ModelRequest,
    modelId: string,
    tried: readonly string[] = [],
  ): readonly string[] | null {
    const message = refusalIn(fault);
    if (message === null) return null;
    const asking = askingKey(modelId);
    if (missesReasoning.test(message) && !tried.includes(asking) && sent.messages.some(lacksReasoning))
      return this.remember([asking]);
    const kind = kinds.find(
      (each) => parts[each].isIn(sent) && mentions(each, message) && !tried.includes(keyOf(each, sent, modelId)),
    );
    if (kind !== undefined && !missesReasoning.test(message)) {
      if (kind === 'reasoning') this.learned.delete(asking);
      return this.remember([keyOf(kind, sent, modelId)]);
    }
    // A service that names another reason (its key, its content filter) refuses any request.
    if (failureCause(fault) !== 'badRequest') return null;
    for (const reduction of reductions) {
      const keys = reducingKeys(reduction, message, { sent, whole, simpleSchemas, modelId });
      if (keys.length > 0 && !keys.some((key) => tried.includes(key)))
        return this.remember(keys, whole.messages.length);
    }
    return null;
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.learned.delete(key);
  }

  private remember(keys: readonly string[], count = 0): readonly string[] {
    for (const key of keys) this.learned.set(key, count);
    return keys;
  }
}

interface Refused {
  readonly sent: ModelRequest;
  readonly whole: ModelRequest;
  readonly simpleSchemas: boolean;
  readonly modelId: string;
}

/** Returns the entries of this reduction; none if it would change nothing of what was sent. */
function reducingKeys(reduction: Reduction, message: string, refused: Refused): readonly string[] {
  const { sent, whole, simpleSchemas, modelId } = refused;
  const isAboutTools = /\b(?:tools?|functions?|schemas?|grammar|parameters)\b|input_schema/i.test(message);
  const key = keyOf(reduction, whole, modelId);
  switch (reduction) {
    case 'pictures':
      return parts.images.named.test(message) && sent.messages.some(hasImages) ? [key] : [];
    case 'schemas':
      return isAboutTools && sent.tools.length > 0 && !simpleSchemas ? [key] : [];
    case 'namedTools':
      return sent.tools
        .filter(({ name }, index) => namesTool(message, name, index))
        .map(({ name }) => toolKey(name, modelId));
    case 'history':
      // A history of plain words would be sent again unchanged.
      return sent.messages.some((message) => message.role === 'tool' || hasImages(message) || carriesData(message))
        ? [key]
        : [];
    case 'tools':
      return isAboutTools && sent.tools.length > 0 ? [key] : [];
    default:
      return reduction satisfies never;
  }
}

/** True when a refusal speaks of this tool: by its name, or by its place among the tools. */
function namesTool(message: string, name: string, index: number): boolean {
  return (
    message.split(/[^\w-]+/).includes(name) ||
    [...message.matchAll(/\btools?(?:\.|\[)(\d+)/g)].some(([, at]) => Number(at) === index)
  );
}

/** True when the service refused the request. Any other fault says nothing about the request's parts. */
export function isRefusal(fault: TransportFault): boolean {
  return refusalIn(fault) !== null;
}

export function withoutImages(request: ModelRequest): ModelRequest {
  return { ...request, messages: request.messages.map(messageWithoutImages) };
}

function messageWithoutImages(message: WireMessage): WireMessage {
  switch (message.role) {
    case 'user':
      return {
        ...message,
        content: message.content.map((part) => (part.kind === 'image' ? { kind: 'text', text: imageLeftOut } : part)),
      };
    case 'tool':
      return {
        ...message,
        results: message.results.map(({ images, ...result }) =>
          images === undefined ? result : { ...result, text: `${result.text}\n\n${imageLeftOut}` },
        ),
      };
    case 'assistant':
      return message;
    default:
      return message satisfies never;
  }
}

function refusalIn(fault: TransportFault): string | null {
  if (fault.kind === 'http') {
    const message = bodyMessage(fault.body);
    return refusing.has(fault.status) && !isTooLong(fault.status, message) ? message : null;
  }
  if (fault.kind !== 'inStream') return null;
  const isRefused = fault.status === null ? fault.code === 'invalid_request_error' : refusing.has(fault.status);
  return isRefused && !isTooLong(400, fault.message) ? fault.message : null;
}

function mentions(kind: Dispensable, message: string): boolean {
  return parts[kind].named.test(message) && (kind !== 'images' || ofKind.test(message));
}

/** Returns the key of an entry. Refused reasoning, pictures and rows belong to one conversation. The other entries are
 *  limits of the model. */
function keyOf(kind: Dispensable | Reduction, { cacheKey }: ModelRequest, modelId: string): string {
  const isOfConversation = kind === 'reasoning' || kind === 'pictures' || kind === 'history';
  return JSON.stringify([kind, modelId, ...(isOfConversation ? [cacheKey] : [])]);
}

/** Returns the key for a service that requires a model's reasoning back, in every conversation. */
function askingKey(modelId: string): string {
  return JSON.stringify(['asks for reasoning', modelId]);
}

function toolKey(name: string, modelId: string): string {
  return JSON.stringify(['tool', modelId, name]);
}

function hasImages(message: WireMessage): boolean {
  return imagesOf(message).length > 0;
}

function carriesData(message: WireMessage): boolean {
  return message.role === 'assistant' && message.content.some(isProviderBound);
}

function isProviderBound(part: WireAssistantContent): boolean {
  return part.kind === 'thinking' || part.metadata !== undefined;
}

/** Removes thinking, and the metadata that a provider needs back with other parts. A wire copy has no answer that is
 *  only thinking. */
function withoutReasoning(message: WireMessage): WireMessage {
  if (message.role !== 'assistant') return message;
  const content = message.content.flatMap((part): readonly WireAssistantContent[] => {
    switch (part.kind) {
      case 'thinking':
        return [];
      case 'text':
        return [{ kind: 'text', text: part.text }];
      case 'toolCall':
        return [{ kind: 'toolCall', callId: part.callId, name: part.name, arguments: part.arguments }];
      default:
        return part satisfies never;
    }
  });
  return { role: 'assistant', content };
}

/** Returns these messages as text that takes turns between user and model, which every service accepts: no calls, no
 *  pictures, no thinking and no data of a provider. Two messages of one role are joined. */
function plainHistory(messages: readonly WireMessage[]): readonly WireMessage[] {
  const plain: (WireMessage & { readonly role: 'user' | 'assistant' })[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const text = textOf(message).join('\n\n');
    const content = [{ kind: 'text' as const, text: text.trim() === '' ? leftOut.nothing : text }];
    const last = plain.at(-1);
    if (last?.role === role) plain[plain.length - 1] = { role, content: [...textsIn(last), ...content] };
    else plain.push({ role, content });
  }
  return plain;
}

function textsIn({ content }: WireMessage & { readonly role: 'user' | 'assistant' }) {
  return content.flatMap((part) => (part.kind === 'text' ? [{ kind: part.kind, text: part.text }] : []));
}

function textOf(message: WireMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return [
        ...message.content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
        ...imagesOf(message).map(() => leftOut.image),
      ];
    case 'assistant':
      return message.content.flatMap(answerText);
    case 'tool':
      return message.results.map(resultText);
    default:
      return message satisfies never;
  }
}

function answerText(part: WireAssistantContent): readonly string[] {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'thinking':
      return [];
    case 'toolCall':
      return [`(Called the tool ${part.name} with ${JSON.stringify(part.arguments)}.)`];
    default:
      return part satisfies never;
  }
}

function resultText({ name, text, isError, images = [] }: WireToolResult): string {
  return [`(Result of ${name}${isError ? ', which failed' : ''}:)\n${text}`, ...images.map(() => leftOut.image)].join(
    '\n\n',
  );
}
