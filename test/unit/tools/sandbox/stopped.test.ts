import { describe, expect, it } from 'vitest';
import { unreadableActions } from '../../../../src/tools/sandbox/stopped';

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
