import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { webviewLoaders } from '../../../../scripts/build.mjs';

/** What a person waits for before the chat is there, as it would be sent packed. */
const mostBytes = 86_300;

test('the first paint of the chat loads little: code colors, pickers and cards come after it', async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../../../', import.meta.url)),
    entryPoints: ['src/webview/chat/main.tsx'],
    outdir: 'out',
    entryNames: 'chat',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    loader: webviewLoaders,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    // As scripts/build.mjs makes it for the package.
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
  });
  const atOnce = new Set<string>();
  const need = (file: string): void => {
    if (atOnce.has(file)) return;
    atOnce.add(file);
    for (const { path, kind } of metafile.outputs[file]?.imports ?? []) if (kind === 'import-statement') need(path);
  };
  need('out/chat.js');
  const packed = outputFiles
    .filter((file) => [...atOnce].some((name) => file.path.endsWith(name.slice('out'.length))))
    .reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
  const modules = [...atOnce].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  const heavy = modules.filter((module) =>
    /highlight\.js|katex|ApprovalCard|ModelPopup|ChangedFiles|CallDetails/.test(module),
  );
  expect([packed > 20_000 && packed <= mostBytes ? 'within bounds' : packed, heavy]).toEqual(['within bounds', []]);
});
