import { setTimeout as sleep } from 'node:timers/promises';
import { crashGateway, openedStore } from '../../../test/crash/crashGateway';
import { Conversation } from '../../support/conversation';

/** What the traced process is told. */
export interface WritesOrder {
  readonly storage: string;
  readonly workerEntry: string;
  readonly project: string;
  readonly url: string;
  readonly turns: number;
}

/** A turn in the traced process. Times are in seconds since 1970. */
export interface TimedTurn {
  readonly begunAt: number;
  readonly settledAt: number;
  /** Characters that were shown; one byte each in this bench. */
  readonly shown: number;
}

/** In which the store may tidy up after a turn. */
const pauseMs = 1500;

/** The product's process without an editor, to be traced. Sends prompts and prints its `TimedTurn`s. */
async function main(order: WritesOrder): Promise<void> {
  const connection = await openedStore(order);
  const gateway = crashGateway(connection, { ...order, protocol: 'openai', contextWindow: 1_000_000 });
  const conversation = new Conversation(gateway);
  const turns: TimedTurn[] = [];
  for (let turn = 0; turn < order.turns; turn++) {
    const [begunAt, before] = [Date.now() / 1000, conversation.shown.length];
    await conversation.ask(`Prompt ${turn}`);
    turns.push({ begunAt, settledAt: Date.now() / 1000, shown: conversation.shown.length - before });
    await sleep(pauseMs);
  }
  process.stdout.write(JSON.stringify({ turns, endedAt: Date.now() / 1000 }));
  await gateway.shutdown();
  await connection.close();
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
