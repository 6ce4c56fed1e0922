import * as v from 'valibot';

/** Version of the protocol between host and views. Both are shipped together; a view of another version is
 *  reloaded. */
export const protocolVersion = 1;

/** Three kinds of message: a command has no response, a request has exactly one, a notification goes from host to
 *  view. */
export type FromView =
  | { readonly v: number; readonly kind: 'command'; readonly name: string; readonly payload: unknown }
  | {
      readonly v: number;
      readonly kind: 'request';
      readonly id: number;
      readonly name: string;
      readonly payload: unknown;
    };

export type ToView =
  | { readonly v: number; readonly kind: 'response'; readonly id: number; readonly ok: true; readonly result: unknown }
  | {
      readonly v: number;
      readonly kind: 'response';
      readonly id: number;
      readonly ok: false;
      readonly error: ProtocolError;
    }
  | { readonly v: number; readonly kind: 'notification'; readonly name: string; readonly payload: unknown };

/** A refused request: a sentence for the user, and the class of the cause for tests and icons. */
export interface ProtocolError {
  readonly sentence: string;
  readonly cause: string;
}

export const fromViewSchema = v.variant('kind', [
  v.object({ v: v.literal(protocolVersion), kind: v.literal('command'), name: v.string(), payload: v.unknown() }),
  v.object({
    v: v.literal(protocolVersion),
    kind: v.literal('request'),
    id: v.number(),
    name: v.string(),
    payload: v.unknown(),
  }),
]);
