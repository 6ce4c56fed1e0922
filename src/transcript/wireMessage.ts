import type { JsonObject } from './json';
import type { ProviderMetadata } from './part';

/** Message as a provider gets it: a copy, never stored. */
export type WireMessage =
  | { readonly role: 'user'; readonly content: readonly WireUserContent[] }
  | { readonly role: 'assistant'; readonly content: readonly WireAssistantContent[] }
  | { readonly role: 'tool'; readonly results: readonly WireToolResult[] };

export type WireUserContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly dataBase64: string };

export type WireImage = WireUserContent & { readonly kind: 'image' };

export type WireAssistantContent =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly kind: 'thinking'; readonly text: string; readonly metadata?: ProviderMetadata }
  | {
      readonly kind: 'toolCall';
      readonly callId: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly metadata?: ProviderMetadata;
    };

export interface WireToolResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** Images that the tool returned. */
  readonly images?: readonly WireImage[];
}
