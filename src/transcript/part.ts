import * as v from 'valibot';
import type { JsonObject, JsonValue } from './json';

/** Data that a provider needs back byte for byte with a part (an Anthropic thinking signature, OpenRouter reasoning
 *  details), keyed by provider. */
export type ProviderMetadata = JsonObject;

const metadata = v.exactOptional(
  v.custom<ProviderMetadata>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
);

export const textPart = v.object({ kind: v.literal('text'), text: v.string(), metadata });
export type TextPart = Readonly<v.InferOutput<typeof textPart>>;

/** The model's visible reasoning. It is delivered text, like the answer itself. */
export const thinkingPart = v.object({ kind: v.literal('thinking'), text: v.string(), metadata });
export type ThinkingPart = Readonly<v.InferOutput<typeof thinkingPart>>;

/** Call that the model requested. `arguments` is the JSON text as the model wrote it; the tool registry parses it. */
export const toolCallPart = v.object({
  kind: v.literal('toolCall'),
  callId: v.string(),
  name: v.string(),
  arguments: v.string(),
  metadata,
});
export type ToolCallPart = Readonly<v.InferOutput<typeof toolCallPart>>;

export const imagePart = v.object({
  kind: v.literal('image'),
  mediaType: v.string(),
  dataBase64: v.string(),
  name: v.exactOptional(v.string()),
});
export type ImagePart = Readonly<v.InferOutput<typeof imagePart>>;

export const toolResultPart = v.object({
  kind: v.literal('toolResult'),
  callId: v.string(),
  name: v.string(),
  /** done: it ran. failed: it ran or could not run; the text says why. denied: the user refused it. cancelled: it
   *  never ran. interrupted: it was stopped or the process died, and it may have run. */
  outcome: v.picklist(['done', 'failed', 'denied', 'cancelled', 'interrupted']),
  /** Text for the model. */
  text: v.string(),
  /** Data for surfaces only (counts, paths); never sent. */
  details: v.exactOptional(v.custom<JsonValue>((value) => value !== undefined)),
  /** Images that it returned; sent to models that accept images. */
  images: v.exactOptional(v.pipe(v.array(imagePart), v.readonly())),
});
export type ToolResultPart = Readonly<v.InferOutput<typeof toolResultPart>>;
export type ToolOutcome = ToolResultPart['outcome'];

/** Attachment that the user sent with a prompt: a file, a selection, problems, terminal output. Its text is from the
 *  time the prompt was sent. */
export const attachmentPart = v.object({
  kind: v.literal('attachment'),
  /** Label: "src/upload.ts:10-24". */
  label: v.string(),
  /** Origin, in the form of a mention: "file:src/upload.ts". */
  source: v.string(),
  text: v.string(),
});
export type AttachmentPart = Readonly<v.InferOutput<typeof attachmentPart>>;

export type Part = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | AttachmentPart;
export type UserPart = TextPart | ImagePart | AttachmentPart;
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;
/** Kinds that stream: a chunk may contain these. */
export type DeliveredKind = 'text' | 'thinking';
