import * as v from 'valibot';
import { type Disposable, Owner } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import { fromViewSchema, protocolVersion, type ProtocolError, type ToView } from '../../protocol/envelope';
import { describeError, isExpected } from '../common/describeError';

/** The part of a webview that the endpoint needs. */
export interface WebviewPort {
  postMessage(message: ToView): PromiseLike<boolean>;
  onDidReceiveMessage(listener: (message: unknown) => void): Disposable;
}

/** Maps names to schemas. Mapped over `T`, so that looking up a known name never yields undefined. */
type Schemas<T> = { readonly [K in keyof T]: v.GenericSchema };

export type CommandHandlers<C extends Schemas<C>> = {
  readonly [K in keyof C]: (payload: v.InferOutput<C[K]>) => void | Promise<void>;
};

export type RequestHandlers<R extends Schemas<R>, Results extends { readonly [K in keyof R]: unknown }> = {
  readonly [K in keyof R]: (payload: v.InferOutput<R[K]>) => Promise<Results[K]>;
};

interface ViewProtocol<C extends Schemas<C>, R extends Schemas<R>> {
  readonly commands: C;
  readonly requests: R;
}

/** The host's end of a view's protocol. Validates every message against its schema before use. Answers each request
 *  exactly once, with a result or a sentence. Catches every rejection of a handler. */
export class ViewEndpoint<
  C extends Schemas<C>,
  R extends Schemas<R>,
  Results extends { readonly [K in keyof R]: unknown },
  Notifications extends object,
> extends Owner {
  constructor(
    private readonly port: WebviewPort,
    private readonly protocol: ViewProtocol<C, R>,
    private readonly handlers: {
      readonly commands: CommandHandlers<C>;
      readonly requests: RequestHandlers<R, Results>;
    },
    private readonly log: Log,
  ) {
    super();
    this.lifetime.register(port.onDidReceiveMessage((message) => void this.receive(message)));
  }

  notify<K extends keyof Notifications & string>(name: K, payload: Notifications[K]): void {
    this.post({ v: protocolVersion, kind: 'notification', name, payload });
  }

  private async receive(message: unknown): Promise<void> {
    const parsed = v.safeParse(fromViewSchema, message);
    if (!parsed.success) {
      this.log.warn(`A view sent something that is not a message: ${parsed.issues[0].message}`);
      return;
    }
    const incoming = parsed.output;
    if (incoming.kind === 'command') await this.runCommand(incoming.name, incoming.payload);
    else await this.answer(incoming.id, incoming.name, incoming.payload);
  }

  private async runCommand(name: string, payload: unknown): Promise<void> {
    if (!isKeyOf(this.protocol.commands, name)) {
      this.log.warn(`A view sent the unknown command "${name}".`);
      return;
    }
    const parsed = v.safeParse(this.protocol.commands[name], payload);
    if (!parsed.success) {
      this.log.warn(
        `A view sent the command "${name}" with a payload that does not fit: ${describeIssues(parsed.issues)}`,
      );
      return;
    }
    try {
      await this.handlers.commands[name](parsed.output);
    } catch (error) {
      this.report(name, error);
    }
  }

  private async answer(id: number, name: string, payload: unknown): Promise<void> {
    if (!isKeyOf(this.protocol.requests, name))
      return this.refuse(id, {
        sentence: t('The view asked for something unknown (“{name}”). Reload the window.', { name }),
        cause: 'invalid',
      });
    const parsed = v.safeParse(this.protocol.requests[name], payload);
    if (!parsed.success) {
      this.log.warn(
        `A view sent the request "${name}" with a payload that does not fit: ${describeIssues(parsed.issues)}`,
      );
      return this.refuse(id, {
        sentence: t('The view sent a request that couldn’t be read. Reload the window.'),
        cause: 'invalid',
      });
    }
    try {
      const result = await this.handlers.requests[name](parsed.output);
      this.post({ v: protocolVersion, kind: 'response', id, ok: true, result });
    } catch (error) {
      this.report(name, error);
      this.refuse(id, describeError(error));
    }
  }

  private refuse(id: number, error: ProtocolError): void {
    this.post({ v: protocolVersion, kind: 'response', id, ok: false, error });
  }

  private report(name: string, error: unknown): void {
    if (isExpected(error)) this.log.warn(`${name}: ${describeError(error).sentence}`);
    else this.log.error(`${name} failed`, error);
  }

  private post(message: ToView): void {
    if (this.lifetime.isDisposed) return;
    // A view that is gone receives nothing; it is rendered from the store when it returns.
    this.port
      .postMessage(message)
      .then(undefined, (error: unknown) => this.log.trace(`A message did not reach its view: ${String(error)}`));
  }
}

function isKeyOf<T extends object>(object: T, key: string): key is keyof T & string {
  return Object.hasOwn(object, key);
}

function describeIssues(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'payload'}: ${issue.message}`).join('; ');
}
