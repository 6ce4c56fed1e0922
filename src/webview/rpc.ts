import type * as v from 'valibot';
import type { Unchanged } from '../transcript/json';
import { protocolVersion, type FromView, type ProtocolError, type ToView } from '../protocol/envelope';

type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** Messages between one kind of view and the host: the schemas of what the view sends, the types of what comes back. */
interface RpcProtocol {
  readonly commands: Schemas;
  readonly requests: Schemas;
  readonly results: object;
  readonly notifications: object;
}

export type NotificationOf<P extends RpcProtocol> = {
  [Name in keyof P['notifications'] & string]: { readonly name: Name; readonly payload: P['notifications'][Name] };
}[keyof P['notifications'] & string];

type ResultOf<P extends RpcProtocol, Name> = Name extends keyof P['results'] ? P['results'][Name] : never;

/** A request the host refused: `message` is a sentence for the user, `causeClass` its class. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly causeClass: string;
  constructor(error: ProtocolError) {
    super(error.sentence);
    this.causeClass = error.cause;
  }
}

/** Connection to the host. Commands have no response; a request settles once, and rejects with `RefusedRequest`. */
export interface HostConnection<P extends RpcProtocol> {
  send<Name extends keyof P['commands'] & string>(
    name: Name,
    payload: Unchanged<v.InferInput<P['commands'][Name]>>,
  ): void;
  request<Name extends keyof P['requests'] & string>(
    name: Name,
    payload: Unchanged<v.InferInput<P['requests'][Name]>>,
  ): Promise<ResultOf<P, Name>>;
  onNotification(listener: (notification: NotificationOf<P>) => void): () => void;
}

/** Connects to the host through VS Code's message channel. Ignores messages that are not of this protocol's version. */
export function connectToHost<P extends RpcProtocol>(api: VsCodeApi, page: EventTarget): HostConnection<P> {
  const open = new Map<number, (response: Response) => void>();
  const listeners = new Set<(notification: NotificationOf<P>) => void>();
  let lastId = 0;
  page.addEventListener('message', (event) => {
    const message: unknown = event instanceof MessageEvent ? event.data : null;
    if (!isFromHost(message)) return;
    if (message.kind === 'response') {
      open.get(message.id)?.(message);
      open.delete(message.id);
    } else if (isNotification<P>(message)) {
      for (const listener of listeners) listener(message);
    }
  });
  const post = (message: FromView): void => api.postMessage(message);
  return {
    send: (name, payload) => post({ v: protocolVersion, kind: 'command', name, payload }),
    request: (name, payload) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        open.set(id, (response) => {
          if (!response.ok) reject(new RefusedRequest(response.error));
          else if (isResult<P, typeof name>(response.result)) resolve(response.result);
          else reject(new Error(`The answer to ${name} carried no result.`));
        });
        post({ v: protocolVersion, kind: 'request', id, name, payload });
      }),
    onNotification: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Response = ToView & { readonly kind: 'response' };

function isFromHost(message: unknown): message is ToView {
  if (typeof message !== 'object' || message === null) return false;
  if (!('v' in message) || message.v !== protocolVersion || !('kind' in message)) return false;
  if (message.kind === 'notification')
    return 'name' in message && typeof message.name === 'string' && 'payload' in message;
  return message.kind === 'response' && 'id' in message && typeof message.id === 'number' && 'ok' in message;
}

// Validates the envelope but not its content. Both bundles are built from the same types and shipped in one package,
// and only the host can post into this frame: the page loads nothing from elsewhere and has no frames.
function isNotification<P extends RpcProtocol>(message: unknown): message is NotificationOf<P> {
  return typeof message === 'object' && message !== null && 'name' in message;
}

function isResult<P extends RpcProtocol, Name>(result: unknown): result is ResultOf<P, Name> {
  return result !== undefined;
}

/** VS Code's API for webviews; may be acquired once per page. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): VsCodeApi;
}
