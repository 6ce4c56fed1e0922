/**
 * Bundles the extension into dist/. `--production` minifies and fails when an entry is missing; `--watch` rebuilds on
 * change. What is in which bundle: docs/architecture.md.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { noticesText, shippedComponents } from './notices.mjs';
import { vscodeModule } from './vscodeModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Packages whose dynamic import becomes a file of its own: without it esbuild puts them into the bundle that may need
 *  them one day. */
const importedLater = ['smol-toml', 'yaml'];

/** @type {import('esbuild').Plugin} */
const separate = {
  name: 'separate',
  setup: (build) =>
    build.onResolve({ filter: new RegExp(`^(${importedLater.join('|')})$`) }, ({ path: name, kind }) =>
      kind === 'dynamic-import' ? { path: `./${name}.js`, external: true } : undefined,
    ),
};

/** secretlint's rules would load node-forge, 0.3 MB, to look into a .p12 file. They are given texts, and that rule is
 *  not run.
 *  @type {import('esbuild').Plugin} */
const withoutForge = {
  name: 'withoutForge',
  setup: (build) => {
    let isLeftOut = false;
    build.onResolve({ filter: /^\.\/index-[\w-]+\.js$/ }, ({ kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('secretlint-rule-preset-recommend')
        ? { path: 'node-forge', namespace: 'left-out' }
        : undefined,
    );
    build.onLoad(
      { filter: /.*/, namespace: 'left-out' },
      () => ((isLeftOut = true), { contents: 'module.exports = {};' }),
    );
    build.onEnd(() =>
      isLeftOut
        ? undefined
        : {
            errors: [
              { text: 'secretlint loads node-forge in another way than it did: see withoutForge in scripts/build.mjs' },
            ],
          },
    );
  },
};

/** @type {import('esbuild').BuildOptions} Runs in the extension host: Node 20 in the oldest VS Code we support, Node 24
 *  in today's. */
const node = {
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  plugins: [separate, vscodeModule(path.join(root, 'node_modules/@types/vscode/index.d.ts'))],
  logOverride: { 'import-is-undefined': 'error' },
};

/** How files that are no scripts get into a webview: fonts beside the scripts, a package's style sheet as text.
 *  @type {Readonly<Record<string, import('esbuild').Loader>>} */
export const webviewLoaders = { '.ttf': 'file', '.woff2': 'file', '.min.css': 'text' };

/** @type {import('esbuild').BuildOptions} Runs in a webview. What is not needed at the first paint is imported when it
 *  is, from a file of its own. */
const webview = {
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  splitting: true,
  chunkNames: 'webview/[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: webviewLoaders,
  assetNames: 'webview/[name]-[hash]',
};

/** For modules that look for files beside themselves, which CommonJS tells in another way. */
const withOwnAddress = {
  define: { 'import.meta.url': 'ownAddress' },
  banner: { js: "const ownAddress = require('node:url').pathToFileURL(__filename).href;" },
};

/** Each bundle: its name in dist/, its entry, and where it runs. */
export const bundles = [
  // Small: runs window.js with the code that an earlier start compiled (src/host/start/).
  { name: 'extension', entry: 'src/main.ts', target: node },
  { name: 'window', entry: 'src/extension.ts', target: node },
  // A worker thread is started from a file. storeThread.js runs storeWorker.js, with compiled code as above.
  { name: 'storeThread', entry: 'src/host/start/storeThread.ts', target: node },
  { name: 'storeWorker', entry: 'src/store/worker/storeWorker.ts', target: node },
  { name: 'libraryWorker', entry: 'src/features/otherFolders/core/libraryWorker.ts', target: node },
  // Threads that share most of their code: `historyThreads` start one of them.
  { name: 'historyWorkers', entry: 'src/features/historyWorkers.ts', target: node },
  // Works with sessions without an editor: docs/command-line.md. Starts storeWorker.js where it writes.
  {
    name: 'hermes-history',
    entry: 'src/features/commandLine/main.ts',
    target: { ...node, banner: { js: '#!/usr/bin/env node' } },
  },
  // The AI SDK is large and slow to load: extension.js loads it when a model is first used.
  { name: 'providers', entry: 'src/models/providers/index.ts', target: node },
  // The official client of Hindsight: loaded when the person has set it up.
  { name: 'hindsight', entry: 'src/features/hindsight/core/client/index.ts', target: node },
  // Agents of other makers: loaded with the first session that one of them answers.
  { name: 'agents', entry: 'src/features/agents/core/hostedAgent.ts', target: node },
  // Hermes' own agent for clients of that protocol, without an editor: docs/serving.md.
  {
    name: 'hermes-agent',
    entry: 'src/features/agents/served/main.ts',
    target: { ...node, banner: { js: '#!/usr/bin/env node' } },
  },
  // Web pages are made into text in a thread of their own. turndown's browser build comes without a second HTML parser.
  {
    name: 'pageWorker',
    entry: 'src/tools/web/page/pageWorker.ts',
    target: {
      ...node,
      alias: {
        turndown: './node_modules/turndown/lib/turndown.browser.es.js',
        'cssomnom/parse': './scripts/noStyleSheets.mjs',
      },
      external: ['canvas'],
    },
  },
  // The client of the Model Context Protocol: loaded when a server is first started.
  { name: 'mcp', entry: 'src/features/mcp/core/client/index.ts', target: node },
  // The client of PostgreSQL: loaded when the person has set up a server.
  {
    name: 'sync',
    entry: 'src/features/sync/core/postgres/index.ts',
    target: { ...node, external: ['pg-native'] },
  },
  // secretlint's rules: loaded when the first text is masked.
  {
    name: 'secretlint',
    entry: 'src/models/secretlint/index.ts',
    target: { ...node, plugins: [withoutForge, ...node.plugins] },
  },
  // A process of its own that confines commands: started with the first of them.
  {
    name: 'sandboxHelper',
    entry: 'src/tools/sandbox/helper/main.ts',
    target: { ...node, ...withOwnAddress, external: ['@microsoft/mxc-sdk'] },
  },
  // Read when the user has a configuration of Codex.
  { name: 'smol-toml', entry: 'node_modules/smol-toml/dist/index.js', target: node },
  // Read when a rule, prompt or skill file has a head that is YAML.
  { name: 'yaml', entry: 'node_modules/yaml/dist/index.js', target: node },
  { name: 'webview/chat', entry: 'src/webview/chat/main.tsx', target: webview },
  { name: 'webview/transcript', entry: 'src/features/transcript/view/main.tsx', target: webview },
  { name: 'webview/search', entry: 'src/features/search/view/main.tsx', target: webview },
];

/** Files of dist/ that start a thread of historyWorkers.js, each under the name of the thread. */
const historyThreads = ['backupWorker', 'importWorker', 'checkWorker', 'exportWorker', 'foreignWorker'];

/** Files that are shipped as they are: where they come from, where they go in dist/. */
const copies = [
  // Keeps sockets of the machine out of a confined command's reach, on Linux.
  ['node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp/x64/apply-seccomp', 'seccomp/x64/apply-seccomp'],
  ['node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp/arm64/apply-seccomp', 'seccomp/arm64/apply-seccomp'],
  ['node_modules/sql.js/dist/sql-wasm.wasm', 'sql-wasm.wasm'],
  // Read when a service's models are first described. Refreshed with `npm run prices`.
  ['src/models/prices/modelPrices.json', 'modelPrices.json'],
  // For authors of other extensions: docs/api.md.
  ['src/features/api/core/hermes.d.ts', 'hermes.d.ts'],
  ['node_modules/@vscode/codicons/dist/codicon.css', 'webview/codicon.css'],
  ['node_modules/@vscode/codicons/dist/codicon.ttf', 'webview/codicon.ttf'],
];

/** Licenses of what is bundled, by its name in dist/ and in the package. */
export const notices = 'THIRD-PARTY-NOTICES.txt';

/** Modules that only one bundle may hold, and which: the others are loaded at activation. */
const loadedLater = [
  { modules: /node_modules\/(@ai-sdk|ai)\//, bundle: /providers\.js(\.map)?$/, where: 'src/models/providers/' },
  {
    modules: /node_modules\/@vectorize-io\//,
    bundle: /hindsight\.js(\.map)?$/,
    where: 'src/features/hindsight/core/client/',
  },
  {
    modules: /node_modules\/@modelcontextprotocol\//,
    bundle: /mcp\.js(\.map)?$/,
    where: 'src/features/mcp/core/client/',
  },
  {
    modules: /node_modules\/(@anthropic-ai|@pondwader|node-forge|zod)\//,
    bundle: /(sandboxHelper|providers|mcp)\.js(\.map)?$/,
    where: 'src/tools/sandbox/helper/',
  },
  { modules: /node_modules\/@secretlint\//, bundle: /secretlint\.js(\.map)?$/, where: 'src/models/secretlint/' },
  { modules: /node_modules\/smol-toml\//, bundle: /smol-toml\.js(\.map)?$/, where: 'a dynamic import' },
  { modules: /node_modules\/yaml\//, bundle: /yaml\.js(\.map)?$/, where: 'a dynamic import' },
  {
    modules: /node_modules\/(linkedom|turndown|@mozilla\/readability)\//,
    bundle: /pageWorker\.js(\.map)?$/,
    where: 'src/tools/web/page/',
  },
];

/**
 * @param {{ production?: boolean, watch?: boolean, outdir?: string, say?: (line: string) => void,
 *   rounds?: { begin: () => void, end: () => void } }} options `rounds`: with `watch`, called at each bundling
 * @returns {Promise<import('./notices.d.mts').Component[]>} packages of which something was written
 */
export async function build({
  production = false,
  watch = false,
  outdir = path.join(root, 'dist'),
  say = console.log,
  rounds,
} = {}) {
  const esbuild = await import('esbuild');
  const present = bundles.filter(({ entry }) => fs.existsSync(path.join(root, entry)));
  const missing = bundles.filter((bundle) => !present.includes(bundle)).map(({ entry }) => entry);
  if (missing.length > 0 && production) throw new Error(`Nothing to bundle at ${missing.join(', ')}`);
  if (missing.length > 0) say(`Not built, because the entry does not exist: ${missing.join(', ')}`);

  if (!watch) fs.rmSync(outdir, { recursive: true, force: true });
  for (const [source, target] of copies) {
    fs.mkdirSync(path.dirname(path.join(outdir, target)), { recursive: true });
    fs.copyFileSync(path.join(root, source), path.join(outdir, target));
  }

  for (const name of historyThreads)
    fs.writeFileSync(path.join(outdir, `${name}.js`), `require('./historyWorkers.js').start.${name}();\n`);

  // Views are built together, so that they share what they load later.
  const views = present.filter(({ target }) => target === webview);
  const together = [...present.filter((bundle) => !views.includes(bundle)).map((bundle) => [bundle]), views];
  const options = together.map((group) => ({
    ...group[0].target,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(group.map(({ name, entry }) => [name, entry])),
    outdir,
    bundle: true,
    metafile: true,
    minify: production,
    legalComments: production ? /** @type {const} */ ('linked') : /** @type {const} */ ('none'),
    sourcemap: production ? /** @type {const} */ ('external') : /** @type {const} */ ('linked'),
    define: {
      ...group[0].target.define,
      'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development'),
    },
    logLevel: /** @type {const} */ ('warning'),
  }));
  if (watch) {
    for (const one of options) {
      const plugins = [...(one.plugins ?? []), ...(rounds ? [announced(rounds)] : [])];
      await (await esbuild.context({ ...one, plugins, logLevel: 'warning' })).watch();
    }
    return [];
  }
  const results = await Promise.all(options.map((one) => esbuild.build(one)));
  const metafiles = results.map((result) => result.metafile);
  checkLoadedLater(metafiles);
  const components = shippedComponents(root, shippedFiles(metafiles));
  fs.writeFileSync(path.join(outdir, notices), noticesText(components));
  report(outdir, say);
  return components;
}

/** Says when a bundle is made again, and when that is done. @returns {import('esbuild').Plugin} */
const announced = ({ begin, end }) => ({
  name: 'announced',
  setup: (build) => {
    build.onStart(begin);
    build.onEnd(end);
  },
});

/** Files of which something is in the bundles, and those that are shipped as they are.
 *  @param {import('esbuild').Metafile[]} metafiles */
function shippedFiles(metafiles) {
  const bundled = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  return [...new Set([...bundled, ...copies.map(([source]) => source)])];
}

/** What is large may not slip into a bundle that is loaded at activation.
 *  @param {import('esbuild').Metafile[]} metafiles */
function checkLoadedLater(metafiles) {
  for (const { outputs } of metafiles) {
    for (const [file, { inputs }] of Object.entries(outputs)) {
      for (const { modules, bundle, where } of loadedLater) {
        const stray = Object.keys(inputs).find((input) => modules.test(input));
        if (stray !== undefined && !bundle.test(file))
          throw new Error(
            `${file} holds ${stray}: only ${where} may import it, and only the host's lazy loader may load that`,
          );
      }
    }
  }
}

function report(outdir, say) {
  const files = fs
    .readdirSync(outdir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'));
  const sizes = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return { file: path.relative(outdir, file), bytes: fs.statSync(file).size };
  });
  sizes.sort((a, b) => b.bytes - a.bytes);
  for (const { file, bytes } of sizes)
    say(`${(bytes / 1024).toFixed(1).padStart(9)} KB  ${path.join(path.basename(outdir), file)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = process.argv.slice(2);
  const unknown = flags.filter((flag) => flag !== '--production');
  if (unknown.length > 0) throw new Error(`Unknown option ${unknown.join(', ')}; there is --production`);
  try {
    await build({ production: flags.includes('--production') });
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
