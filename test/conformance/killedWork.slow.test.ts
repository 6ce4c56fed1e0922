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
import { openWorldStore } from '../support/worldStore';

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

/** What is stored, changed by another hand if the test says so. */
async function stored(
  change = '',
): Promise<{ readonly lines: readonly string[]; readonly faults: readonly unknown[] }> {
  const { database, db, store } = await openWorldStore(storeFolderOf(join(home, 'storage')), () => Date.now() / 1000);
  if (change !== '') database.run(change);
  const [session] = database.all('SELECT id FROM sessions');
  const rows = db.activeMessages(String(session?.['id']));
  const lines = rows.map(({ role, parts }) => {
    const [part] = parts;
    return `${role}: ${part?.kind === 'toolResult' ? part.outcome : part !== undefined && 'text' in part ? part.text : ''}`;
  });
  await store.close();
  return { lines, faults: historyFaults(withoutHandoff(rows)) };
}

/** Works until it reaches the point, is killed there, and goes on in another process. `change`: what somebody changes of
 *  the store in between. */
async function killedAt(point: Exclude<WorkPoint, 'none'>, change = '') {
  const mark = { hook: 'hook', answer: 'judged', input: 'asked' }[point];
  const first = host('one', point, null);
  const sessionId = (await first.line('session ')).slice('session '.length);
  while (!contentOf('marks').includes(mark)) await pause(systemClock, 5);
  await first.kill();
  const shown = contentOf('shown');
  if (change !== '') await stored(change);
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

  // The control: what the cases above count would show it.
  it('runs the call again without the mark that it had begun', async () => {
    const forgets = `UPDATE approvals SET request = json_set(request, '$.access', json('{"kind":"agent","agent":"a","action":"b"}'))`;
    expect((await killedAt('input', forgets)).runs).toBe(2);
  });
});
