import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationGateway } from '../../src/gateway/conversationGateway';
import { crashGateway, openedStore } from '../crash/crashGateway';
import { buildStoreWorker } from '../support/storeWorker';

/** Characters of a prompt and of an answer of the long session. */
const textLength = 2000;

export interface PromptFigures {
  /** Turns of the long session. */
  readonly turns: number;
  /** Milliseconds from a prompt being submitted until the model's server has the head of the request: in a session that was empty
   *  at first, and in a long one, in turns. */
  readonly empty: readonly number[];
  readonly long: readonly number[];
}

/** Sends prompts through the real gateway, agent and store to a model on this machine. */
export async function benchPrompts(rounds: number, turns: number): Promise<PromptFigures> {
  const built = await buildStoreWorker();
  const home = mkdtempSync(join(tmpdir(), 'hermes-prompts-'));
  const [storage, project] = [join(home, 'storage'), join(home, 'project')];
  for (const folder of [storage, project]) mkdirSync(folder);
  const model = await Model.start();
  const connection = await openedStore({ storage, workerEntry: built.entry });
  const gateway = crashGateway(connection, {
    project,
    url: model.url,
    protocol: 'openai',
    contextWindow: 10_000_000,
  });
  const [empty, long] = [new Asker(gateway, model, 'empty'), new Asker(gateway, model, 'long')];
  const found = { turns, empty: [] as number[], long: [] as number[] };
  try {
    for (let turn = 0; turn < turns; turn++) await long.ask('word '.repeat(textLength / 5));
    for (let round = 0; round < rounds; round++) {
      found.empty.push(await empty.ask('Go on.'));
      found.long.push(await long.ask('Go on.'));
    }
    return found;
  } finally {
    await gateway.shutdown();
    await connection.close();
    model.close();
    rmSync(home, { recursive: true, force: true });
    built.remove();
  }
}

/** A surface with a session of its own. */
class Asker {
  private settled = 0;
  private asked = 0;

  constructor(
    private readonly gateway: ConversationGateway,
    private readonly model: Model,
    private readonly id: string,
  ) {
    gateway.attach({
      id,
      onTurnEvent: (_sessionId, event) => void (event.kind === 'turnSettled' && this.settled++),
      onSessionEvent: () => undefined,
      onSessionSwitched: () => undefined,
    });
  }

  /** Milliseconds until the request began. Resolves once the turn is settled. */
  async ask(text: string): Promise<number> {
    const { settled } = this;
    const sessionId = this.gateway.shownSession(this.id);
    const started = performance.now();
    await this.gateway.submit(this.id, { sessionId, uid: `${this.id}-${++this.asked}`, text });
    while (this.settled === settled || this.gateway.runningTurns().length > 0) await sleep(2);
    return this.model.requestedAt - started;
  }
}

class Model {
  /** When the head of the newest request was there. */
  requestedAt = 0;

  private constructor(
    readonly url: string,
    readonly close: () => void,
  ) {}

  static async start(): Promise<Model> {
    const server = createServer((request, response) => {
      model.requestedAt = performance.now();
      request.resume().once('end', () => answer(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const model = new Model(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, () => {
      server.closeAllConnections();
      server.close();
    });
    return model;
  }
}

function answer(response: ServerResponse): void {
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'test-model', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    [
      chunk({ role: 'assistant', content: 'word '.repeat(textLength / 5) }, null),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ].join(''),
  );
}
