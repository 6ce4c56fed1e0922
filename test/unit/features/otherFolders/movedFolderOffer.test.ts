import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { MovedFolderOffer } from '../../../../src/features/otherFolders/host/movedFolderOffer';
import type { OtherFolder } from '../../../../src/features/otherFolders/host/otherFolders';
import type { Offer } from '../../../../src/host/storage/storeLabels';
import { encodeLabel, type FolderLabel } from '../../../../src/store/library/folderLabel';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import type { SessionQuery } from '../../../../src/store/requests';
import type { SessionSummary } from '../../../../src/transcript/session';
import { summary } from '../../host/scriptedGateway';

const own: FolderLabel = {
  version: 1,
  kind: 'folder',
  path: '/home/me/new',
  name: 'new',
  place: '7:7',
  git: null,
  roots: [],
};
const found: OtherFolder = {
  folder: '/storage/old',
  uid: 'u',
  label: { ...own, path: '/home/me/old', name: 'old' },
  sessions: 2,
  lastActiveAt: 1000,
  inUse: false,
  problem: null,
  broughtAt: null,
};
const workspace: FolderLabel = {
  ...own,
  kind: 'workspace',
  path: '/home/me/all.code-workspace',
  name: 'all (Workspace)',
  place: '8:8',
  roots: [{ path: '/home/me/new', place: null }],
};
const theirs = [summary('newest', { lastActiveAt: 1000 }), summary('older', { lastActiveAt: 900 })];

interface World {
  readonly label?: FolderLabel;
  readonly folders?: readonly OtherFolder[];
  readonly stored?: Partial<Record<'active' | 'archived' | 'trash', readonly SessionSummary[]>>;
  readonly isBrought?: boolean;
}

function window({ label = own, folders = [found], stored = {}, isBrought = true }: World = {}) {
  const meta = new Map<string, string>();
  const state = { offers: [] as readonly Offer[], brought: [] as string[], shown: [] as string[], now: 2000 };
  const lists: number[] = [];
  let left = folders;
  const services = {
    history: {
      store: {
        getMeta: async (key: string) => meta.get(key) ?? null,
        setMeta: async (key: string, value: string) => void meta.set(key, value),
        listSessions: async ({ state: asked = 'active', sessionIds }: SessionQuery) =>
          (stored[asked] ?? []).filter(({ id }) => sessionIds?.includes(id) ?? true),
      },
      status: { offer: (_topic: string, offers: readonly Offer[]) => (state.offers = offers) },
    },
    opener: { open: async (sessionId: string) => void state.shown.push(sessionId) },
    clock: { now: () => state.now },
    log: silentLog,
  } as unknown as WindowContext;
  const others = {
    list: async (since = 0) => (lists.push(since), left.filter(({ lastActiveAt }) => lastActiveAt >= since)),
    sessionsOf: async () => theirs,
  };
  const make = () =>
    new MovedFolderOffer(services, others, {
      describe: async () => ({ ...label }),
      oldPlace: async (path) => ({ isThere: path === '/home/me/new', place: null }),
      copyToThisFolder: async ({ folder }) => {
        state.brought.push(folder);
        if (isBrought) left = left.filter((each) => each.folder !== folder);
        return isBrought;
      },
      idle: () => Promise.resolve(),
    });
  const choose = async (name: string): Promise<void> =>
    state.offers[0]?.choices.find((choice) => choice.label === name)?.run();
  const sentences = (): readonly string[] => state.offers.map(({ sentence }) => sentence);
  return { moved: make(), reopened: make, state, meta, lists, choose, sentences };
}

