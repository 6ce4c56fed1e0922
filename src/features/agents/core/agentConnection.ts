import { errorIn, type WireError, type WireMessage } from './protocol1';

/** A request that the agent refused. */
export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal';
  constructor(readonly error: WireError) {
    super(error.message);
  }
}

/** The agent has ended, or does not answer in time. */
export class AgentGone extends Error {
  override readonly name = 'AgentGone';
}

/** Thrown for an agent that cannot be started, with a sentence for the user. The window throws its own copy, which is
 *  known by its name. */
export class LaunchProblem extends Error {
  override readonly name = 'LaunchProblem';
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly inPlace: ((message: WireMessage) => Promise<void>) | null;
}

/** Requests and their answers over one connection (JSON-RPC 2.0). It reads nothing by itself: the session passes on
 *  each message in its place among the agent's lines. A typed client would take messages out of that order, and drop
 *  those whose kind it does not know (docs/decisions/043-agents-answer-through-our-recorder.md). */
export class AgentConnection {
  private nextId = 1;
  /** By id as text: some agents send our numbers back as such. */
  private readonly pending = new Map<string, Pending>();
  private closedBy: Error | null = null;

  constructor(private readonly write: (line: string) => Promise<void>) {}

  /** Rejects with `AgentRefusal` or `AgentGone`. `inPlace`: called with the answer in its place among the lines, before
   *  the next line is looked at. */
  request(
    method: string,
    params: unknown,
    inPlace: ((message: WireMessage) => Promise<void>) | null = null,
  ): Promise<unknown> {
    if (this.closedBy !== null) return Promise.reject(this.closedBy);
    const id = this.nextId++;
    const answer = new Promise<unknown>((resolve, reject) =>
      this.pending.set(String(id), { resolve, reject, inPlace }),
    );
    this.send({ id, method, params });
    return answer;
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  answer(id: unknown, result: unknown): void {
    this.send({ id, result });
  }

  refuse(id: unknown, code: number, message: string, data?: object): void {
    this.send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  /** Takes an answer of the agent. One to no request of ours is ignored. */
  async receive(message: WireMessage): Promise<void> {
    const id = String(message.id);
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    await pending.inPlace?.(message);
    const error = errorIn(message);
    if (error === null) pending.resolve(message['result']);
    else pending.reject(new AgentRefusal(error));
  }

  /** Rejects everything that is open, and every further request. */
  close(reason: Error): void {
    this.closedBy ??= reason;
    for (const { reject } of this.pending.values()) reject(reason);
    this.pending.clear();
  }

  private send(message: object): void {
    // The exit of the process reports a pipe that takes nothing more.
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message })).catch(() => undefined);
  }
}
