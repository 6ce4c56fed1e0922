import { inTemporaryFolder } from '../../support/temporaryFolder';
import { grouped, quantiles } from '../figures';
import type { Part } from '../part';
import { programs } from '../programs';
import { messagesPerTurn } from './benchTurn';
import { seedStore } from './seedStore';
import { StoreProcess } from './storeProcess';

/** A store of many sessions with one turn each, and a long one: the list of them, and the first page of the long one.
 *  `size`: sessions. */
export const sessionsPart: Part = ({ quick, size }) => {
  const sessions = size ?? (quick ? 500 : 5_000);
  const longest = sessions * 4;
  const openings = quick ? 2 : 5;
  return inTemporaryFolder('bench', async (folder) => {
    const others = sessions - 1;
    seedStore(folder, others + Math.ceil(longest / messagesPerTurn), (turn) =>
      turn < others ? `session-${turn}` : 'long',
    );
    const times = { list: [] as number[], firstPage: [] as number[] };
    for (let opening = 0; opening < openings; opening++) {
      const { opened } = await StoreProcess.open('hermes', folder, await programs());
      try {
        // The first of each in its process counts as any other: that is when the user waits.
        for (const order of ['firstPage', 'list'] as const)
          times[order].push(...(await opened.order({ order, count: quick ? 2 : 4, sessions })));
        await opened.close();
      } finally {
        opened.stop();
      }
    }
    const figures = { sessions, longest, list: quantiles(times.list), firstPage: quantiles(times.firstPage) };
    const { list, firstPage } = figures;
    console.log(
      `  list p50 ${list.p50} ms, max ${list.max}; first page of the long one p50 ${firstPage.p50} ms, ` +
        `max ${firstPage.max}`,
    );
    return {
      figures,
      aims: [
        { aim: `list of ${grouped(sessions)} sessions, ms`, value: list.p50, most: 100 },
        {
          aim: `first page of a session of ${grouped(longest)} messages, ms`,
          value: firstPage.p50,
          most: 150,
        },
      ],
    };
  });
};
