import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { GitIdentity } from './folderLabel';

const mostConfigBytes = 1 << 20;
const firstLineBytes = 4096;

/** Identity of the git working copy that contains a folder; null outside of git. Reads git's files, does not run
 *  git. A folder below the top of a working copy, and a linked worktree, have their own identities. */
export async function gitIdentityOf(folder: string): Promise<GitIdentity | null> {
  const found = await workingCopyOf(folder);
  if (found === null) return null;
  const { below, gitFolder, shared, remote } = found;
  const part = [below, shared === gitFolder ? '' : basename(gitFolder)];
  const [birth = ''] = ((await textOf(join(gitFolder, 'logs', 'HEAD'), firstLineBytes)) ?? '').split('\n');
  return {
    remote: remote === null ? null : hash(['remote', remote, ...part]),
    birth: birth === '' ? null : hash(['birth', birth, ...part]),
  };
}

/** Name of the repository that a folder is a clone of, from its remote: "owner/name", with the folder's path below it.
 *  Null outside of git and without a remote. */
export async function repositoryName(folder: string): Promise<string | null> {
  const { below = '', remote = null } = (await workingCopyOf(folder)) ?? {};
  return remote === null ? null : [...remote.split('/').slice(-2), ...(below === '' ? [] : [below])].join('/');
}

async function workingCopyOf(folder: string) {
  const found = await findGitFolder(folder);
  if (found === null) return null;
  const { top, gitFolder } = found;
  const shared = await sharedFolderOf(gitFolder);
  const remote = remoteIn((await textOf(join(shared, 'config'), mostConfigBytes)) ?? '');
  return { below: relative(top, folder).replaceAll('\\', '/'), gitFolder, shared, remote };
}

/** The remote "origin", or else the first one, as host and path. Independent of the URL's form, and without user,
 *  password or token. */
export function remoteIn(config: string): string | null {
  const urls = new Map<string, string>();
  let section: string | null = null;
  for (const line of config.split(/\r?\n/)) {
    const header = /^\s*\[(.*)\]\s*$/.exec(line);
    if (header !== null) {
      section = /^remote\s+"(.*)"$/.exec(header[1] ?? '')?.[1] ?? null;
      continue;
    }
    const url = /^\s*url\s*=\s*(.*?)\s*$/.exec(line)?.[1];
    if (section !== null && url !== undefined && url !== '' && !urls.has(section))
      urls.set(section, url.replace(/^"(.*)"$/, '$1'));
  }
  const url = urls.get('origin') ?? [...urls.values()][0];
  return url === undefined ? null : plainRemote(url);
}

/** Converts `https://user:token@Host/a/b.git`, `ssh://git@host:22/a/b` and `git@host:a/b` to `host/a/b`. */
function plainRemote(url: string): string {
  const place =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/:]*)(?::\d+)?\/*(.*)$/i.exec(url) ??
    /^(?:[^/@]*@)?([^/:]{2,}):(?!\/\/)\/*(.*)$/.exec(url);
  const plain = place === null ? url : `${(place[1] ?? '').toLowerCase()}/${place[2] ?? ''}`;
  return plain
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

/** The nearest `.git` at or above a folder. */
async function findGitFolder(folder: string): Promise<{ readonly top: string; readonly gitFolder: string } | null> {
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, '.git');
    const kind = await kindOf(git);
    if (kind === 'folder') return { top, gitFolder: git };
    if (kind === 'file') {
      const named = /^gitdir:\s*(.*?)\s*$/m.exec((await textOf(git, firstLineBytes)) ?? '')?.[1];
      return named === undefined ? null : { top, gitFolder: resolve(top, named) };
    }
    if (dirname(top) === top) return null;
  }
}

/** A linked worktree shares its configuration with the repository it was made from. */
async function sharedFolderOf(gitFolder: string): Promise<string> {
  const named = (await textOf(join(gitFolder, 'commondir'), firstLineBytes))?.trim();
  return named === undefined || named === '' ? gitFolder : resolve(gitFolder, named);
}

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** The beginning of a file, at most `most` bytes; null when it cannot be read. */
async function textOf(path: string, most: number): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      if (!(await file.stat()).isFile()) return null;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, 0);
      return buffer.subarray(0, bytesRead).toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
