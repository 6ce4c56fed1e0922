import type { ModelRequest, WireAssistantContent, WireMessage } from '../chatModel';
import { bodyMessage, isTooLong } from './failures';
import { lacksReasoning, withReasoning } from './reasoningField';
import type { TransportFault } from '../transport';

/** Optional parts of a request: the reasoning of earlier answers that is sent back · the reasoning effort · images. */
type Dispensable = 'reasoning' | 'effort' | 'images';

/** Replaces an image. */
const imageLeftOut = '(An image stood here. This model takes no images.)';

/** Statuses of a request that the service understood and refused. 404 is OpenRouter's status for a model without a
 *  capability. */
const refusing: ReadonlySet<number> = new Set([400, 404, 415, 422]);

const patterns: Readonly<Record<Dispensable, RegExp>> = {
  effort:
    /reasoning[._ ]?effort|budget_tokens|\bthinking\.\w+|not support\w*[^.]{0,40}\b(?:thinking|reasoning)\b|\b(?:thinking|reasoning)\b[^.]{0,40}\bnot supported/i,
  images: /\b(?:images?|vision|multimodal)\b|image_url/i,
  reasoning:
    /signature|encrypted|redacted_thinking|\bthinking\b|\breasoning\b|reasoning_(?:content|details)|\bthought\b/i,
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

/** Remembers, while the window is open, which parts services refused, so that every later request omits them. Also
 *  remembers which services require the reasoning of earlier answers, so that every later request includes it. Only
 *  wire copies change: the stored rows keep their reasoning and its signatures (hermes-agent#109572, #70233). */
export class LearnedRefusals {
  private readonly learned = new Set<string>();

  /** Returns the request without refused parts, and with required ones. */
  fitting(request: ModelRequest, modelId: string): ModelRequest {
    const asks = this.learned.has(askingKey(modelId));
    const fits = kinds
      .filter((kind) => !(asks && kind === 'reasoning') && this.learned.has(keyOf(kind, request, modelId)))
      .reduce((sent, kind) => without(kind, sent), request);
    return asks ? { ...fits, messages: fits.messages.map(withReasoning) } : fits;
  }

  /** Learns from the fault of a sent request. Returns the new entry, which the caller removes again if it does not
   *  help. Null when nothing can be removed or added, so a retry would be refused again. `tried`: entries already
   *  learned for this request. */
  learn(fault: TransportFault, sent: ModelRequest, modelId: string, tried: readonly string[] = []): string | null {
    const message = refusalIn(fault);
    if (message === null) return null;
    const asking = askingKey(modelId);
    if (missesReasoning.test(message))
      return tried.includes(asking) || !sent.messages.some(lacksReasoning) ? null : this.remember(asking);
    const kind = kinds.find((each) => carries(each, sent) && mentions(each, message));
    if (kind === undefined) return null;
    const key = keyOf(kind, sent, modelId);
    if (tried.includes(key)) return null;
    if (kind === 'reasoning') this.learned.delete(asking);
    return this.remember(key);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.learned.delete(key);
  }

  private remember(key: string): string {
    this.learned.add(key);
    return key;
  }
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
  return patterns[kind].test(message) && (kind !== 'images' || ofKind.test(message));
}

/** Returns the key of an entry. Refused reasoning belongs to one conversation, because it depends on the reasoning's
 *  origin. The other entries are limits of the model. */
function keyOf(kind: Dispensable, { cacheKey }: ModelRequest, modelId: string): string {
  return JSON.stringify([kind, modelId, ...(kind === 'reasoning' ? [cacheKey] : [])]);
}

/** Returns the key for a service that requires a model's reasoning back, in every conversation. */
function askingKey(modelId: string): string {
  return JSON.stringify(['asks for reasoning', modelId]);
}

function carries(kind: Dispensable, { messages, reasoningEffort }: ModelRequest): boolean {
  switch (kind) {
    case 'effort':
      return reasoningEffort !== 'default';
    case 'images':
      return messages.some(hasImages);
    case 'reasoning':
      return messages.some((message) => message.role === 'assistant' && message.content.some(isProviderBound));
    default:
      return kind satisfies never;
  }
}

function without(kind: Dispensable, request: ModelRequest): ModelRequest {
  switch (kind) {
    case 'effort':
      return { ...request, reasoningEffort: 'default' };
    case 'images':
      return withoutImages(request);
    case 'reasoning':
      return { ...request, messages: request.messages.map(withoutReasoning) };
    default:
      return kind satisfies never;
  }
}

function hasImages(message: WireMessage): boolean {
  if (message.role === 'tool') return message.results.some(({ images }) => images !== undefined);
  return message.role === 'user' && message.content.some((part) => part.kind === 'image');
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
