import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { streamedText } from './storeWindow';
import { spoken } from './turnBuilder';
import { WindowProcess } from './windowProcess';

let built: BuiltStoreWorker;
let folder: string;
const windows: WindowProcess[] = [];
beforeAll(async () => {
  built = await buildStoreWorker({ storeWindow: 'test/unit/store/ownership/storeWindow.ts' });
});
afterAll(() => built.remove());
afterEach(async () => {
  await Promise.all(windows.splice(0).map((window) => window.kill()));
  rmSync(folder, { recursive: true, force: true });
});

describe.each([true, false])('one history, two processes, on a disk with links: %s', (hasLinks) => {
  const window = (): WindowProcess => startWindow(hasLinks);

  it('is read by the second window, and moves when it takes over: the running answer loses no word', async () => {
    const [first, second] = [window(), window()];
    await first.open(newFolder());
    await first.order({ order: 'turn', session: 's', turn: 'a', text: 'Said in the first window.' });
    const streaming = first.order({ order: 'stream', session: 's', turn: 'b' });
    await expect.poll(() => first.acknowledged).toBeGreaterThanOrEqual(5);
    const reads = await second.open(folder);
    const seen = spoken((await second.order({ order: 'read', session: 's' })).messages);
    const refused = await second
      .order({ order: 'turn', session: 's', turn: 'never', text: 'x' })
      .catch((error: unknown) => error);
    const shown = first.acknowledged;
    await expect.poll(() => first.acknowledged).toBeGreaterThan(shown);
    const taken = await second.order({ order: 'takeOver' });
    await streaming;
    await first.order({ order: 'reach', kind: 'elsewhere' });
    await second.order({ order: 'turn', session: 's', turn: 'c', text: 'Said in the second window.' });
    const messages = spoken((await second.order({ order: 'read', session: 's' })).messages);
    const back = await first.order({ order: 'takeOver' });
    expect({
      states: [reads.state, taken.state, back.state],
      seen: [seen[1], chunksIn(seen[3] ?? '', 5)],
      refused,
      recovered: taken.recovered,
      settled: chunksIn(messages[3] ?? '', first.acknowledged),
      others: [messages.length, messages[1], messages[5]],
      same: spoken((await first.order({ order: 'read', session: 's' })).messages).join() === messages.join(),
      problems: (await first.order({ order: 'verify' })).problems,
    }).toMatchObject({
      states: ['elsewhere', 'open', 'open'],
      seen: ['assistant: Said in the first window.', { lost: 0, inOrderOnce: true }],
      refused: { causeClass: 'locked', message: expect.stringContaining('Choose Take Over') },
      recovered: 0,
      settled: { lost: 0, inOrderOnce: true },
      others: [6, 'assistant: Said in the first window.', 'assistant: Said in the second window.'],
      same: true,
      problems: [],
    });
  });

  it('loses and doubles nothing when the owner or the other window is killed during the takeover', async () => {
    newFolder();
    const trials = [];
    for (const [trial, killed] of (['owner', 'taker', 'owner', 'taker'] as const).entries()) {
      const [owner, taker] = [window(), window()];
      await owner.open(folder);
      await owner.order({ order: 'settlesAfter', ms: 300 });
      const streaming = owner.order({ order: 'stream', session: `s${trial}`, turn: `t${trial}` }).catch(() => 'died');
      await expect.poll(() => owner.acknowledged).toBeGreaterThanOrEqual(5);
      await taker.open(folder);
      const taking = taker.order({ order: 'takeOver' }).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, trial * 150));
      await (killed === 'owner' ? owner : taker).kill();
      if (killed === 'owner') await streaming;
      else await new Promise((resolve) => setTimeout(resolve, 500));
      const promised = owner.acknowledged;
      let survivor = taker;
      if (killed === 'taker') {
        // The owner has released it, or kept it because whoever asked was gone.
        survivor = window();
        if ((await survivor.open(folder)).state === 'elsewhere') await survivor.order({ order: 'takeOver' });
      }
      await taking;
      const { state } = await survivor.order({ order: 'settled' });
      const answer = spoken((await survivor.order({ order: 'read', session: `s${trial}` })).messages)[1] ?? '';
      trials.push({ state, ...chunksIn(answer, Math.max(promised, owner.acknowledged)) });
      if (trial === 3) trials.push((await survivor.order({ order: 'verify' })).problems);
      await survivor.order({ order: 'close' });
      await owner.kill();
    }
    expect(trials).toEqual([...Array.from({ length: 4 }, () => ({ state: 'open', lost: 0, inOrderOnce: true })), []]);
  });

  it('is taken over from a window that was killed while it wrote, with every acknowledged chunk once', async () => {
    newFolder();
    const survivor = window();
    const trials = [];
    for (let trial = 0; trial < 3; trial++) {
      const victim = window();
      if ((await victim.open(folder)).state === 'elsewhere') await victim.order({ order: 'takeOver' });
      if (trial === 0) await survivor.open(folder);
      else await survivor.order({ order: 'reach', kind: 'elsewhere' });
      const streaming = victim.order({ order: 'stream', session: `s${trial}`, turn: `t${trial}` }).catch(() => 'died');
      await expect.poll(() => victim.acknowledged).toBeGreaterThanOrEqual(20 + trial * 13);
      await victim.kill();
      await streaming;
      const promised = victim.acknowledged;
      const state = await survivor.order({ order: 'takeOver' });
      const messages = spoken((await survivor.order({ order: 'read', session: `s${trial}` })).messages);
      trials.push({
        state: state.state,
        recovered: state.recovered,
        prompt: messages[0],
        ...chunksIn(messages[1] ?? '', promised),
      });
    }
    const verified = await survivor.order({ order: 'verify' });
    expect({ trials, problems: verified.problems }).toEqual({
      trials: Array.from({ length: 3 }, (_, trial) => ({
        state: 'open',
        recovered: 1,
        prompt: `user: Prompt of t${trial}`,
        lost: 0,
        inOrderOnce: true,
      })),
      problems: [],
    });
  });

  it('cannot be written by a process whose lock was taken while it slept', async () => {
    const [sleeper, taker] = [window(), window()];
    await sleeper.open(newFolder());
    await sleeper.order({ order: 'turn', session: 's', turn: 'a', text: 'Before the sleep.' });
    sleeper.signal('SIGSTOP');
    // What another machine does that has not seen a heartbeat for a minute.
    rmSync(join(folder, 'state.db.lock'));
    await taker.open(folder);
    await taker.order({ order: 'turn', session: 's', turn: 'b', text: 'Meanwhile elsewhere.' });
    sleeper.signal('SIGCONT');
    const refused = await sleeper
      .order({ order: 'turn', session: 's', turn: 'c', text: 'Never stored.' })
      .catch((error: unknown) => error);
    await taker.order({ order: 'turn', session: 's', turn: 'd', text: 'And on.' });
    expect({
      refused,
      sleeper: (await sleeper.order({ order: 'reach', kind: 'elsewhere' })).state,
      messages: spoken((await taker.order({ order: 'read', session: 's' })).messages).filter((line) =>
        line.startsWith('assistant'),
      ),
      problems: (await taker.order({ order: 'verify' })).problems,
    }).toMatchObject({
      // By the write itself, or by its heartbeat where that notices first.
      refused: { causeClass: expect.stringMatching(/^(replaced|locked)$/) },
      sleeper: 'elsewhere',
      messages: ['assistant: Before the sleep.', 'assistant: Meanwhile elsewhere.', 'assistant: And on.'],
      problems: [],
    });
  });

  it('ends up in exactly one of two windows that start at once, five times', async () => {
    const [left, right] = [window(), window()];
    newFolder();
    const outcomes = [];
    for (let round = 0; round < 5; round++) {
      const place = join(folder, `round${round}`);
      await Promise.all([left.open(place), right.open(place)]);
      const states = [
        (await left.order({ order: 'settled' })).state,
        (await right.order({ order: 'settled' })).state,
      ].sort();
      outcomes.push(states.join(' + '));
    }
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'elsewhere + open'));
  });

  it('is released by a window that closes in order: no lock, log or socket remains', async () => {
    const owner = window();
    await owner.open(newFolder());
    const lock = readFileSync(join(folder, 'state.db.lock'), 'utf8');
    const socket = /"socketPath":"([^"]+)"/.exec(lock)?.[1] ?? '';
    const before = existsSync(socket);
    await owner.order({ order: 'turn', session: 's', turn: 'a', text: 'Done.' });
    await owner.order({ order: 'close' });
    expect({ before, after: existsSync(socket), files: readdirSync(folder).sort() }).toEqual({
      before: true,
      after: false,
      files: ['state.db'],
    });
  });
});

/** How many of the promised chunks a stored answer lacks, and whether it is nothing but the chunks 1, 2, 3 … once each. */
function chunksIn(line: string, promised: number): { lost: number; inOrderOnce: boolean } {
  const text = line.replace(/^assistant: /, '');
  const count = text.length / streamedText(1).length;
  const expected = Array.from({ length: Math.floor(count) }, (_, index) => streamedText(index + 1)).join('');
  return { lost: Math.max(0, promised - count), inOrderOnce: text === expected };
}

function startWindow(hasLinks: boolean): WindowProcess {
  const process = new WindowProcess(built, { hasLinks });
  windows.push(process);
  return process;
}

function newFolder(): string {
  folder = mkdtempSync(join(tmpdir(), 'hermes-two-processes-'));
  return folder;
}
