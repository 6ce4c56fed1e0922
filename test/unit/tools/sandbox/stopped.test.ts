import { describe, expect, it } from 'vitest';
import { stoppedActions, unreadableActions } from '../../../../src/tools/sandbox/confinement';

describe('actions that the sandbox blocked', () => {
  it('are named with their folder when there are several in it, but never as the home folder', () => {
    const wrote = (path: string): string => `deny file-write-create /home/me/${path}`;
    const lines = [
      wrote('.npm/_logs/1-debug-0.log'),
      wrote('.npm/_update-notifier-last-checked'),
      wrote('.npmrc'),
      wrote('.yarnrc'),
      wrote('.config/tool/state.json'),
      'deny network-outbound registry.npmjs.org:443',
    ];
    expect(
      stoppedActions(lines, { writable: ['/home/me/app'], kept: [] }, { home: '/home/me', folder: '/home/me/app' }),
    ).toEqual([
      'write to 2 files in ~/.npm',
      'write to ~/.npmrc',
      'write to ~/.yarnrc',
      'write to ~/.config/tool/state.json',
      'connect to registry.npmjs.org',
    ]);
  });
});

describe('paths that a failed command mentions and could not read', () => {
  const hidden = [
    '/home/me/.ssh',
    '/home/me/.npmrc',
    '/home/me/Documents',
    '/home/me/app/.env',
    '/home/me/app/keys/server.pem',
    '/data/hermes',
  ];
  it.each([
    ['Error: cannot find DATABASE_URL in .env', ['read .env']],
    ["ENOENT: '/home/me/app/.env'", ['read .env']],
    ['open keys/server.pem: permission denied', ['read keys/server.pem']],
    ['server.pem: bad header', ['read keys/server.pem']],
    ['Load key "/home/me/.ssh/id_ed25519": Permission denied', ['read ~/.ssh']],
    ['need auth: ~/.npmrc', ['read ~/.npmrc']],
    ['Documents were not found; .environment, my.env, .env-sample', []],
    ['/home/me/Documents/x: no such file', ['read ~/Documents']],
    ['/data/hermes/state.db', ['read /data/hermes']],
  ])('%s', (output, words) => {
    expect(unreadableActions(output, hidden, { home: '/home/me', folder: '/home/me/app' })).toEqual(words);
  });
});
