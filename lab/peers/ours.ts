import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crashGateway, openedStore } from '../../test/crash/crashGateway';
import { readRecord, type CrashHostOrder } from '../../test/crash/crashRecord';
import { NodeProgram } from '../../test/support/nodeProgram';
import { buildStoreWorker } from '../../test/support/storeWorker';
import { Conversation } from '../support/conversation';
import { inTemporaryFolder, productFolders } from '../support/temporaryFolder';
import { answerWords, fewestWords, type TrialKind, type TrialResult } from './trialResult';
import { wordLength, WordServer } from './wordServer';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';

/** The same trial with Hermes without an editor: the real gateway, agent and store. Shown is what a surface was told,
 *  which is before any screen has it. */
export function ourTrial(kind: TrialKind): Promise<TrialResult> {
  return inTemporaryFolder('peer-ours', async (root) => {
    const built = await buildStoreWorker({ crashHost: 'test/crash/crashHost.ts' });
    const server = await WordServer.start();
    const order: CrashHostOrder = {
      ...productFolders(root),
      record: join(root, 'shown.jsonl'),
      workerEntry: built.entry,
      url: `${server.url}/v1`,
      protocol: 'openai',
      contextWindow: 100_000,
      sessionId: null,
      name: 'peer',
      prompts: 1,
    };
    server.plan({ words: answerWords[kind], cuts: kind === 'cut' });
    try {
      return await (kind === 'kill'
        ? killed(join(built.folder, 'crashHost.js'), order, server)
        : brokenOff(kind, order, server));
    } finally {
      server.close();
      built.remove();
    }
  });
}

async function killed(program: string, order: CrashHostOrder, server: WordServer): Promise<TrialResult> {
  const host = new NodeProgram(program, [JSON.stringify(order)]);
  const shown = (): ReadonlySet<string> => {
    const texts = readRecord(order.record).map((line) => (line.kind === 'text' ? line.text : ''));
    return wordsIn(texts.join(''), 'a');
  };
  while (shown().size < fewestWords) await sleep(20);
  await sleep(Math.random() * 2000);
  await host.kill();
  return { ...lostOf(order, shown()), sentAgain: null, retries: server.requests.length - 1 };
}

async function brokenOff(kind: 'stop' | 'cut', order: CrashHostOrder, server: WordServer): Promise<TrialResult> {
  const connection = await openedStore(order);
  const gateway = crashGateway(connection, order);
  const conversation = new Conversation(gateway);
  const turn = await conversation.begin('Please count parcels.');
  while (wordsIn(conversation.shown, 'a').size < fewestWords) await sleep(20);
  if (kind === 'stop') await gateway.turns.stop(turn.sessionId);
  await turn.end();
  const shown = wordsIn(conversation.shown, 'a');
  const retries = server.requests.length - 1;
  const kept = lostOf(order, shown);
  await conversation.ask('Please go on now.');
  const sent = wordsInBody(server.requests.at(-1)?.body ?? '', 'a');
  await gateway.shutdown();
  await connection.close();
  return { ...kept, sentAgain: wordLength * [...shown].filter((word) => sent.has(word)).length, retries };
}

function lostOf({ storage }: CrashHostOrder, shown: ReadonlySet<string>): Pick<TrialResult, 'shown' | 'lost'> {
  const stored = wordsBelow(storage, 'a');
  return {
    shown: wordLength * shown.size,
    lost: wordLength * [...shown].filter((word) => !stored.has(word)).length,
  };
}
