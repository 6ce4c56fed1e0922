import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AccessPath } from '../../transcript/approval';
import { foldersOf } from '../sandbox/foundFiles';
import { realPath } from '../../base/realPath';
import { listFiles } from '../sandbox/listFiles';
import type { RuleBook } from './ruleBook';
import { isWholeDisk } from './ruleText';

/** Files that rules deny, for the sandbox. Absolute paths, each with everything below it. */
export interface DeniedPaths {
  /** Not to be read. */
  readonly hidden: readonly string[];
  /** Not to be changed. */
  readonly kept: readonly string[];
}

interface DeniedPathsDeps {
  readonly rules: RuleBook;
  readonly home: string;
  /** Open folders. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
}

/** More places than a sandbox can hide one by one. */
const most = 2000;

/** Finds the files that rules deny to read or to change. Leaves out rules that begin with a wildcard at the root or in
 *  the home folder. Rejects when there are too many to hide. */
export async function deniedPaths({ rules, home, folders }: DeniedPathsDeps): Promise<DeniedPaths> {
  const listed = new Map<string, Promise<readonly string[]>>();
  const namesIn = (folder: string): Promise<readonly string[]> => {
    const names = listed.get(folder) ?? listFiles(folder).then(({ names: found }) => found);
    listed.set(folder, names);
    return names;
  };
  const of = async (kind: 'read' | 'edit'): Promise<readonly string[]> => {
    const found = new Set<string>();
    const search = async (root: string, place: (name: string) => AccessPath): Promise<void> => {
      for (const name of await namesIn(root)) {
        const denied = [...foldersOf(name), name].find((each) => rules.denyingPathRule(kind, place(each)) !== null);
        if (denied !== undefined) found.add(realPath(join(root, denied)));
      }
    };
    const patterns = rules.denies(kind).map(({ pattern }) => pattern);
    for (const pattern of patterns) {
      const bases = /^(~|[\\/]|[A-Za-z]:)/.test(pattern) ? [''] : folders.map(({ path }) => path);
      const whole = pattern.replace(/\/\*\*$/, '');
      const [plain = ''] = /^[^*?[]*/.exec(whole) ?? [];
      for (const base of bases) {
        const path = join(base, plain.replace(/^~/, home));
        const above = dirname(`${path}x`);
        if (plain === whole && existsSync(path)) found.add(realPath(path));
        else if (plain !== whole && base === '' && !isWholeDisk(pattern) && existsSync(above))
          await search(above, (name) => ({ path: join(above, name), shown: name, isInside: false }));
      }
    }
    if (patterns.length > 0)
      for (const { name: folder, path } of folders)
        await search(path, (name) => ({
          path: join(path, name),
          shown: folders.length === 1 ? name : `${folder}/${name}`,
          isInside: true,
        }));
    if (found.size > most) throw new Error(`rules deny more than ${most} files here, too many to hide`);
    return [...found];
  };
  return { hidden: await of('read'), kept: await of('edit') };
}
