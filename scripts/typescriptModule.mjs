/** Loads a TypeScript module of test/ into this process: bundles it with esbuild into .vscode-test/ (packages stay
 *  outside) and imports that. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** @param {string} entry a path from the project's root */
export async function importTypeScript(entry) {
  const { build } = await import('esbuild');
  const folder = path.join(root, '.vscode-test/modules');
  fs.mkdirSync(folder, { recursive: true });
  // One file per process: two runs at a time must not read each other's half-written bundle.
  const outfile = path.join(folder, `${entry.replace(/[^\w]+/g, '-')}-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'silent' },
    // The pages of the views need no editor.
    alias: { vscode: path.join(root, 'test/unit/host/fakeVscode.ts') },
    plugins: [scriptsStayFiles, noAssets],
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    fs.rmSync(outfile, { force: true });
  }
}

/** The modules of scripts/ find their files by where they lie, so they are imported, never bundled.
 *  @type {import('esbuild').Plugin} */
const scriptsStayFiles = {
  name: 'scripts-stay-files',
  setup(build) {
    build.onResolve({ filter: /\/scripts\/\w+\.mjs$/ }, ({ path: request, resolveDir }) => ({
      path: pathToFileURL(path.resolve(resolveDir, request)).href,
      external: true,
    }));
  },
};

/** Fonts and style sheets of packages: Node can't import them, and nothing here draws.
 *  @type {import('esbuild').Plugin} */
const noAssets = {
  name: 'no-assets',
  setup(build) {
    build.onResolve({ filter: /\.(woff2|ttf|css)$/ }, ({ path: request }) => ({
      path: request,
      namespace: 'no-assets',
    }));
    build.onLoad({ filter: /.*/, namespace: 'no-assets' }, () => ({ contents: '', loader: 'empty' }));
  },
};
