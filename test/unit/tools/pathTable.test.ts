import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathTable, type PathRow } from '../../../src/tools/pathTable';
import { isSecret, treatmentOf } from '../../../src/tools/pathTreatment';
import { filesToGuard, namesToTakeOut } from '../../../src/tools/sandbox/foundFiles';
import type { Limits } from '../../../src/tools/sandbox/helper/messages';
import { limitsOf } from '../../../src/tools/sandbox/limits';
import type { ListedFiles } from '../../../src/tools/sandbox/listFiles';
import { credentialPlaces } from '../../support/credentialPlaces';
import { PolicyWorld } from './approval/policyWorld';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-table-')));
let world: PolicyWorld;
beforeEach(() => void (world = new PolicyWorld()));
afterEach(() => {
  world.dispose();
  rmSync(base, { recursive: true, force: true });
});

/** Paths that a name of the table means. */
function examples(name: string): readonly string[] {
  const choices = /\{([^{}]*)\}/.exec(name);
  if (choices !== null)
    return (choices[1] ?? '').split(',').flatMap((choice) => examples(name.replace(choices[0], choice)));
  const one = name.replace('**/', 'deep/er/').replaceAll('*', 'x').replace(/\/+$/, '/deep/x.txt');
  return [one];
}

const listed = (names: readonly string[]): ListedFiles => ({ names, links: new Map() });

/** Results of the four mechanisms themselves for a file in an open folder. */
async function treated(name: string): Promise<Record<'hidden' | 'read' | 'changed' | 'kept' | 'takenOut', boolean>> {
  const found = await filesToGuard(base, listed([name]));
  const path = { path: join('/open', name), shown: name, isInside: true };
  const covers = (paths: readonly string[]): boolean =>
    paths.some((each) => `${join(base, name)}/`.startsWith(`${each}/`));
  return {
    hidden: covers(found.hidden),
    read: world.told({ kind: 'read', paths: [path] }, 'auto').startsWith('ask sensitive'),
    changed: world.told({ kind: 'edit', paths: [path] }, 'auto').startsWith('ask '),
    kept: covers(found.kept),
    takenOut: namesToTakeOut(listed([]), listed([name])).length > 0,
  };
}

describe('the table of paths', () => {
  it.each(pathTable.map((row): [string, PathRow] => [row.what, row]))(
    'decides all four treatments, and every mechanism follows it: %s',
    async (_, row) => {
      const names = row.names.flatMap(examples);
      const differing = [];
      for (const name of names) {
        for (const same of [`packages/a/${name}`, name.toUpperCase()])
          expect([same, treatmentOf(same)]).toEqual([same, treatmentOf(name)]);
        const { isHidden, asksToRead, changeReasons, isKept, isTakenOut } = treatmentOf(name);
        const wanted = {
          hidden: isHidden,
          read: asksToRead,
          changed: changeReasons.length > 0,
          kept: isKept,
          takenOut: isTakenOut,
        };
        // A file of Git's own folder is hidden and kept by its repository.
        if (/(^|\/)\.git(\/|$)/i.test(name)) wanted.hidden = wanted.kept = false;
        const found = await treated(name);
        const isWeaker =
          (row.isHidden && !isHidden) ||
          (row.asksToRead && !asksToRead) ||
          (row.asksToChange !== null && !changeReasons.includes(row.asksToChange)) ||
          (row.isTakenOut === true && !isTakenOut) ||
          (row.isTakenOut === 'stays' && !isKept) ||
          (row.isTakenOut === 'never' && isTakenOut);
        if (isWeaker || JSON.stringify(found) !== JSON.stringify(wanted)) differing.push({ name, found, wanted });
      }
      expect(names.length).toBeGreaterThan(0);
      expect(differing).toEqual([]);
    },
  );

  it('takes out whatever needs approval to change, but for keys, installed packages, Git and the system', () => {
    const left = pathTable.filter(({ asksToChange, isTakenOut }) => asksToChange !== null && isTakenOut !== true);
    expect(left.map(({ names }) => names[0])).toEqual([
      '{id_{rsa,dsa,ecdsa,ed25519,ed448,xmss}*,ssh_host_*,login data*,logins.json,key{3,4}.db,cookies.sqlite}',
      'etc/{shadow,gshadow,shadow-,gshadow-,sudoers,krb5.keytab,wireguard/,openvpn/,kubernetes/,rancher/,ssl/private/}',
      'proc/*/',
      '.git/{,**/}config{,.worktree}',
      '.git/',
      'head',
      '{node_modules/,{site,dist}-packages/,{.,}{v,}env/{bin,scripts,lib,lib64,include,share}/}',
      '.{cargo,bundle,mvn,gradle,m2,yarn,sbt,ivy2}/',
    ]);
  });

  it('takes out a link that gives such files their names', () => {
    const links = new Map(
      ['.github', 'packages/a/.github', 'gradle', '.vscode', 'src/link'].map((name) => [name, 't']),
    );
    expect(namesToTakeOut(listed([]), { names: [...links.keys()], links })).toEqual([
      '.github',
      '.vscode',
      'gradle',
      'packages/a/.github',
    ]);
    const before = {
      names: ['AGENTS.md', 'CLAUDE.md'],
      links: new Map([
        ['AGENTS.md', 'a'],
        ['CLAUDE.md', 'a'],
      ]),
    };
    expect(namesToTakeOut(before, { names: ['AGENTS.md', 'CLAUDE.md'], links: new Map([['CLAUDE.md', 'b']]) })).toEqual(
      ['AGENTS.md', 'CLAUDE.md'],
    );
  });
});

