import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../scripts/postgresServer.mjs';
import { compressedServer } from '../../src/features/sync/core/compressedServer';
import { parseConnectionString } from '../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../src/features/sync/core/postgres/postgresServer';
import { fetchWhole } from '../../src/features/sync/core/syncServer';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { FaultProxy, type Fault } from '../support/postgres/faultProxy';
import { waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { scriptedSettings } from './scriptedVscode';
import { SessionsView } from './sessionsView';
import { SyncedMachine } from './syncedMachine';
import { test } from './vscodeTest';
import { numberedWords } from './words';

let model: ModelServer;
let postgres: RunningPostgres;
const proxies: FaultProxy[] = [];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-sync-day-'));

beforeAll(async () => {
  model = await startModelServer();
  postgres = await startPostgres({ folder, password: randomBytes(9).toString('base64url') });
  const port = parseConnectionString(postgres.url()).port;
  for (const _machine of ['desk', 'laptop']) proxies.push(await FaultProxy.start(port));
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await postgres.stop();
  await model.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const longAnswer = (name: string): string => numberedWords(name, 2500);
/** Words that may be on one machine only. */
const privateWords = ['zinnia', 'quartz'];

/** Text of each row of the transcript by its uid, as a machine or the server has it. */
type Texts = readonly (readonly [uid: string, role: string, parts: string])[];
const sorted = (texts: Texts): Texts => [...texts].sort(([one], [other]) => (one < other ? -1 : 1));

const textsOf = (machine: SyncedMachine): Texts =>
  sorted(
    machine
      .query(`SELECT m.uid, m.role, m.parts FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.private = 0`)
      .map(({ uid, role, parts }) => [String(uid), String(role), String(parts)] as const),
  );

async function onServer(): Promise<{ readonly texts: Texts; readonly tables: string }> {
  const client = new Client({ connectionString: postgres.url() });
  await client.connect();
  const [history] = (await client.query<{ history: string }>('SELECT history FROM hermes_sync.histories')).rows;
  const names = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'hermes_sync'",
  );
  const rows: unknown[] = [];
  for (const { name } of names.rows) rows.push((await client.query(`SELECT * FROM hermes_sync.${name}`)).rows);
  await client.end();
  const plain = new PostgresServer({ address: parseConnectionString(postgres.url()), history: history?.history ?? '' });
  const server = compressedServer(plain);
  const connection = await server.connect('evening', 'Evening');
  const { heads } = await server.news(connection, null);
  const texts: (readonly [string, string, string])[] = [];
  for (const { conversationId } of heads) {
    const { documents } = await fetchWhole(server, connection, { conversationId, since: 0, chain: [], documents: [] });
    for (const { body } of documents) {
      rows.push(body);
      const { messages = [] } = JSON.parse(body ?? '{}') as { messages?: Record<string, unknown>[] };
      for (const { uid, role, parts } of messages) texts.push([String(uid), String(role), String(parts)]);
    }
  }
  await plain.dispose();
  return { texts: sorted(texts), tables: JSON.stringify(rows) };
}

/** A line of which each connection meets this. */
function weather(proxy: FaultProxy | undefined, fault: Fault | null, line: FaultProxy['line'] = null): void {
  if (proxy === undefined) throw new Error('There is a proxy for each machine.');
  Object.assign(proxy, { fault, line });
  proxy.cutAll();
}

test('a working day of two machines behind lines that cut, stall and are slow ends with the same words', async ({
  startVscode,
}) => {
  const [deskLine, laptopLine] = proxies;
  const through = (proxy: FaultProxy | undefined): string => {
    const { port } = parseConnectionString(postgres.url());
    return postgres.url().replace(`:${port}/`, `:${proxy?.port}/`);
  };
  const start = async (name: string, proxy: FaultProxy | undefined, isFirst: boolean): Promise<SyncedMachine> => {
    const machine = await SyncedMachine.open(name, await startVscode({ settings: scriptedSettings(model) }));
    await machine.connect(through(proxy), async ({ page }) => {
      if (isFirst) await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Do not encrypt' }).click();
    });
    await machine.startSync();
    await machine.workbench.waitForToast(/Sync is on/);
    return machine;
  };
  const both = async (work: (machine: SyncedMachine) => Promise<unknown>): Promise<void> => {
    await work(desk);
    await work(laptop);
  };
  const alike = (): Promise<unknown> =>
    waitFor(
      'both machines to have the same words',
      () => JSON.stringify(textsOf(desk)) === JSON.stringify(textsOf(laptop)) || undefined,
      { seen: () => [desk, laptop].map((one) => textsOf(one).length) },
    );

  // Morning: a line across an ocean
  for (const proxy of proxies) weather(proxy, null, { delayMs: 75, bytesPerSecond: 200_000 });
  const desk = await start('Desk', deskLine, true);
  await desk.ask(model, 'Tell of plums', 'A plum is a stone fruit.');
  await desk.ask(model, 'Tell of many plums', longAnswer('p'));
  const laptop = await start('Laptop', laptopLine, false);
  const sessions = await SessionsView.open(laptop.workbench);
  await sessions.waitForOutline('the session of the desk', (rows) => rows.join().includes('plums'));
  await sessions.click('Tell of plums');
  await laptop.panel.answered(longAnswer('p'));
  await laptop.ask(model, 'Tell of pears', 'A pear is green.');
  await alike();

  // A private session, beside one that is shared
  await laptop.workbench.runCommand('Hermes: New Session (Private)');
  await laptop.ask(model, 'Tell of the zinnia', 'The zinnia is of quartz.');
  await laptop.panel.newSession();
  await laptop.ask(model, 'Tell of rivers', longAnswer('r'));

  // Noon: connections that are cut every few kilobytes, in both directions
  weather(deskLine, { kind: 'cut', direction: 'back', afterBytes: 9000 });
  weather(laptopLine, { kind: 'cut', direction: 'there', afterBytes: 9000 });
  await desk.panel.newSession();
  await desk.ask(model, 'Tell of hills', longAnswer('h'));
  await laptop.ask(model, 'Tell of many rivers', longAnswer('s'));
  weather(deskLine, null);
  weather(laptopLine, null);
  await alike();

  // Afternoon: nothing passes any more, and both continue one session
  for (const one of [desk, laptop]) {
    const view = await SessionsView.open(one.workbench);
    await view.click('Tell of plums');
    await one.panel.answered('A pear is green.');
  }
  for (const proxy of proxies) weather(proxy, { kind: 'stall', direction: 'there', afterBytes: 0 });
  await desk.ask(model, 'Tell of figs', 'A fig is soft.');
  await laptop.ask(model, 'Tell of nuts', 'A nut is hard.');

  // The laptop is reloaded in the middle of an answer, and the server ends
  model.script(reply().says('Only the beginning').hangs());
  await laptop.panel.send('Tell of dates');
  await laptop.panel.sees('Only the beginning');
  await laptop.workbench.reload();
  laptop.panel = await ChatPanel.attach(laptop.workbench);
  await postgres.kill();
  await desk.panel.newSession();
  await desk.ask(model, 'Tell of clouds', 'A cloud is white.');
  await postgres.restart();

  // Evening
  for (const proxy of proxies) weather(proxy, null);
  await both((machine) => machine.syncNow());
  await alike();
  await waitFor('the server to have all', async () => {
    const { texts } = await onServer();
    return JSON.stringify(texts) === JSON.stringify(textsOf(desk)) || undefined;
  });
  const { texts, tables } = await onServer();
  const said = texts.map(([, , parts]) => parts).join();
  const spoken = ['p', 'r', 'h', 's'].map(longAnswer);
  const words = [...spoken, 'stone fruit', 'A pear is green', 'A fig is soft', 'A nut is hard', 'Only the beginning'];
  expect({
    missing: [...words, 'A cloud is white'].filter((text) => !said.includes(text)),
    // In the session, or once more in the branch of a machine.
    doubled: texts.filter(([uid], at) => texts.findIndex(([other]) => other === uid) !== at),
    private: privateWords.filter((word) => tables.includes(word) || JSON.stringify(textsOf(desk)).includes(word)),
    isHere: JSON.stringify(laptop.query('SELECT parts FROM messages')).includes('zinnia'),
    branches: desk.query("SELECT id FROM sessions WHERE parent_kind = 'branch'").length,
    errors: [desk, laptop].flatMap(({ workbench }) => workbench.errors()),
  }).toEqual({ missing: [], doubled: [], private: [], isHere: true, branches: 1, errors: [] });
});
