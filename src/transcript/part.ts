import type { JsonObject, JsonValue } from './json';

/** What a provider needs back byte for byte with a part (an Anthropic thinking signature, OpenRouter reasoning details), keyed by provider. */
export type ProviderMetadata = JsonObject;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** The model's visible reasoning. It is delivered text like the answer itself. */
export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** A call the model asked for. `arguments` is the JSON text as the model wrote it; whether it parses is the tool registry's question. */
export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

/** done: it ran · failed: it ran or could not, the text says why · denied: the person refused · cancelled: it never ran ·
 *  interrupted: it was stopped or the process died, and it may have run. */
export type ToolOutcome = 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';

export interface ToolResultPart {
  readonly kind: 'toolResult';
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolOutcome;
  /** What the model is told. */
  readonly text: string;
  /** For the surfaces only (counts, paths); never sent. */
  readonly details?: JsonValue;
  /** What it returned to be looked at; sent to models that take images. */
  readonly images?: readonly ImagePart[];
}

export interface ImagePart {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly dataBase64: string;
  readonly name?: string;
}

/** What the person sent along with a prompt: a file, a selection, problems, terminal output. Its text is as it was when the prompt was sent. */
export interface AttachmentPart {
  readonly kind: 'attachment';
  /** What it is called: "src/upload.ts:10-24". */
  readonly label: string;
  /** Where it came from, as a mention names it: "file:src/upload.ts". */
  readonly source: string;
  readonly text: string;
}

export type Part = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | AttachmentPart;
export type UserPart = TextPart | ImagePart | AttachmentPart;
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;
/** The kinds that stream: what a chunk may carry. */
export type DeliveredKind = 'text' | 'thinking';
