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

describe('one history, two processes', () => {
  it('moves to the window that was opened last, and back, with everything in it', async () => {
    const [first, second] = [window(), window()];
    await first.open(newFolder());
    await first.order({ order: 'turn', session: 's', turn: 'a', text: 'Said in the first window.' });
    const taken = await second.open(folder);
    await second.order({ order: 'turn', session: 's', turn: 'b', text: 'Said in the second window.' });
    const lost = await first.order({ order: 'settled' });
    const back = await first.order({ order: 'reclaim' });
    await first.order({ order: 'turn', session: 's', turn: 'c', text: 'Said in the first window again.' });
    expect({
      states: [taken.state, lost.state, back.state, (await second.order({ order: 'settled' })).state],
      messages: spoken((await first.order({ order: 'read', session: 's' })).messages).filter((line) =>
        line.startsWith('assistant'),
      ),
      problems: (await first.order({ order: 'verify' })).problems,
    }).toEqual({
      states: ['open', 'continuedElsewhere', 'open', 'continuedElsewhere'],
      messages: [
        'assistant: Said in the first window.',
        'assistant: Said in the second window.',
        'assistant: Said in the first window again.',
      ],
      problems: [],
    });
  });

  it('is not taken from a window with a running turn until that turn has settled', async () => {
    const [owner, newcomer] = [window(), window()];
    await owner.open(newFolder());
    await owner.order({ order: 'busy', title: 'Fix the retry timer' });
    const told = await newcomer.open(folder);
    await newcomer.order({ order: 'wait' });
    await owner.order({ order: 'turn', session: 's', turn: 'a', text: 'Not disturbed.' });
    await owner.order({ order: 'busy', title: null });
    const taken = await newcomer.order({ order: 'reach', kind: 'open' });
    expect({
      told: [told.state, told.detail],
      taken: taken.state,
      messages: spoken((await newcomer.order({ order: 'read', session: 's' })).messages),
    }).toEqual({
      told: ['waitingForOwner', 'Fix the retry timer'],
      taken: 'open',
      messages: ['user: Prompt of a', 'assistant: Not disturbed.'],
    });
  });

  it('is taken over from a window that was killed while it wrote, with every acknowledged chunk once', async () => {
    newFolder();
    const survivor = window();
    const trials = [];
    for (let trial = 0; trial < 5; trial++) {
      const victim = window();
      await victim.open(folder);
      const streaming = victim.order({ order: 'stream', session: `s${trial}`, turn: `t${trial}` }).catch(() => 'died');
      await expect.poll(() => victim.acknowledged).toBeGreaterThanOrEqual(20 + trial * 13);
      await victim.kill();
      await streaming;
      const promised = victim.acknowledged;
      const state = trial === 0 ? await survivor.open(folder) : await survivor.order({ order: 'reclaim' });
      const messages = spoken((await survivor.order({ order: 'read', session: `s${trial}` })).messages);
      trials.push({
        state: state.state,
        recovered: state.recovered,
        prompt: messages[0],
        ...chunksIn(messages[1] ?? '', promised),
      });
      await survivor.order({ order: 'busy', title: null });
    }
    const verified = await survivor.order({ order: 'verify' });
    expect({ trials, problems: verified.problems }).toEqual({
      trials: Array.from({ length: 5 }, (_, trial) => ({
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
      sleeper: (await sleeper.order({ order: 'settled' })).state,
      messages: spoken((await taker.order({ order: 'read', session: 's' })).messages).filter((line) =>
        line.startsWith('assistant'),
      ),
      problems: (await taker.order({ order: 'verify' })).problems,
    }).toMatchObject({
      // By the write itself, or by its heartbeat where that notices first.
      refused: { causeClass: expect.stringMatching(/^(replaced|locked)$/) },
      sleeper: 'failed',
      messages: ['assistant: Before the sleep.', 'assistant: Meanwhile elsewhere.', 'assistant: And on.'],
      problems: [],
    });
  });

  it('ends up in exactly one of two windows that start at once, twenty times', async () => {
    const [left, right] = [window(), window()];
    newFolder();
    const outcomes = [];
    for (let round = 0; round < 20; round++) {
      const place = join(folder, `round${round}`);
      await Promise.all([left.open(place), right.open(place)]);
      // The one that was first may have handed over after it had answered.
      const states = [
        (await left.order({ order: 'settled' })).state,
        (await right.order({ order: 'settled' })).state,
      ].sort();
      outcomes.push(states.join(' + '));
    }
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => 'continuedElsewhere + open'));
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

function window(): WindowProcess {
  const process = new WindowProcess(built);
  windows.push(process);
  return process;
}

function newFolder(): string {
  folder = mkdtempSync(join(tmpdir(), 'hermes-two-processes-'));
  return folder;
}
