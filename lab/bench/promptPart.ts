import { reply, startModelServer } from '../../test/support/modelServer';
import { buildStoreWorker } from '../../test/support/storeWorker';
import { crashGateway, openedStore } from '../../test/crash/crashGateway';
import { Conversation } from '../support/conversation';
import { inTemporaryFolder, productFolders } from '../support/temporaryFolder';
import { median, quantiles, rounded } from './figures';
import type { Part } from './part';

/** 2 KB: a prompt and an answer of the long session. */
const text = 'word '.repeat(400);

/** Sends prompts through the real gateway, agent and store to a model on this machine, alternating between a session
 *  that was empty at first and a long one. Measured: from Enter until the request is sent. `size`: turns of the long
 *  session. */
export const promptPart: Part = ({ quick, size }) =>
  inTemporaryFolder('prompts', async (root) => {
    const turns = size ?? 100;
    const { storage, project } = productFolders(root);
    const worker = await buildStoreWorker();
    const model = await startModelServer();
    model.otherwise(reply().says(text, { in: 'whole' }));
    const connection = await openedStore({ storage, workerEntry: worker.entry });
    let requestedAt = 0;
    const gateway = crashGateway(
      connection,
      { project, url: model.url, protocol: 'openai', contextWindow: 10_000_000 },
      (...request) => {
        requestedAt = performance.now();
        return fetch(...request);
      },
    );
    const times = { empty: [] as number[], long: [] as number[] };
    try {
      const long = new Conversation(gateway, 'long');
      const empty = new Conversation(gateway, 'empty');
      for (let turn = 0; turn < turns; turn++) await long.ask(text);
      for (let round = 0; round < (quick ? 10 : 40); round++)
        for (const [name, conversation] of Object.entries({ empty, long })) {
          const started = performance.now();
          await conversation.ask('Go on.');
          times[name as 'empty' | 'long'].push(requestedAt - started);
        }
    } finally {
      await gateway.shutdown();
      await connection.close();
      await model.close();
      worker.remove();
    }
    const figures = { turns, empty: quantiles(times.empty, 1), long: quantiles(times.long, 1) };
    for (const name of ['empty', 'long'] as const)
      console.log(`  ${name}: p50 ${figures[name].p50} ms, p95 ${figures[name].p95}`);
    return {
      figures,
      aims: [
        {
          aim: `a prompt behind ${turns} turns: from Enter to the request, ms more than in an empty session (p50)`,
          value: rounded(median(times.long) - median(times.empty)),
          most: 15,
        },
      ],
    };
  });
