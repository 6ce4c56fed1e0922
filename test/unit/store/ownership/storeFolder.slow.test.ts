import { describe, expect, it } from 'vitest';
import { storeFolderOf } from '../../../../src/store/ownership/storeFolder';
import { EXTENSION_ID } from '../../../support/extensionId';

const hash = '0123456789abcdef0123456789abcdef';
const storage = (workspace: string): string => `/home/a/User/workspaceStorage/${workspace}/${EXTENSION_ID}`;

describe("the location of a folder's history", () => {
  it.each([
    ['the folder VS Code gives the only host', storage(hash), storage(hash)],
    ['the folder VS Code gives a second host', storage(`${hash}-1`), storage(hash)],
    ['the folder VS Code gives a twelfth host', storage(`${hash}-12`), storage(hash)],
    ['the folder a browser window gives a second host', storage('27bddbce-1'), storage('27bddbce')],
    ['the same with a negative number', storage('-27bddbce-2'), storage('-27bddbce')],
    ['a browser window’s own folder', storage('-27bddbce'), storage('-27bddbce')],
    ['a name that is no hash', storage('my-project-1'), storage('my-project-1')],
    ['a hash of another length', storage('0123456789abcdef-1'), storage('0123456789abcdef-1')],
    ['a suffix that is no number', storage(`${hash}-1a`), storage(`${hash}-1a`)],
    ['an empty window’s number', storage('1763628000000'), storage('1763628000000')],
    ['global storage', `/home/a/User/globalStorage/${hash}-1/x`, `/home/a/User/globalStorage/${hash}-1/x`],
    ['a folder from the settings', '/data/hermes', '/data/hermes'],
  ])('%s', (_name, given, expected) => {
    expect(storeFolderOf(given)).toBe(expected);
  });
});
