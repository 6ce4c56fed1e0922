import type { JsonObject, JsonValue } from './json';

/** Data that a provider needs back byte for byte with a part (an Anthropic thinking signature, OpenRouter reasoning
 *  details), keyed by provider. */
export type ProviderMetadata = JsonObject;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** The model's visible reasoning. It is delivered text, like the answer itself. */
export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** Call that the model requested. `arguments` is the JSON text as the model wrote it; the tool registry parses it. */
export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

/** done: it ran. failed: it ran or could not run; the text says why. denied: the user refused it. cancelled: it
 *  never ran. interrupted: it was stopped or the process died, and it may have run. */
export type ToolOutcome = 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';

export interface ToolResultPart {
  readonly kind: 'toolResult';
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolOutcome;
  /** Text for the model. */
  readonly text: string;
  /** Data for surfaces only (counts, paths); never sent. */
  readonly details?: JsonValue;
  /** Images that it returned; sent to models that accept images. */
  readonly images?: readonly ImagePart[];
}

export interface ImagePart {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly dataBase64: string;
  readonly name?: string;
}

/** Attachment that the user sent with a prompt: a file, a selection, problems, terminal output. Its text is from the
 *  time the prompt was sent. */
export interface AttachmentPart {
  readonly kind: 'attachment';
  /** Label: "src/upload.ts:10-24". */
  readonly label: string;
  /** Origin, in the form of a mention: "file:src/upload.ts". */
  readonly source: string;
  readonly text: string;
}

export type Part = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | AttachmentPart;
export type UserPart = TextPart | ImagePart | AttachmentPart;
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;
/** Kinds that stream: a chunk may contain these. */
export type DeliveredKind = 'text' | 'thinking';
