import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { CrashDemoRecord, CrashDemo, type CrashDemoDeps } from '../../../../src/features/crashDemo/crashDemo';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { ManualClock } from '../../../support/manualClock';
import { session, settledTurn } from '../../../support/builders/viewMessages';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'hermes-plug-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function crashDemo(
  change: {
    readonly running?: number;
    readonly store?: ReturnType<CrashDemoDeps['storeState']>;
    readonly yes?: boolean;
  } = {},
) {
  const done: string[] = [];
  const clock = new ManualClock(1000);
  const events = new Emitter<{ readonly sessionId: string; readonly event: TurnEvent }>();
  const reported = new Emitter<string>();
  let shown = 0;
  const record = new CrashDemoRecord(
    () => path.join(folder, 'pulled-plug.json'),
    () => clock.now(),
  );
  const room = new CrashDemo({
    gateway: {
      turns: {
        running: () =>
          Array.from({ length: change.running ?? 0 }, () => ({
            sessionId: 's',
            turnUid: 't',
            activity: null,
            isWaiting: false,
          })),
        stop: async () => undefined,
      },
      switching: { switchSession: async () => ({ sessionId: 'plug', draft: null, notice: null }) },
      intake: {
        submit: async (_surface, { text }) => (
          done.push(`sent ${text}`),
          { kind: 'started', sessionId: 'plug', turnUid: 'turn' }
        ),
      },
      surfaces: { onDidTurnEvent: events.event },
    },
    sessions: {
      createSession: async ({ id, model, private: isPrivate }) => (
        done.push(`began ${model} ${String(isPrivate)}`),
        session({ id, conversationId: 'plug' })
      ),
    },
    storeState: () => change.store ?? 'open',
    reports: {
      entriesOf: () => [
        { messageUid: 'a', turnUid: 'turn', part: 0, kind: 'text', length: shown, hash: '0'.repeat(16) },
      ],
      onDidReport: reported.event,
    },
    record,
    surfaceId: 'chat',
    showChat: async () => undefined,
    focusChat: () => void done.push('focused'),
    folder: () => null,
    ids: { uid: () => 'uid', sessionId: () => 'plug' },
    clock,
    t: (message) => message,
    confirm: async () => change.yes ?? true,
    kill: () => done.push(`killed, on disk: ${String(existsSync(path.join(folder, 'pulled-plug.json')))}`),
  });
  const show = (characters: number): void => {
    shown = characters;
    reported.fire('plug');
  };
  return { room, done, clock, events, show, record };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('Pull the Plug', () => {
  it('waits until the view has shown enough, records the intent, and only then kills', async () => {
    const { room, done, show } = crashDemo();
    const running = room.run();
    await settle();
    show(399);
    await settle();
    const before = [...done];
    show(640);
    await running;
    const next = new CrashDemoRecord(
      () => path.join(folder, 'pulled-plug.json'),
      () => 1010,
    );
    expect([before, done.at(-1), next.current]).toEqual([
      ['began Demo/script true', 'sent Give me a long answer about this folder'],
      'killed, on disk: true',
      { conversationId: 'plug', turnUid: 'turn', at: 1000 },
    ]);
  });

  it('does nothing if the user declines, if no answer runs, or if nothing can be saved', async () => {
    const no = crashDemo({ yes: false });
    await no.room.run();
    const busy = crashDemo({ running: 1 });
    const readOnly = crashDemo({ store: 'readOnly' });
    await expect(busy.room.run()).rejects.toThrow('Hermes is answering in this window.');
    await expect(readOnly.room.run()).rejects.toThrow('Sessions can’t be saved in this window');
    expect([no.done, busy.done, readOnly.done]).toEqual([[], [], []]);
  });

  it('kills nothing if the answer ends before enough of it was shown', async () => {
    const { room, done, events } = crashDemo();
    const running = room.run();
    await settle();
    events.fire({ sessionId: 'plug', event: { kind: 'turnSettled', turn: settledTurn('turn'), messages: [] } });
    await expect(running).rejects.toThrow('Nothing was crashed.');
    expect(done.some((line) => line.startsWith('killed'))).toBe(false);
  });

  it('returns focus once to the panel that recovers from it, and to no later panel', () => {
    const pulledAt = (at: number): void =>
      new CrashDemoRecord(
        () => path.join(folder, 'pulled-plug.json'),
        () => at,
      ).write({ conversationId: 'plug', turnUid: 'turn', at, acknowledged: 500 });
    const comesBack = (): readonly string[] => {
      const { show, done } = crashDemo();
      for (let told = 0; told < 2; told++) show(500);
      return done;
    };
    const unpulled = comesBack();
    pulledAt(990);
    const soon = comesBack();
    pulledAt(900);
    expect([unpulled, soon, comesBack()]).toEqual([[], ['focused'], []]);
  });

  it('is reported once, and not at all if it was long ago or cannot be read', () => {
    const file = (): string => path.join(folder, 'pulled-plug.json');
    const intention = { conversationId: 'c', turnUid: 't', at: 1000, acknowledged: 500 };
    new CrashDemoRecord(file, () => 1000).write(intention);
    const record = new CrashDemoRecord(file, () => 1001);
    const found = record.current;
    record.seen();
    new CrashDemoRecord(file, () => 1000).write(intention);
    const old = new CrashDemoRecord(file, () => 1000 + 2 * 86_400).current;
    writeFileSync(file(), '{');
    expect([found, record.current, old, new CrashDemoRecord(file, () => 1001).current, existsSync(file())]).toEqual([
      { conversationId: 'c', turnUid: 't', at: 1000 },
      null,
      null,
      null,
      false,
    ]);
  });
});
