import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../transcript/json';

/** Key in `_meta` under which an answer carries what the server sent. */
const sentKey = 'hermes/sent';

type Fit = (sent: JsonObject) => JsonObject;
const fittings: ReadonlyMap<string, Fit> = new Map<string, Fit>([
  [
    'tools/list',
    (sent) => ({
      ...withMeta(sent),
      ...(typeof sent['nextCursor'] === 'string' ? { nextCursor: sent['nextCursor'] } : {}),
      tools: (Array.isArray(sent['tools']) ? sent['tools'] : []).flatMap(fittingTool),
    }),
  ],
  // What the server asks for in between has a form of its own.
  ['tools/call', (sent) => (sent['resultType'] === 'input_required' ? sent : { ...withMeta(sent, sent), content: [] })],
]);

/** Passes answers of any form on to the library, which refuses a list for one odd tool, and a result for one odd
 *  piece or for the server's own output schema. The library gets an answer that fits; `sentIn` has what was sent. */
export function tolerant<T extends Transport>(transport: T): T {
  const methods = new Map<RequestId, string>();
  const send = transport.send.bind(transport);
  let listener: Transport['onmessage'];
  const take: NonNullable<Transport['onmessage']> = (message, extra) => listener?.(fitting(message, methods), extra);
  transport.send = (message, options) => {
    for (const each of [message].flat())
      if ('method' in each && 'id' in each && fittings.has(each.method)) methods.set(each.id, each.method);
    return send(message, options);
  };
  return Object.defineProperty(transport, 'onmessage', {
    get: () => (listener === undefined ? undefined : take),
    set: (given: Transport['onmessage']) => (listener = given),
  });
}

/** What the server sent, of an answer that passed `tolerant`. */
export function sentIn(answer: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): unknown {
  return answer._meta?.[sentKey];
}

function fitting(message: JSONRPCMessage, methods: Map<RequestId, string>): JSONRPCMessage {
  if (!('result' in message)) return message;
  const fit = fittings.get(methods.get(message.id) ?? '');
  methods.delete(message.id);
  const result: unknown = message.result;
  return fit === undefined || !isJsonObject(result) ? message : { ...message, result: fit(result) };
}

/** A tool without a name cannot be called. */
function fittingTool(sent: JsonValue): readonly JsonObject[] {
  if (!isJsonObject(sent) || typeof sent['name'] !== 'string' || sent['name'] === '') return [];
  const schema = sent['inputSchema'];
  const fits = isJsonObject(schema) && schema['type'] === 'object' && isJsonObject(schema['properties'] ?? {});
  // The library reads headers from the properties. It has no use for the rest.
  const properties = fits ? { properties: schema['properties'] ?? {} } : {};
  return [{ name: sent['name'], inputSchema: { type: 'object', ...properties }, ...withMeta({}, sent) }];
}

function withMeta(sent: JsonObject, carried?: JsonObject): JsonObject {
  const { _meta: meta, resultType } = sent;
  return {
    ...(resultType === undefined ? {} : { resultType }),
    _meta: { ...(isJsonObject(meta) ? meta : {}), ...(carried === undefined ? {} : { [sentKey]: carried }) },
  };
}
