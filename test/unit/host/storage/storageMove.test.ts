import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { lateSettingsMs, StorageMove } from '../../../../src/host/storage/storageMove';
import { ManualClock } from '../../../support/manualClock';

function world() {
  const clock = new ManualClock();
  const changes = new Emitter<void>();
  const said: (readonly string[])[] = [];
  const moves: string[] = [];
  const state = { wanted: '/first', used: false };
  new StorageMove('/first', {
    wantedFolder: () => state.wanted,
    onDidChangeSettings: changes.event,
    isUsed: () => state.used,
    move: (folder) => void moves.push(folder),
    setNotices: (notices) =>
      void said.push(
        notices.map(({ sentence, actions }) => [sentence, ...actions.map(({ label }) => label)].join(' · ')),
      ),
    clock,
  });
  const change = (wanted: string): void => {
    state.wanted = wanted;
    changes.fire();
  };
  return { clock, state, change, moves, notices: () => said.at(-1) };
}

const stays =
  'hermes.storage.path was changed. This window still saves sessions in /first. Reload the window ' +
  'to use the new folder. · Reload Window';

describe('a storage folder that changes in an open window', () => {
  it('is used at once by a window that has just opened and has had no prompt', async () => {
    const { clock, change, moves, notices } = world();
    await clock.advance(900);
    change('/second');
    change('/second');
    expect({ moves, notices: notices() }).toEqual({ moves: ['/second'], notices: [] });
  });

  it('is reported, and not used, after the user has put something in the old one', () => {
    const { state, change, moves, notices } = world();
    state.used = true;
    change('/second');
    expect({ moves, notices: notices() }).toEqual({ moves: [], notices: [stays] });
  });

  it('is reported, and not used, while the user may be typing it', async () => {
    const { clock, change, moves, notices } = world();
    await clock.advance(lateSettingsMs + 1);
    change('/sec');
    change('/second');
    expect({ moves, notices: notices() }).toEqual({ moves: [], notices: [stays] });
  });

  it('is no longer reported after the setting is changed back', () => {
    const { state, change, notices } = world();
    state.used = true;
    change('/second');
    change('/first');
    expect(notices()).toEqual([]);
  });
});
