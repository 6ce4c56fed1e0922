import { SyncView } from '../../../../src/host/common/syncView';
import { describe, expect, it } from 'vitest';
import {
  ContainerNotice,
  diesWithContainer,
  isContainer,
  type MachineFacts,
  mountPointOf,
} from '../../../../src/host/storage/containerNotice';
import type { Offer } from '../../../../src/host/storage/storeLabels';

const layer = '521 484 0:46 / / rw,relatime master:200 - overlay overlay rw,lowerdir=/a:/b';
const proc = '522 521 0:49 / /proc rw,nosuid - proc proc rw';
const shm = '526 521 0:50 / /dev/shm rw - tmpfs shm rw,size=65536k';
const workspace = '530 521 8:1 /home/me/project /workspaces/my\\040project rw,relatime - ext4 /dev/sda1 rw';
const volume = '531 521 8:1 /var/lib/docker/volumes/hermes/_data /root/.vscode-server rw,relatime - ext4 /dev/sda1 rw';

const machine = (files: Readonly<Record<string, string>>, over: Partial<MachineFacts> = {}): MachineFacts => ({
  exists: (path) => path in files,
  read: (path) => files[path] ?? null,
  resolve: (path) => path,
  remoteName: undefined,
  ...over,
});
const docker = (...mounts: readonly string[]) =>
  machine({ '/.dockerenv': '', '/proc/self/mountinfo': `${[layer, proc, shm, ...mounts].join('\n')}\n` });

describe('a folder inside a container', () => {
  it.each([
    ['on the container’s own layer', docker(workspace), '/root/.vscode-server/data', true],
    ['on a volume', docker(volume), '/root/.vscode-server/data', false],
    ['on a mounted folder with a space in its name', docker(workspace), '/workspaces/my project/.hermes', false],
    ['beside a mounted folder of which it shares the beginning', docker(workspace), '/workspaces/my project too', true],
    ['in memory', docker(), '/dev/shm/hermes', true],
    ['where nothing says what is mounted', machine({ '/.dockerenv': '' }), '/root', false],
    ['of Podman', machine({ '/run/.containerenv': '', '/proc/self/mountinfo': layer }), '/root', true],
    [
      'of Kubernetes',
      machine({ '/proc/1/cgroup': '11:memory:/kubepods/besteffort/pod1/abc', '/proc/self/mountinfo': layer }),
      '/root',
      true,
    ],
    [
      'that the editor made',
      machine({ '/proc/self/mountinfo': layer }, { remoteName: 'dev-container' }),
      '/root',
      true,
    ],
    [
      'behind a link that leads out of it',
      { ...docker(volume), resolve: () => '/root/.vscode-server/x' },
      '/link',
      false,
    ],
    [
      'no: an ordinary machine',
      machine({ '/proc/1/cgroup': '0::/init.scope', '/proc/self/mountinfo': '27 1 254:0 / / rw - ext4 /dev/vda rw' }),
      '/home/me',
      false,
    ],
    [
      'no: an ordinary remote machine',
      machine({ '/proc/self/mountinfo': layer }, { remoteName: 'ssh-remote' }),
      '/home/me',
      false,
    ],
  ])('%s', (_, facts, folder, dies) => {
    expect(diesWithContainer(folder, facts)).toBe(dies);
  });

  it('is distinguished from one with only a similar name', () => {
    expect(isContainer(machine({ '/proc/1/cgroup': '1:name=systemd:/user.slice/dockerless.service' }))).toBe(false);
    expect(mountPointOf('/home', 'nonsense\n\n')).toBeNull();
  });
});

describe('the notice about a container', () => {
  const notice = (facts: MachineFacts) => {
    const state = {
      offers: [] as readonly Offer[],
      isEmpty: true,
      read: undefined as unknown,
      asked: 0,
      folder: '/root',
    };
    const sync = new SyncView();
    const update = new ContainerNotice({
      facts,
      folder: () => state.folder,
      isEmptyState: () => state.isEmpty,
      storeStatus: { offer: (_topic, offers) => (state.offers = offers) },
      memory: { get: () => state.read, update: async (_key, value) => void (state.read = value) },
      chooseFolder: async () => void state.asked++,
      sync,
    });
    return {
      state,
      sync,
      update: () => (update.update(), state.offers.map(({ choices }) => choices.map(({ label }) => label))),
    };
  };

  it('comes once, with the first prompt, and stays until it is dismissed or another session begins', async () => {
    const { state, update } = notice(docker());
    expect(update()).toEqual([]);
    state.isEmpty = false;
    expect([update(), update()]).toEqual(Array(2).fill([['Choose Folder…', 'Dismiss']]));
    await state.offers[0]?.choices[0]?.run();
    expect(state.asked).toBe(1);
    await state.offers[0]?.choices[1]?.run();
    expect(state.offers).toEqual([]);
    state.read = undefined;
    expect(update()).toHaveLength(1);
    state.isEmpty = true;
    expect(update()).toEqual([]);
    state.isEmpty = false;
    expect(update()).toEqual([]);
  });

  it('offers sync where there is one, and is removed while it is on', () => {
    const { state, sync, update } = notice(docker());
    state.isEmpty = false;
    const nothing = async () => {};
    sync.connect({
      setUp: nothing,
      stopElsewhere: nothing,
      takeOver: nothing,
      showSync: nothing,
      account: async () => null,
    });
    expect(update()).toEqual([['Choose Folder…', 'Set Up Sync', 'Dismiss']]);
    sync.show({ line: '', state: 'even', refused: [], turn: null }, '');
    expect(update()).toEqual([]);
  });

  it('is removed when the history is on a volume', () => {
    const { state, update } = notice(docker(volume));
    state.isEmpty = false;
    expect(update()).toHaveLength(1);
    state.folder = '/root/.vscode-server/store';
    expect(update()).toEqual([]);
  });
});