describe('the home folder', () => {
  const home = join(base, 'home');
  const make = (...names: readonly string[]): void => {
    for (const name of names) {
      mkdirSync(dirname(join(base, name)), { recursive: true });
      writeFileSync(join(base, name), '');
    }
  };
  const limits = (over: Partial<Parameters<typeof limitsOf>[0]> = {}): Limits =>
    limitsOf({
      home,
      platform: 'linux',
      folders: [join(home, 'code/project')],
      temporary: join(base, 'tmp'),
      own: [],
      programs: [],
      found: { kept: [], hidden: [], writable: [] },
      path: '',
      places: [],
      ...over,
    });
  /** The longest of the limits that covers a path decides. */
  const isReadable = ({ hidden, shown }: Limits, name: string): boolean => {
    const depth = (places: readonly string[]): number =>
      Math.max(
        -1,
        ...places.filter((each) => `${join(base, name)}/`.startsWith(`${each}/`)).map((each) => each.length),
      );
    return depth(shown) >= depth(hidden);
  };
  beforeEach(() => make('home/code/project/a', 'tmp/a'));

  it('hides every place of credentials, and reading one is asked for', () => {
    make(...credentialPlaces.map((name) => `home/${name}`));
    const found = limits();
    expect(credentialPlaces.length).toBeGreaterThan(220);
    expect({
      readable: credentialPlaces.filter((name) => isReadable(found, `home/${name}`)),
      unasked: credentialPlaces.filter((name) => !isSecret(`/home/me/${name}`)),
    }).toEqual({ readable: [], unasked: [] });
  });

  it('hides what nobody has named, and shows programs, toolchains and caches', () => {
    const unknown = [
      '.new-agent/token',
      '.config/new/key',
      '.local/share/new/a',
      '.cache/new/a',
      '.newrc',
      'Documents/a',
    ];
    const known = [
      '.nvm/versions/node/v22/bin/node',
      '.cargo/bin/cargo',
      '.cargo/registry/a',
      '.rustup/toolchains/a',
      '.pyenv/shims/python',
      '.local/bin/x',
      '.local/share/mise/installs/a',
      '.cache/pip/a',
      '.npm/_cacache/a',
      'go/pkg/mod/a',
      '.gitconfig',
      '.gitconfig-work',
      '.config/git/ignore',
      'code/project/a',
    ];
    make(...[...unknown, ...known].map((name) => `home/${name}`));
    const found = limits();
    expect([
      unknown.filter((name) => isReadable(found, `home/${name}`)),
      known.filter((name) => !isReadable(found, `home/${name}`)),
    ]).toEqual([[], []]);
  });

  it('shows what is on the PATH, what its programs need, and where its links lead', () => {
    make(
      'home/.tool/bin/x',
      'home/.tool/lib/a',
      'home/.tool/token',
      'home/.other/app/bin/y',
      'home/.other/key',
      'home/.t/z',
    );
    symlinkSync(join(home, '.other/app/bin/y'), join(home, '.tool/bin/y'));
    const found = limits({ path: [join(home, '.tool/bin'), join(home, '.t'), home, '/usr/bin'].join(':') });
    const names = ['.tool/bin/x', '.tool/lib/a', '.tool/token', '.other/app/bin/y', '.other/key', '.t/z', '.ssh/a'];
    make('home/.ssh/a');
    expect(names.filter((name) => isReadable(found, `home/${name}`))).toEqual([
      '.tool/bin/x',
      '.tool/lib/a',
      '.other/app/bin/y',
      '.t/z',
      '.ssh/a',
    ]);
  });

  it('is all part of the work if it is open', () => {
    make('home/.new/a');
    expect(isReadable(limits({ folders: [home] }), 'home/.new/a')).toBe(true);
    expect(isReadable(limits({ folders: [base] }), 'home/.new/a')).toBe(true);
  });

  it("hides other people's homes, other folders and other machines, but nothing that is open", () => {
    make(
      'home/me/a',
      'home/you/a',
      'home/tools/bin/x',
      'work/one/a',
      'work/two/.env',
      'work/two/open/a',
      'mnt/c/Users/me/.ssh/id',
    );
    const found = limits({
      home: join(base, 'home/me'),
      folders: [join(base, 'work/one'), join(base, 'work/two/open')],
      path: join(base, 'home/tools/bin'),
      places: [`${base}/home/*`, `${base}/work/*`, `${base}/mnt/*/Users`, `${base}/none/*`],
    });
    const names = [
      'home/you/a',
      'home/tools/bin/x',
      'work/one/a',
      'work/two/.env',
      'work/two/open/a',
      'mnt/c/Users/me/.ssh/id',
    ];
    expect(names.filter((name) => isReadable(found, name))).toEqual([
      'home/tools/bin/x',
      'work/one/a',
      'work/two/open/a',
    ]);
    expect(found.hidden).not.toContain(join(base, 'home/me'));
  });

  it('is not where Hermes puts private copies: those are in a folder of the temporary one that is hidden', () => {
    const [hidden] = limits().hidden.filter((path) => path.startsWith(join(base, 'tmp')));
    expect([hidden?.startsWith(join(base, 'tmp/hermes-private-')), existsSync(hidden ?? '')]).toEqual([true, true]);
  });
});
