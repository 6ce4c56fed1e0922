/** How `vscode` gets into a bundle. */
import fs from 'node:fs';

/**
 * `vscode` as one module whose exports are read once. As an ordinary external module esbuild copies all its 600
 * properties for every file that imports it, which for 87 files was half the time of an activation.
 *
 * @param {string} typesFile the declarations that tell what `vscode` exports; a name that is not in them stops the
 * build
 * @returns {import('esbuild').Plugin}
 */
export function vscodeModule(typesFile) {
  return {
    name: 'vscode-module',
    setup: (build) => {
      build.onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
        namespace === 'vscode-module'
          ? { path: 'vscode', external: true }
          : { path: 'vscode', namespace: 'vscode-module' },
      );
      build.onLoad({ filter: /.*/, namespace: 'vscode-module' }, () => ({
        contents: contents(exportedNames(fs.readFileSync(typesFile, 'utf8'))),
        loader: 'js',
      }));
    },
  };
}

/** Each export is a call without effects, so that what nobody imports is left out.
 *  @param {readonly string[]} names */
function contents(names) {
  return (
    "const api = require('vscode');\nconst named = (name) => " +
    `api[name];\n${names.map((name) => `export const ${name} = /* @__PURE__ */ named('${name}');`).join('\n')}\n`
  );
}

/** What `declare module 'vscode'` exports at run time.
 *  @param {string} types @returns {string[]} */
export function exportedNames(types) {
  const names = [...types.matchAll(/^\texport (?:abstract )?(?:namespace|class|enum|const|let|function) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
  if (!names.includes('window'))
    throw new Error(
      'The declarations of vscode are not laid out as expected: scripts/vscodeModule.mjs finds no exports in them.',
    );
  return [...new Set(names)];
}
