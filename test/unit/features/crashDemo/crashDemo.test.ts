import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { CrashDemoRecord, CrashDemo } from '../../../../src/features/crashDemo';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { ManualClock } from '../../../support/manualClock';
import { session, settledTurn } from '../../../support/builders/viewMessages';
import { editor } from '../../host/answeringEditor';

vi.mock('vscode', () => import('../../host/answeringEditor'));

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'hermes-plug-'))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The record as a window reads it at this time. */
const recordAt = (now: number): CrashDemoRecord =>
  new CrashDemoRecord({ history: { folder }, clock: new ManualClock(now) } as unknown as WindowContext);
const file = (): string => path.join(folder, 'pulled-plug.json');

function crashDemo(change: { readonly running?: number; readonly store?: string; readonly yes?: boolean } = {}) {
  const done: string[] = [];
  const clock = new ManualClock(1000);
  const events = new Emitter<{ readonly sessionId: string; readonly event: TurnEvent }>();
  const reported = new Emitter<string>();
  let shown = 0;
  const running = Array.from({ length: change.running ?? 0 }, () => ({ isWaiting: false }));
  const window = {
    gateway: {
      turns: { running: () => running },
      switching: { switchSession: async () => undefined },
      intake: {
        submit: async (_surface: string, { text }: { readonly text: string }) => (
          done.push(`sent ${text}`),
          { kind: 'started', sessionId: 'plug', turnUid: 'turn' }
        ),
      },
      surfaces: { onDidTurnEvent: events.event },
    },
    history: {
      folder,
      store: {
        createSession: async ({ id, model, private: isPrivate }: { id: string; model: string; private: boolean }) => (
          done.push(`began ${model} ${String(isPrivate)}`),
          session({ id, conversationId: 'plug' })
        ),
      },
      status: { shown: { kind: change.store ?? 'open' } },
    },
    reports: {
      entriesOf: () => [{ messageUid: 'a', turnUid: 'turn', part: 0, length: shown }],
      onDidReport: reported.event,
    },
    chat: { show: async () => undefined, focus: async () => void done.push('focused') },
    files: { roots: () => [] },
    ids: { uid: () => 'uid', sessionId: () => 'plug' },
    clock,
  } as unknown as WindowContext;
  vi.spyOn(process, 'kill').mockImplementation(() => {
    done.push(`killed, on disk: ${String(existsSync(file()))}`);
    return true;
  });
  if (change.yes !== false) editor.buttons.push('Pull the Plug');
  const record = new CrashDemoRecord(window);
  const room = new CrashDemo(window, record);
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
    expect([before, done.at(-1), recordAt(1010).current]).toEqual([
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
      recordAt(at).write({ conversationId: 'plug', turnUid: 'turn', at, acknowledged: 500 });
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
    const intention = { conversationId: 'c', turnUid: 't', at: 1000, acknowledged: 500 };
    recordAt(1000).write(intention);
    const record = recordAt(1001);
    const found = record.current;
    record.seen();
    recordAt(1000).write(intention);
    const old = recordAt(1000 + 2 * 86_400).current;
    writeFileSync(file(), '{');
    expect([found, record.current, old, recordAt(1001).current, existsSync(file())]).toEqual([
      { conversationId: 'c', turnUid: 't', at: 1000 },
      null,
      null,
      null,
      false,
    ]);
  });
});
