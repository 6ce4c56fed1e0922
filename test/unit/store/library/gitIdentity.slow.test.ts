import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFolder } from '../../../../src/features/otherFolders/core/describeFolder';
import { gitIdentityOf, remoteIn } from '../../../../src/store/library/gitIdentity';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hermes-git-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function repository(name: string, { remote = 'https://example.com/me/project.git', born = '1' } = {}): string {
  write(
    `${name}/.git/config`,
    `[core]\n\tbare = false\n[remote "upstream"]\n\turl = https://example.com/other.git\n[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs\n`,
  );
  write(
    `${name}/.git/logs/HEAD`,
    `0000 abc Me <me@example.com> ${born} +0000\tclone: from somewhere\nabc def Me <me@example.com> 9 +0000\tcommit: more\n`,
  );
  write(`${name}/src/part.ts`, '');
  return join(root, name);
}

describe('the git identity of a folder', () => {
  it('stays when the folder is renamed; a second clone shares only its remote', async () => {
    const folder = repository('old');
    const before = await gitIdentityOf(folder);
    renameSync(folder, join(root, 'new'));
    const clone = await gitIdentityOf(repository('clone', { born: '2' }));
    expect(await gitIdentityOf(join(root, 'new'))).toEqual(before);
    expect([clone?.remote === before?.remote, clone?.birth === before?.birth]).toEqual([true, false]);
    expect(JSON.stringify(before)).not.toMatch(/example|somewhere|me@/);
  });

  it('differs for a nested folder and for a linked worktree, which is read through its files', async () => {
    const folder = repository('main');
    write('tree/.git', `gitdir: ${folder}/.git/worktrees/tree\n`);
    write('main/.git/worktrees/tree/commondir', '../..\n');
    write('main/.git/worktrees/tree/logs/HEAD', '0000 abc Me <me@example.com> 5 +0000\n');
    const [whole, part, tree] = await Promise.all([
      gitIdentityOf(folder),
      gitIdentityOf(join(folder, 'src')),
      gitIdentityOf(join(root, 'tree')),
    ]);
    expect(new Set([whole, part, tree].flatMap((one) => [one?.remote, one?.birth])).size).toBe(6);
    expect(tree?.remote).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is null outside git and for an invalid .git', async () => {
    write('plain/file', '');
    write('broken/.git', 'nothing of git');
    write('bare/.git/HEAD', 'ref: refs/heads/main');
    expect([
      await gitIdentityOf(join(root, 'plain')),
      await gitIdentityOf(join(root, 'broken')),
      await gitIdentityOf(join(root, 'bare')),
      await gitIdentityOf(join(root, 'nowhere')),
    ]).toEqual([null, null, { remote: null, birth: null }, null]);
  });

  it.each([
    ['https://me:secret@Example.com/me/project.git', 'example.com/me/project'],
    ['https://token@example.com:8443/me/project/', 'example.com/me/project'],
    ['ssh://git@example.com:22/me/project.git', 'example.com/me/project'],
    ['git@example.com:me/project.git', 'example.com/me/project'],
    ['/srv/git/project.git', '/srv/git/project'],
    ['C:\\git\\project', 'C:\\git\\project'],
  ])('is derived from the remote without credentials, however it is spelled: %s', (url, plain) => {
    expect(remoteIn(`[remote "origin"]\n  url = ${url}\n`)).toBe(plain);
  });
});

describe('the label of a folder', () => {
  it('recognizes a folder of this disk under another name, but not a copy of it', async () => {
    const path = repository('old');
    // A folder that has not changed since it was made cannot be told from one whose birth is not known.
    const label = (at: string) => describeFolder({ kind: 'folder', path: at, name: 'project', roots: [at] });
    await expect.poll(async () => (utimesSync(path, 1, 1), (await label(path)).place)).not.toBeNull();
    const before = await label(path);
    cpSync(path, join(root, 'copy'), { recursive: true });
    renameSync(path, join(root, 'new'));
    const [after, copy] = await Promise.all([label(join(root, 'new')), label(join(root, 'copy'))]);
    expect(before.place).toMatch(/^\d+:\d+$/);
    expect([after.place === before.place, copy.place === before.place, after.git]).toEqual([true, false, before.git]);
    expect((await label(join(root, 'nowhere'))).place).toBeNull();
  });
});
