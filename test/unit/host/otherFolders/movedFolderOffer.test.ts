import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { MovedFolderOffer } from '../../../../src/host/otherFolders/movedFolderOffer';
import type { OtherFolder } from '../../../../src/host/otherFolders/otherFolders';
import type { Offer } from '../../../../src/host/storage/storeStatus';
import { encodeLabel, type FolderLabel } from '../../../../src/store/library/folderLabel';
import { summary } from '../scriptedGateway';
import { t } from '../../../../src/base/translate';

const own: FolderLabel = { version: 1, kind: 'folder', path: '/home/me/new', name: 'new', place: '7:7', git: null };
const found: OtherFolder = {
  folder: '/storage/old',
  uid: 'u',
  label: { ...own, path: '/home/me/old', name: 'old' },
  sessions: 12,
  lastActiveAt: 1000,
  inUse: false,
  problem: null,
  isBroughtOver: false,
};

function window({
  folders = [found],
  stored,
  isBrought = true,
}: { folders?: readonly OtherFolder[]; stored?: 'active' | 'archived' | 'trash'; isBrought?: boolean } = {}) {
  const meta = new Map<string, string>();
  const state = { offers: [] as readonly Offer[], brought: [] as string[], lists: 0, writes: 0 };
  const moved = new MovedFolderOffer({
    others: { list: async () => (state.lists++, folders), onDidChange: () => ({ dispose: () => undefined }) },
    sessions: {
      getMeta: async (key) => meta.get(key) ?? null,
      setMeta: async (key, value) => (state.writes++, void meta.set(key, value)),
      listSessions: async ({ state: asked }) => (asked === stored ? [summary('s')] : []),
    },
    storeStatus: { offer: (_topic, offers) => (state.offers = offers) },
    describe: async () => own,
    oldPlace: async () => ({ isThere: false, place: null }),
    bringOver: async ({ folder }) => (state.brought.push(folder), isBrought),
    labelContext: () => ({ t, language: 'en', now: 1000 + 3 * 86_400 }),
    log: silentLog,
  });
  const choose = async (label: string): Promise<void> =>
    state.offers[0]?.choices.find((choice) => choice.label === label)?.run();
  return { moved, state, meta, choose };
}

describe('a folder whose history is stored under another name', () => {
  it('gets the offer if its own history is empty, and the history only if the user agrees', async () => {
    const { moved, state, choose } = window();
    await moved.neverOpened();
    expect(state.offers.map(({ sentence, choices }) => [sentence, ...choices.map(({ label }) => label)])).toEqual([
      [
        'Copy sessions from /home/me/old to this folder? (12 sessions, last used 3 days ago)',
        'Copy Sessions',
        'Not Now',
      ],
    ]);
    expect(state.brought).toEqual([]);
    await choose('Copy Sessions');
    expect(state).toMatchObject({ brought: ['/storage/old'], offers: [] });
  });

  it('keeps getting the offer if only part was brought over', async () => {
    const { moved, state, choose } = window({ isBrought: false });
    await moved.neverOpened();
    await choose('Copy Sessions');
    expect(state.offers).toHaveLength(1);
  });

  it('gets no second offer in this window after Not Now', async () => {
    const { moved, state, choose } = window();
    await moved.neverOpened();
    await choose('Not Now');
    await moved.opened();
    expect(state).toMatchObject({ offers: [], brought: [] });
  });

  it('gets no offer if it has its own sessions, if all was brought over before, or if nothing matches', async () => {
    for (const given of [
      { stored: 'active' },
      { stored: 'archived' },
      { stored: 'trash' },
      { folders: [{ ...found, isBroughtOver: true }] },
      { folders: [{ ...found, label: null }] },
    ] as const) {
      const { moved, state } = window(given);
      await moved.opened();
      expect(state.offers).toEqual([]);
    }
  });

  it('records in its store which folder it belongs to, once', async () => {
    const { moved, state, meta } = window({ stored: 'active' });
    await moved.opened();
    await moved.opened();
    expect([meta.get('folder'), state.writes, state.lists]).toEqual([encodeLabel(own), 1, 0]);
  });
});
