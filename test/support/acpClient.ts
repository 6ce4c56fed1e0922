import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

type Fields = Readonly<Record<string, unknown>>;
export interface Update extends Fields {
  readonly sessionUpdate: string;
}
type Answerer = (params: Fields) => unknown;

/** A client of the Agent Client Protocol, written from the specification and not from a library: starts an agent and
 *  writes down every line of it. Requests of the agent are answered by `answers`; one that it lacks is refused. */
export class AcpClient {
  readonly updates: { readonly sessionId: string; readonly update: Update }[] = [];
  readonly requests: { readonly method: string; readonly params: Fields }[] = [];
  /** Lines on standard output that are not of the protocol. */
  readonly strayLines: string[] = [];
  stderr = '';
  readonly answers = new Map<string, Answerer>();
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, { resolve: (value: Fields) => void; reject: (error: Error) => void }>();
  private readonly waiters = new Set<() => void>();
  private readonly ended: Promise<unknown>;
  private nextId = 1;

  constructor(program: string, args: readonly string[], options: { readonly cwd: string; readonly env?: Fields }) {
    const env = { ...process.env, ...options.env } as NodeJS.ProcessEnv;
    this.child = spawn(process.execPath, [program, ...args], { cwd: options.cwd, env, stdio: 'pipe' });
    this.ended = once(this.child, 'close').then(() => {
      for (const { reject } of this.pending.values()) reject(new Error(`the agent ended: ${this.stderr}`));
      this.wake();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin?.on('error', () => undefined);
    if (this.child.stdout !== null) createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line));
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  initialize(fs = false, capabilities: Fields = {}): Promise<Fields> {
    return this.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: fs, writeTextFile: fs }, terminal: false, ...capabilities },
      clientInfo: { name: 'test-client', version: '1' },
    });
  }

  request(method: string, params: Fields): Promise<Fields> {
    const id = this.nextId++;
    const answer = new Promise<Fields>((resolve, reject) => this.pending.set(id, { resolve, reject }));
    answer.catch(() => undefined);
    this.write({ id, method, params });
    return answer;
  }

  notify(method: string, params: Fields): void {
    this.write({ method, params });
  }

  prompt(sessionId: unknown, text: string): Promise<Fields> {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** Answer text by message, in order. `kind`: of the chunks. */
  texts(kind = 'agent_message_chunk', from = 0): readonly { readonly id: string; readonly text: string }[] {
    const found = new Map<string, string>();
    for (const { update } of this.updates.slice(from)) {
      if (update.sessionUpdate !== kind) continue;
      const id = String(update['messageId']);
      const { text } = update['content'] as { readonly text?: string };
      found.set(id, (found.get(id) ?? '') + (text ?? ''));
    }
    return [...found].map(([id, text]) => ({ id, text }));
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the agent ended: ${this.stderr}`);
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Ends it as a client does: by closing its input. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }

  write(message: Fields | string): void {
    const line = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    this.child.stdin?.write(`${line}\n`);
  }

  private take(line: string): void {
    const message = parsed(line);
    if (message === null) return void this.strayLines.push(line);
    const {
      id,
      method,
      params = {},
      result,
      error,
    } = message as {
      readonly id?: number;
      readonly method?: string;
      readonly params?: Fields;
      readonly result?: Fields;
      readonly error?: { readonly code: number; readonly message: string };
    };
    if (method === 'session/update') this.updates.push(params as never);
    else if (method !== undefined) void this.answer(id, method, params);
    else if (typeof id === 'number') {
      const open = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) open?.resolve(result ?? {});
      else open?.reject(Object.assign(new Error(error.message), { code: error.code }));
    } else this.strayLines.push(line);
    this.wake();
  }

  private async answer(id: unknown, method: string, params: Fields): Promise<void> {
    this.requests.push({ method, params });
    const answerer = this.answers.get(method);
    if (answerer === undefined) return this.write({ id, error: { code: -32601, message: `no ${method}` } });
    try {
      this.write({ id, result: await answerer(params) });
    } catch (error) {
      this.write({ id, error: { code: -32603, message: String(error) } });
    }
  }

  private wake(): void {
    const waiting = [...this.waiters];
    this.waiters.clear();
    for (const resolve of waiting) resolve();
  }
}

function parsed(line: string): Fields | null {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'jsonrpc' in message ? (message as Fields) : null;
  } catch {
    return null;
  }
}
