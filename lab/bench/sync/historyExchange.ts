import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseConnectionString } from '../../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../../src/features/sync/core/postgres/postgresServer';
import type { SyncServer } from '../../../src/features/sync/core/syncServer';
import { FaultProxy } from '../../../test/support/postgres/faultProxy';
import { messagesPerTurn } from '../store/benchTurn';
import { watchProcess, type Watched } from '../watchProcess';
import { BenchMachine, type SyncBenchPlace } from './benchMachine';

export interface CutFigures {
  readonly messages: number;
  readonly seconds: number;
  /** Documents that were read to be sent before the cut, and how many of them had to be sent again. */
  readonly sentBefore: number;
  readonly sentAgain: number;
}

/** Sends a whole history from the store in `folder`, and receives it on a machine that has none. */
export async function benchHistory(
  { world, root, programs }: SyncBenchPlace,
  folder: string,
): Promise<{ readonly messages: number; readonly upload: Watched; readonly download: Watched }> {
  const database = await world.database();
  const client = (): PostgresServer => world.client(world.address(database));
  await client().prepare();
  const laptop = await BenchMachine.open('laptop', folder, programs);
  const messages = await laptop.messages();
  await laptop.synced.begin();
  const upload = await watched(() => laptop.round(client()).run());
  await laptop.close();
  const elsewhere = join(root, 'desk');
  mkdirSync(elsewhere);
  const desk = await BenchMachine.open('desk', elsewhere, programs);
  await desk.synced.begin();
  const download = await watched(() => desk.round(client()).run());
  const received = await desk.messages();
  await desk.close();
  if (received !== messages) throw new Error(`${received} of ${messages} messages were received.`);
  return { messages, upload, download };
}

async function watched(work: () => Promise<unknown>): Promise<Watched> {
  const watch = watchProcess();
  await work();
  return watch.stop();
}

/** Cuts the connection when about half of a history was sent, and sends the rest over another one. */
export async function benchCut({ world, root, programs }: SyncBenchPlace, folder: string): Promise<CutFigures> {
  const copy = join(root, 'cut');
  cpSync(folder, copy, { recursive: true });
  const database = await world.database();
  const direct = world.client(world.address(database));
  await direct.prepare();
  const machine = await BenchMachine.open('laptop', copy, programs);
  const messages = await machine.messages();
  await machine.synced.begin();
  while (await machine.synced.noteMore()) continue;
  const proxy = await FaultProxy.start(world.server.port);
  const through = world.server.url(database).replace(`:${world.server.port}/`, `:${proxy.port}/`);
  const cutServer = new PostgresServer({ address: parseConnectionString(through), history: 'h' });
  let [sentBefore, sentAfter] = [0, 0];
  const half = messages / messagesPerTurn / 2;
  const beforeCut = counted(cutServer, (documents) => {
    sentBefore += documents;
    if (sentBefore > half) proxy.cutAll();
  });
  const failed = await machine
    .round(beforeCut)
    .run()
    .then(
      () => false,
      () => true,
    );
  if (!failed) throw new Error('The connection was not cut.');
  await cutServer.dispose();
  await proxy.close();
  const started = performance.now();
  await machine.round(counted(direct, (documents) => (sentAfter += documents))).run();
  const seconds = (performance.now() - started) / 1000;
  const { documents: all } = await direct.overview();
  const { conversations } = await machine.synced.status();
  if (conversations > 0) throw new Error(`${conversations} conversations were not sent.`);
  await machine.close();
  return {
    messages,
    seconds: Math.round(seconds * 100) / 100,
    sentBefore,
    sentAgain: sentBefore + sentAfter - all,
  };
}

/** The same server, which reports the number of documents in each piece that was read to be sent. */
function counted(server: PostgresServer, onSent: (documents: number) => void): SyncServer {
  return new Proxy(server, {
    get(target, name, receiver): unknown {
      if (name !== 'send') return Reflect.get(target, name, receiver);
      const send: SyncServer['send'] = (connection, sending) =>
        target.send(connection, {
          ...sending,
          documents: async function* () {
            for await (const piece of sending.documents()) {
              onSent(piece.length);
              yield piece;
            }
          },
        });
      return send;
    },
  });
}
