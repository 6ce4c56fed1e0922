import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Returns a function that loads one of our bundles from `dist/` on first use and returns its export `exported`.
 *  Throws if the file is missing or has another version. The file comes from the same build, so only that function
 *  is checked. */
export function lazyBundle<M extends Record<K, (...args: never[]) => unknown>, K extends string>(
  folder: string,
  bundle: { readonly file: string; readonly name: string },
  exported: K,
): () => M[K] {
  const load = createRequire(join(folder, 'extension.js'));
  return () => {
    const module: unknown = load(`./${bundle.file}`);
    if (!offers<M, K>(module, exported))
      throw new Error(
        `${join(folder, bundle.file)} is not the ${bundle.name} bundle of this version. Install the extension again.`,
      );
    return module[exported];
  };
}

function offers<M extends Record<K, unknown>, K extends string>(module: unknown, exported: K): module is M {
  return typeof module === 'object' && module !== null && typeof Reflect.get(module, exported) === 'function';
}
