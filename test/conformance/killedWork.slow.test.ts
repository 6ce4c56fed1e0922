import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pause } from '../../src/base/pause';
import { systemClock } from '../../src/base/clock';
import { storeFolderOf } from '../../src/store/ownership/storeFolder';
import type { WorkHostOrder, WorkPoint } from '../crash/workHost';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { NodeProgram } from '../support/nodeProgram';
import { historyFaults, withoutHandoff } from '../support/providerRules';
import { buildStoreWorker } from '../support/storeWorker';
import { openWorldStore, type WorldStore } from '../support/worldStore';

let built: Awaited<ReturnType<typeof buildStoreWorker>>;
let server: ModelServer;
let home: string;
beforeAll(async () => {
  built = await buildStoreWorker({ workHost: 'test/crash/workHost.ts' });
});
afterAll(() => built.remove());
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'hermes-killed-work-'));
  for (const folder of ['storage', 'project']) mkdirSync(join(home, folder));
  server = await startModelServer();
  server.script(reply().says('Let me act.').calls('act', {}));
  server.otherwise(reply().says('I go on.'));
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const contentOf = (name: string): string =>
  existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '';

function host(name: string, point: WorkPoint, sessionId: string | null): NodeProgram {
  const order: WorkHostOrder = {
    name,
    point,
    sessionId,
    storage: join(home, 'storage'),
    project: join(home, 'project'),
    record: join(home, 'shown'),
    marks: join(home, 'marks'),
    prompts: 1,
    contextWindow: 100_000,
    workerEntry: built.entry,
    url: server.url,
    protocol: 'openai',
  };
  return new NodeProgram(join(built.folder, 'workHost.js'), [JSON.stringify(order)]);
}

const storeFolder = (): string => storeFolderOf(join(home, 'storage'));
const now = (): number => Date.now() / 1000;

async function stored(): Promise<{ readonly lines: readonly string[]; readonly faults: readonly unknown[] }> {
  const { database, db, store } = await openWorldStore(storeFolder(), now);
  const [session] = database.all('SELECT id FROM sessions');
  const rows = db.activeMessages(String(session?.['id']));
  const lines = rows.map(({ role, parts }) => {
    const [part] = parts;
    return `${role}: ${part?.kind === 'toolResult' ? part.outcome : part !== undefined && 'text' in part ? part.text : ''}`;
  });
  await store.close();
  return { lines, faults: historyFaults(withoutHandoff(rows)) };
}

/** Works until it reaches the point, is killed there, and goes on in another process. `change`: what another hand
 *  changes of the store in between, before the turn is recovered. */
async function killedAt(point: Exclude<WorkPoint, 'none'>, change?: (store: WorldStore) => void) {
  const mark = { hook: 'hook', answer: 'judged', input: 'asked' }[point];
  const first = host('one', point, null);
  const sessionId = (await first.line('session ')).slice('session '.length);
  while (!contentOf('marks').includes(mark)) await pause(systemClock, 5);
  await first.kill();
  const shown = contentOf('shown');
  if (change !== undefined) {
    const opened = await openWorldStore(storeFolder(), now, false);
    change(opened);
    await opened.store.close();
  }
  await host('two', 'none', sessionId).finish();
  const { lines, faults } = await stored();
  const marks = contentOf('marks').split('\n');
  return {
    lines,
    faults,
    isKept: shown.length > 0 && lines.some((line) => line.startsWith(`assistant: ${shown}`)),
    hooks: marks.filter((line) => line === 'hook').length,
    runs: marks.filter((line) => line === 'ran').length,
    refused: server.requests.filter(({ rejection }) => rejection !== null).length,
  };
}

/** Stores a question to the user for the call, as if its process had not ended before that. */
function asksForCall({ database, db }: WorldStore): void {
  const [row] = database.all("SELECT uid, session_id, turn_uid FROM messages WHERE role = 'assistant'");
  const [sessionId, turnUid] = [String(row?.['session_id']), String(row?.['turn_uid'])];
  const [calls] = db.activeMessages(sessionId).flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'toolCall'));
  if (calls?.kind !== 'toolCall') throw new Error('There is no call.');
  db.requestApproval({
    ...{ id: 'asked', sessionId, turnUid, messageUid: String(row?.['uid']), callId: calls.callId, requestedAt: now() },
    request: {
      tool: 'act',
      subject: 'act',
      access: { kind: 'agent', agent: 'a', action: 'b' },
      reasons: [],
      rules: [],
      preview: null,
    },
  });
}

/** What is stored of a call that was cut off, and of the prompt after it. */
const cutOff = [
  'user: Prompt one',
  'assistant: Let me act.',
  expect.stringMatching(/^tool: (?:interrupted|cancelled)/),
  'assistant: (Stopped before an answer: the program ended unexpectedly.)',
  'user: Prompt two',
  'assistant: I go on.',
];
const kept = { faults: [], isKept: true, refused: 0 };

describe.skipIf(process.platform === 'win32')('a process that is killed (kill -9)', () => {
  it('during a hook: what was shown is stored, the call never runs, and the session continues', async () => {
    expect(await killedAt('hook')).toEqual({ ...kept, lines: cutOff, hooks: 1, runs: 0 });
  });

  it('after the answer of a hook and before its call: the call never runs, and no hook runs again', async () => {
    expect(await killedAt('answer')).toEqual({ ...kept, lines: cutOff, hooks: 1, runs: 0 });
  });

  it('while a call asks the user: the question is there again, and the call that had begun does not run twice', async () => {
    expect(await killedAt('input')).toEqual({
      ...kept,
      lines: [
        'user: Prompt one',
        'assistant: Let me act.',
        'tool: interrupted',
        'assistant: I go on.',
        'user: Prompt two',
        'assistant: I go on.',
      ],
      hooks: 1,
      runs: 1,
    });
  });

  // The controls: what the cases above count would show it.
  it.each(['hook', 'answer'] as const)(
    'at the point %s, runs the call if its turn was taken for one that waits',
    async (point) => {
      const { hooks, runs, lines } = await killedAt(point, asksForCall);
      expect({ hooks, runs, isClosed: JSON.stringify(lines).includes('ended unexpectedly') }).toEqual({
        ...{ hooks: 1, runs: 1, isClosed: false },
      });
    },
  );

  it('runs the call again without the mark that it had begun', async () => {
    const forgets = `UPDATE approvals SET request = json_set(request, '$.access', json('{"kind":"agent","agent":"a","action":"b"}'))`;
    expect((await killedAt('input', ({ database }) => database.run(forgets))).runs).toBe(2);
  });
});
