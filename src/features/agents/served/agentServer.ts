import * as v from 'valibot';
import { errorMessage } from '../../../base/errorMessage';
import { parsedJson, isJsonObject } from '../../../transcript/json';
import { usualBeginning } from '../../../gateway/surfaceRegistry';
import { WindowWork } from '../../../host/storage/windowWork';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import type { Clock } from '../../../base/clock';
import { AgentConnection } from '../core/agentConnection';
import type { ReadLine } from '../core/lineReader';
import { messageSchema, methods } from '../core/protocol1';
import { type ClientEditor, ClientFiles, rootsOf } from './clientFiles';
import type { Headless } from './headless';
import { codes, initializeAnswer, params, usableServers } from './served1';
import { Refusal, ServedSession } from './servedSession';

/** A history, and what answers its sessions. */
export interface ServedHistory {
  readonly connection: StoreConnection;
  readonly headless: Headless;
}

/** What a session works with. */
export type ServedParts = ReturnType<AgentServer['prepare']>;

interface AgentServerOptions {
  /** Opens the history for sessions in this folder; the same one again for the same history. Null: the folder in which
   *  the program was started. */
  readonly historyOf: (cwd: string | null) => Promise<ServedHistory>;
  readonly write: (line: string) => Promise<void>;
  readonly version: string;
  readonly uid: () => string;
  readonly clock: Clock;
  readonly warn: (sentence: string) => void;
}

interface OpenSession extends Pick<ServedParts, 'gateway' | 'history' | 'end'> {
  readonly session: ServedSession;
  readonly conversationId: string;
}

type Method = keyof typeof params;
type ParamsOf<M extends Method> = v.InferOutput<(typeof params)[M]>;
type Handlers = { readonly [M in Method]: (given: ParamsOf<M>) => Promise<unknown> };

const listedAtOnce = 50;

/** Answers the requests of one client. Requests run side by side; the updates of a session keep the order of its
 *  events. */
export class AgentServer {
  readonly connection: AgentConnection;
  private readonly sessions = new Map<string, OpenSession>();
  /** Resolves when no stored session is being opened. */
  private opening: Promise<unknown> = Promise.resolve();
  private readonly guarded = new Set<StoreConnection>();
  private client: ParamsOf<'initialize'> = {};
  /** Called once an answer is sent: news of a session before it would be of one that the client does not know. */
  private readonly afterAnswer = new WeakMap<object, () => void>();

  constructor(readonly deps: AgentServerOptions) {
    this.connection = new AgentConnection(deps.write);
  }

  /** Takes a line of the client. Never rejects. */
  async take({ text, bytes }: ReadLine): Promise<void> {
    const message = bytes === undefined ? read(text) : null;
    if (message === null) return this.connection.refuse(null, -32700, 'This line is no JSON object.');
    if (message.method === undefined) return this.connection.receive(message);
    const { id, method } = message;
    try {
      const result = await this.handle(method, message['params']);
      if (id !== undefined) this.connection.answer(id, result);
      if (typeof result === 'object' && result !== null) this.afterAnswer.get(result)?.();
    } catch (error) {
      if (id !== undefined) this.refuse(id, error);
      else this.deps.warn(`${method}: ${errorMessage(error)}`);
    }
  }

