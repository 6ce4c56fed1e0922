import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseConnectionString } from '../../../src/sync/postgres/connectionString';
import { PostgresServer } from '../../../src/sync/postgres/postgresServer';
import type { SyncServer } from '../../../src/sync/syncServer';
import { FaultProxy } from '../../support/postgres/faultProxy';
import type { PostgresWorld } from '../../support/postgres/postgresWorld';
import { messagesPerTurn } from '../benchTurn';
import { watchProcess } from '../watchProcess';
import { BenchMachine } from './benchMachine';

export interface TransferFigures {
  readonly seconds: number;
  readonly messagesPerSecond: number;
  /** Processor time of this process, with all its threads, without the server. */
  readonly cpuSeconds: number;
  /** Growth of the process, with all its threads, at most. */
  readonly memoryMegabytes: number;
}

export interface CutFigures {
  readonly messages: number;
  readonly seconds: number;
  /** Documents that were read to be sent before the cut, and how many of them had to be sent again. */
  readonly sentBefore: number;
  readonly sentAgain: number;
}

/** Where the bench works. */
export interface SyncBenchPlace {
  readonly world: PostgresWorld;
  /** An empty folder. */
  readonly root: string;
  /** Folder with storeWorker.js and sql-wasm.wasm. */
  readonly bundles: string;
}

/** Sends a whole history from the store in `folder`, and receives it on a machine that has none. */
export async function benchHistory(
  { world, root, bundles }: SyncBenchPlace,
  folder: string,
): Promise<{ readonly messages: number; readonly upload: TransferFigures; readonly download: TransferFigures }> {
  const database = await world.database();
  const client = (): PostgresServer => world.client(world.address(database));
  await client().prepare();
  const laptop = await BenchMachine.open('laptop', folder, bundles);
  const messages = await laptop.messages();
  await laptop.synced.begin();
  const upload = await transfer(messages, () => laptop.round(client()).run());
  await laptop.close();
  const elsewhere = join(root, 'desk');
  mkdirSync(elsewhere);
  const desk = await BenchMachine.open('desk', elsewhere, bundles);
  await desk.synced.begin();
  const download = await transfer(messages, () => desk.round(client()).run());
  const received = await desk.messages();
  await desk.close();
  if (received !== messages) throw new Error(`${received} of ${messages} messages were received.`);
  return { messages, upload, download };
}

async function transfer(messages: number, work: () => Promise<void>): Promise<TransferFigures> {
  const before = process.memoryUsage().rss;
  const watch = watchProcess();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { mostMemory } = watch.stop();
  return {
    seconds: Math.round(seconds * 10) / 10,
    messagesPerSecond: Math.round(messages / seconds),
    cpuSeconds: Math.round((user + system) / 1e5) / 10,
    memoryMegabytes: Math.round((mostMemory - before) / 1e6),
  };
}

/** Cuts the connection when about half of a history was sent, and sends the rest over another one. */
export async function benchCut({ world, root, bundles }: SyncBenchPlace, folder: string): Promise<CutFigures> {
  const copy = join(root, 'cut');
  cpSync(folder, copy, { recursive: true });
  const database = await world.database();
  const direct = world.client(world.address(database));
  await direct.prepare();
  const machine = await BenchMachine.open('laptop', copy, bundles);
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
