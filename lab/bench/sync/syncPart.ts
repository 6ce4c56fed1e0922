import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresWorld } from '../../../test/support/postgres/postgresWorld';
import { inTemporaryFolder } from '../../support/temporaryFolder';
import { grouped, median, quantiles, rounded } from '../figures';
import type { Part } from '../part';
import { programs } from '../programs';
import { messagesPerTurn } from '../store/benchTurn';
import { seedStore } from '../store/seedStore';
import type { SyncBenchPlace } from './benchMachine';
import { benchCut, benchHistory } from './historyExchange';
import { benchIdle, benchTurnCost, benchVisible } from './settledTurns';

/** Exchanges histories with a real PostgreSQL on this machine, which waits for its disk. `size`: messages. */
export const syncPart: Part = ({ quick, size }) =>
  inTemporaryFolder('sync', async (root) => {
    const world = await PostgresWorld.start({ durable: true });
    try {
      const messages = size ?? (quick ? 10_000 : 100_000);
      return await measure({ world, root, programs: await programs() }, quick, messages);
    } finally {
      await world.close();
    }
  });

async function measure(place: SyncBenchPlace, quick: boolean, most: number) {
  const seeded = (name: string, count: number): string => {
    const folder = join(place.root, name);
    mkdirSync(folder);
    seedStore(folder, Math.ceil(count / messagesPerTurn));
    return folder;
  };
  const cost = await benchTurnCost(place, quick ? 6 : 20);
  const [without, withSync] = [median(cost.without), median(cost.withSync)];
  const turnMs = {
    without: rounded(without, 2),
    withSync: rounded(withSync, 2),
    ratio: rounded(withSync / without, 2),
  };
  const visibleMs = quantiles(await benchVisible(place, quick ? 5 : 20), 0);
  const idleStatements = await benchIdle(place);
  const cut = await benchCut(place, seeded('to-be-cut', quick ? 5_000 : 20_000));
  const { messages, upload, download } = await benchHistory(place, seeded('laptop', most));
  for (const [way, { seconds, cpuSeconds, memoryMegabytes }] of Object.entries({ upload, download }))
    console.log(
      `  first ${way}: ${grouped(messages)} messages in ${rounded(seconds)} s: ` +
        `${grouped(Math.round(messages / seconds))} messages/s, ${cpuSeconds} s of processor time, ` +
        `memory +${memoryMegabytes} MB`,
    );
  console.log(
    `  after a cut: the rest of ${grouped(cut.messages)} messages in ${cut.seconds} s; ` +
      `${cut.sentAgain} of ${cut.sentBefore} documents sent again`,
  );
  console.log(
    `  a settled turn on another machine after p50 ${visibleMs.p50} ms, p95 ${visibleMs.p95}, max ${visibleMs.max}`,
  );
  console.log(`  a turn in the store: ${turnMs.withSync} ms, ${turnMs.without} without sync (${turnMs.ratio} ×)`);
  console.log(`  a window that is idle: ${idleStatements} statements in 30 s`);
  // 10,000 messages a second, judged as seconds for the same work.
  const limit = rounded(messages / 10_000);
  return {
    figures: { messages, upload, download, cut, visibleMs, turnMs, idleStatements },
    aims: [
      { aim: `first upload of ${grouped(messages)} messages, s`, value: rounded(upload.seconds), most: limit },
      { aim: `first download of ${grouped(messages)} messages, s`, value: rounded(download.seconds), most: limit },
      {
        aim: 'memory growth of either, MB',
        value: Math.max(upload.memoryMegabytes, download.memoryMegabytes),
        most: 300,
      },
      {
        aim: 'documents sent again after a cut, % of those sent',
        value: rounded((cut.sentAgain / cut.sentBefore) * 100),
        most: 10,
      },
      { aim: 'a settled turn is on another machine, p95 ms', value: visibleMs.p95, most: 1000 },
      { aim: 'a turn in the store with sync, × without', value: turnMs.ratio, most: 1.05 },
      { aim: 'statements of an idle window in 30 s', value: idleStatements, most: 1 },
    ],
  };
}
