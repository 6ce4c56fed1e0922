import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surface } from '../../src/gateway/gateway';
import { crashGateway, openedStore } from '../crash/crashGateway';
import type { CrashHostOrder } from '../crash/crashRecord';
import { NodeProgram } from '../support/nodeProgram';
import { buildStoreWorker } from '../support/storeWorker';
import { answerWords, fewestWords, type TrialKind, type TrialResult } from './trialResult';
import { wordLength, WordServer } from './wordServer';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';

/** The same trial with Hermes without an editor: the real gateway, agent and store. Shown is what a surface was told, which is before
 *  any screen has it. */
export async function ourTrial(kind: TrialKind): Promise<TrialResult> {
  const built = await buildStoreWorker({ crashHost: 'test/crash/crashHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-peer-ours-'));
  const server = await WordServer.start();
  const order: CrashHostOrder = {
    storage: join(home, 'storage'),
    project: join(home, 'project'),
    record: join(home, 'shown.jsonl'),
    workerEntry: built.entry,
    url: `${server.url}/v1`,
    protocol: 'openai',
    contextWindow: 100_000,
    sessionId: null,
    name: 'peer',
    prompts: 1,
  };
  for (const folder of [order.storage, order.project]) mkdirSync(folder);
  writeFileSync(join(order.project, 'README.md'), '# Parcels\n');
  server.plan({ words: answerWords[kind], cuts: kind === 'cut' });
  try {
    return await (kind === 'kill'
      ? killed(join(built.folder, 'crashHost.js'), order, server)
      : brokenOff(kind, order, server));
  } finally {
    server.close();
    built.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

async function killed(program: string, order: CrashHostOrder, server: WordServer): Promise<TrialResult> {
  const host = new NodeProgram(program, [JSON.stringify(order)]);
  const shownText = (): string => (existsSync(order.record) ? textOf(readFileSync(order.record, 'utf8')) : '');
  while (wordsIn(shownText(), 'a').size < fewestWords) await sleep(20);
  await sleep(Math.random() * 2000);
  await host.kill();
  return { ...lostOf(order, wordsIn(shownText(), 'a')), sentAgain: null, retries: server.requests.length - 1 };
}

async function brokenOff(kind: 'stop' | 'cut', order: CrashHostOrder, server: WordServer): Promise<TrialResult> {
  const connection = await openedStore(order);
  const gateway = crashGateway(connection, order);
  let text = '';
  let settled = 0;
  const surface: Surface = {
    id: 'panel',
    onTurnEvent: (_sessionId, event) => {
      if (event.kind === 'delivered') text += event.chunks.map((chunk) => chunk.text).join('');
      if (event.kind === 'turnSettled') settled++;
    },
    onSessionEvent: () => undefined,
    onSessionSwitched: () => undefined,
  };
  gateway.attach(surface);
  const ask = async (prompt: string): Promise<string> => {
    const sessionId = gateway.shownSession('panel');
    return (await gateway.submit('panel', { sessionId, uid: prompt, text: prompt })).sessionId;
  };
  const until = async (turns: number): Promise<void> => {
    while (settled < turns || gateway.runningTurns().length > 0) await sleep(10);
  };
  const sessionId = await ask('Please count parcels.');
  while (wordsIn(text, 'a').size < fewestWords) await sleep(20);
  if (kind === 'stop') await gateway.stop(sessionId);
  await until(1);
  const shown = wordsIn(text, 'a');
  const retries = server.requests.length - 1;
  const kept = lostOf(order, shown);
  await ask('Please go on now.');
  await until(2);
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

/** The text that a record says was shown. */
function textOf(record: string): string {
  return record
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly text?: string })
    .map(({ text }) => text ?? '')
    .join('');
}
