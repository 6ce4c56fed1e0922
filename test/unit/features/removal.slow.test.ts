import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { vscodeModule } from '../../../scripts/vscodeModule.mjs';

const root = join(import.meta.dirname, '../../..');
const list = 'src/features/features.ts';
const text = readFileSync(join(root, list), 'utf8');
const names = [...text.matchAll(/^export \* as (\w+) from '\.\/\1';\n/gm)].map(([, name]) => name ?? '');

/** Bundles the window with this list of features. Returns the files of src that are in the bundle. */
async function bundled(features: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ['src/extension.ts'],
    absWorkingDir: root,
    outfile: 'window.js',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    external: ['yaml'],
    logLevel: 'silent',
    logOverride: { 'import-is-undefined': 'error' },
    plugins: [
      vscodeModule(join(root, 'node_modules/@types/vscode/index.d.ts')),
      {
        name: 'features',
        setup: ({ onLoad }) =>
          onLoad({ filter: /features\/features\.ts$/ }, () => ({ contents: features, loader: 'ts' })),
      },
    ],
  });
  return Object.entries(metafile.outputs['window.js']?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    file.startsWith('src/') && bytesInOutput > 0 ? [file] : [],
  );
}

it('the list holds one line for each feature', () => {
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('//'))).toHaveLength(names.length);
  expect(names.length).toBeGreaterThan(5);
});

it.each(names)('without its line, nothing of the feature is left: %s', async (name) => {
  const without = text.replace(`export * as ${name} from './${name}';\n`, '');
  const folders = (files: readonly string[]) =>
    [...new Set(files.flatMap((file) => /^src\/features\/(\w+)\//.exec(file)?.[1] ?? []))].sort();
  expect(folders(await bundled(without))).toEqual(names.filter((each) => each !== name).sort());
});