  /** Settles everything that runs. Nothing more is sent afterwards. */
  async close(): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((id) => this.closeSession(id)));
    this.connection.close(new Error('The client has ended.'));
  }

  private async history(cwd: string | null): Promise<ServedHistory> {
    const history = await this.deps.historyOf(cwd);
    const { connection } = history;
    if (this.guarded.has(connection)) return history;
    this.guarded.add(connection);
    connection.setWorkGuard({
      settle: async () => {
        await Promise.all(
          this.openIn(connection).map(({ gateway }) =>
            new WindowWork(gateway, () => Promise.resolve(), this.deps.clock).settle(),
          ),
        );
      },
      leaveWaiting: () => {
        for (const { gateway } of this.openIn(connection)) void gateway.runner.leaveWaiting();
      },
      // A client is there as long as this process is.
      isLeft: () => Promise.resolve(false),
    });
    return history;
  }

  private openIn(connection: StoreConnection): readonly OpenSession[] {
    return [...this.sessions.values()].filter(({ history }) => history.connection === connection);
  }

  private readonly handlers: Handlers = {
    initialize: (given) => {
      this.client = given;
      return Promise.resolve(initializeAnswer(this.deps.version));
    },
    'session/new': async (given) => {
      const history = await this.history(given.cwd);
      const prepared = this.prepare(history, given);
      const { id } = await prepared.gateway.sessions.create(usualBeginning);
      const opened = await this.open(id, id, prepared, false);
      return Object.assign(opened, { sessionId: id });
    },
    'session/load': (given) => this.openNext(given, true),
    'session/resume': (given) => this.openNext(given, false),
    'session/list': async ({ cwd = null, cursor }) => {
      const { connection } = await this.history(cwd);
      const offset = Number(cursor ?? 0);
      if (!Number.isSafeInteger(offset) || offset < 0) throw new Refusal(codes.badParams, 'This cursor is unknown.');
      const found = await connection.store.listSessions({ limit: listedAtOnce, offset, folder: cwd ?? '' });
      const sessions = found.map(({ id, folder, title, preview, lastActiveAt }) => ({
        sessionId: id,
        cwd: folder,
        title: title ?? preview,
        updatedAt: new Date(lastActiveAt * 1000).toISOString(),
      }));
      return { sessions, ...(found.length < listedAtOnce ? {} : { nextCursor: String(offset + listedAtOnce) }) };
    },
    'session/close': async ({ sessionId }) => {
      this.session(sessionId);
      await this.closeSession(sessionId);
      return {};
    },
    'session/prompt': async ({ sessionId, prompt }) => this.session(sessionId).session.prompt(prompt),
    'session/cancel': async ({ sessionId }) => this.session(sessionId).session.cancel(),
    'session/set_mode': async ({ sessionId, modeId }) => {
      await this.session(sessionId).session.setOption('mode', modeId);
      return {};
    },
    'session/set_config_option': async ({ sessionId, configId, value }) => {
      const { session } = this.session(sessionId);
      await session.setOption(configId, value);
      return { configOptions: (await session.options()).configOptions };
    },
  };

  private handle(method: string, given: unknown): Promise<unknown> {
    if (!isMethod(method)) return Promise.reject(new Refusal(codes.unknownMethod, `There is no method ${method}.`));
    return this.call(method, given ?? {});
  }

  private async call<M extends Method>(method: M, given: unknown): Promise<unknown> {
    const parsed = v.safeParse(params[method], given);
    if (!parsed.success) {
      const said = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? ''}: ${issue.message}`).join('; ');
      throw new Refusal(codes.badParams, `${method}: ${said}`);
    }
    return this.handlers[method](parsed.output as ParamsOf<M>);
  }

  /** Opens one session after the other: of two that are the same one, the first is closed before the second opens. */
  private openNext(given: ParamsOf<'session/load'>, replays: boolean): Promise<object> {
    const opened = this.opening.then(() => this.openStored(given, replays));
    this.opening = opened.catch(() => undefined);
    return opened;
  }

  private async openStored(given: ParamsOf<'session/load'>, replays: boolean): Promise<object> {
    const history = await this.history(given.cwd);
    const stored = await history.connection.store.getSession(given.sessionId);
    if (stored === null)
      throw new Refusal(codes.notFound, `There is no session ${given.sessionId} in the history of ${given.cwd}.`);
    for (const [id, open] of this.sessions) {
      if (open.conversationId !== stored.conversationId) continue;
      if (open.gateway.turns.running().some(({ isWaiting }) => !isWaiting))
        throw new Refusal(codes.internal, 'This session is being answered. Cancel the prompt, or wait for its end.');
      await this.closeSession(id);
    }
    return this.open(stored.id, stored.conversationId, this.prepare(history, given), replays);
  }

  /** Files are asked for in the name of the session that opens with this. */
  prepare(history: ServedHistory, { cwd, additionalDirectories, mcpServers }: ParamsOf<'session/new'>) {
    const { clientInfo, clientCapabilities } = this.client;
    const name = { sessionId: '' };
    const files = new ClientFiles(rootsOf([cwd, ...(additionalDirectories ?? [])]), this.clientEditor(name));
    const { servers, problems } = usableServers(mcpServers);
    problems.forEach(this.deps.warn);
    const { form = null, url = null } = clientCapabilities?.elicitation ?? {};
    const { notices = null } = clientCapabilities?.session ?? {};
    return {
      ...history.headless.gateway(files, clientInfo?.title ?? clientInfo?.name ?? 'an editor', servers),
      history,
      models: () => history.headless.models(),
      name,
      folder: cwd,
      /** What the client can ask the user for a server. */
      asks: { form: form !== null, url: url !== null },
      /** Sentences about the session, for a client that shows them. */
      notices: notices === null ? [] : problems,
    };
  }

  private async open(id: string, conversationId: string, parts: ServedParts, replays: boolean): Promise<object> {
    const { name, gateway, history, end } = parts;
    name.sessionId = id;
    const session = new ServedSession(id, parts, this);
    this.sessions.set(id, { session, gateway, history, conversationId, end });
    await session.start(replays);
    const answer = await session.options();
    this.afterAnswer.set(answer, () => session.introduce());
    return answer;
  }

  private async closeSession(id: string): Promise<void> {
    const open = this.sessions.get(id);
    this.sessions.delete(id);
    await open?.session.close();
    await open?.end();
  }

  private session(id: string): OpenSession {
    const open = this.sessions.get(id);
    if (open === undefined) throw new Refusal(codes.notFound, `The session ${id} is not open. Load it first.`);
    return open;
  }

  private clientEditor(name: { readonly sessionId: string }): ClientEditor {
    const { readTextFile = false, writeTextFile = false } = this.client.clientCapabilities?.fs ?? {};
    const ask = (method: string, given: object): Promise<unknown> =>
      this.connection.request(method, { sessionId: name.sessionId, ...given });
    return {
      ...(readTextFile
        ? {
            readText: async (path) => {
              const answer = await ask(methods.readFile, { path });
              if (isJsonObject(answer) && typeof answer['content'] === 'string') return answer['content'];
              throw new Error(`The client has no text of ${path}.`);
            },
          }
        : {}),
      ...(writeTextFile
        ? { writeText: async (path, content) => void (await ask(methods.writeFile, { path, content })) }
        : {}),
    };
  }

  private refuse(id: unknown, error: unknown): void {
    const code = error instanceof v.ValiError ? codes.badParams : codes.internal;
    const { data } = error instanceof Refusal ? error : { data: undefined };
    this.connection.refuse(id, error instanceof Refusal ? error.code : code, errorMessage(error), data);
  }
}

function isMethod(method: string): method is Method {
  return Object.hasOwn(params, method);
}

function read(line: string): v.InferOutput<typeof messageSchema> | null {
  const parsed = v.safeParse(messageSchema, parsedJson(line));
  return parsed.success ? parsed.output : null;
}