describe('a folder whose history is stored under another name', () => {
  it('gets the offer if its own history is empty, and with one click the history and its newest session', async () => {
    const { moved, state, choose, sentences } = window();
    state.now = 1000 + 3 * 86_400;
    await moved.neverOpened();
    expect([...sentences(), ...(state.offers[0]?.choices.map(({ label }) => label) ?? [])]).toEqual([
      'Copy sessions from /home/me/old to this folder? (2 sessions, last used 3 days ago)',
      'Copy Sessions',
      'Not Now',
    ]);
    expect(state.brought).toEqual([]);
    await choose('Copy Sessions');
    expect(state).toMatchObject({ brought: ['/storage/old'], offers: [], shown: ['newest'] });
  });

  it.each([
    [
      'a workspace of the folder',
      { label: workspace, folders: [{ ...found, label: { ...own, place: null } }] },
      'Copy sessions from new to this workspace?',
    ],
    [
      'the folder of a workspace',
      { label: { ...own, place: null }, folders: [{ ...found, label: workspace }] },
      'Copy sessions from all (Workspace) to this folder?',
    ],
    [
      'other storage of the same folder',
      { folders: [{ ...found, label: own }] },
      'Copy the sessions that /home/me/new has in another storage location?',
    ],
  ] as const)('gets words that fit: %s', async (_case, given, words) => {
    const { moved, sentences } = window(given);
    await moved.opened();
    expect(sentences().map((sentence) => sentence.replace(/\? \(.*/, '?'))).toEqual([words]);
  });

  it('gets the next offer after the first, until nothing is left', async () => {
    const { moved, state, meta, choose } = window({ folders: [found, { ...found, folder: '/storage/other' }] });
    await moved.opened();
    await choose('Copy Sessions');
    const next = state.offers.length;
    await choose('Copy Sessions');
    expect([next, state.brought, state.offers, meta.get('others_decided')]).toEqual([
      1,
      ['/storage/old', '/storage/other'],
      [],
      '2000',
    ]);
  });

  it('keeps getting the offer if only part was brought over', async () => {
    const { moved, state, choose } = window({ isBrought: false });
    await moved.neverOpened();
    await choose('Copy Sessions');
    expect(state).toMatchObject({ offers: [{}], shown: [] });
  });

  it('gets the offer in later windows, also after it was used, until the user decides', async () => {
    const { moved, reopened, state, choose } = window({ stored: { active: [summary('own')] } });
    await moved.opened();
    await reopened().opened();
    expect(state.offers).toHaveLength(1);
    await choose('Not Now');
    await reopened().opened();
    expect(state).toMatchObject({ offers: [], brought: [] });
  });

  it('gets no second offer in this window after Not Now, nor in the next one', async () => {
    const { moved, reopened, state, choose } = window();
    await moved.neverOpened();
    await choose('Not Now');
    await moved.opened();
    await reopened().opened();
    expect(state).toMatchObject({ offers: [], brought: [] });
  });

  it('gets the offer again for what was continued there since, or never came', async () => {
    const { moved, reopened, state, lists, sentences } = window({
      stored: { active: [summary('newest', { lastActiveAt: 950 })] },
      folders: [{ ...found, broughtAt: 950 }],
    });
    await moved.opened();
    expect(sentences()).toEqual([expect.stringContaining('(1 session,')]);
    state.offers[0]?.choices[1]?.run().catch(() => undefined);
    await reopened().opened();
    expect([state.offers, lists]).toEqual([[], [0, 2000]]);
  });

  it('gets no offer for sessions that it has, also in the trash, or if nothing matches', async () => {
    for (const given of [
      { stored: { active: theirs } },
      { stored: { archived: theirs } },
      { stored: { active: theirs.slice(0, 1), trash: theirs.slice(1) } },
      { folders: [{ ...found, broughtAt: 1000 }] },
      { folders: [{ ...found, label: null }] },
    ]) {
      const { moved, state } = window(given);
      await moved.opened();
      expect(state.offers).toEqual([]);
    }
  });

  it('is not offered the history of a further folder once it has its own', async () => {
    const label = { ...workspace, roots: [{ path: '/home/me/a', place: null }, ...workspace.roots] };
    const folders = [{ ...found, label: { ...own, place: null } }];
    const used = window({ label, folders, stored: { active: [summary('own')] } });
    const empty = window({ label, folders });
    await used.moved.opened();
    await empty.moved.opened();
    expect([used.state.offers.length, empty.state.offers.length]).toEqual([0, 1]);
  });

  it('is offered what its folders have once it knows them, whatever was decided before', async () => {
    const label = { ...workspace };
    const { moved, state } = window({ label, folders: [{ ...found, label: { ...own, place: null } }] });
    const { roots } = workspace;
    label.roots = [];
    await moved.opened();
    const early = state.offers.length;
    label.roots = roots;
    await moved.opened();
    expect([early, state.offers.length]).toEqual([0, 1]);
  });

  it('does not ask again because its folders were not known for a moment', async () => {
    const label = { ...workspace };
    const { moved, reopened, state, choose } = window({
      label,
      folders: [{ ...found, label: { ...own, place: null } }],
    });
    await moved.opened();
    await choose('Not Now');
    label.roots = [];
    const later = reopened();
    await later.opened();
    label.roots = workspace.roots;
    await later.opened();
    expect(state.offers).toEqual([]);
  });

  it('keeps its own name in its store while the editor already names the workspace that comes next', async () => {
    const label = { ...own };
    const { moved, meta } = window({ label, folders: [] });
    await moved.opened();
    Object.assign(label, workspace);
    await moved.opened();
    expect(meta.get('folder')).toBe(encodeLabel(own));
  });

  it('records in its store which folder it belongs to, and when there was nothing to offer', async () => {
    const { moved, state, meta, lists } = window({ stored: { active: theirs }, folders: [] });
    await moved.opened();
    state.now = 3000;
    await moved.opened();
    expect([meta.get('folder'), meta.get('others_decided'), lists]).toEqual([encodeLabel(own), '3000', [0, 2000]]);
  });
});
