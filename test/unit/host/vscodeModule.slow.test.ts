import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { vscodeModule } from '../../../scripts/vscodeModule.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-bundle-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Bundles an entry and a second file as the extension is bundled. */
async function bundled(entry: string, second: string): Promise<string> {
  writeFileSync(join(folder, 'entry.ts'), entry);
  writeFileSync(join(folder, 'second.ts'), second);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'entry.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    minify: true,
    logLevel: 'silent',
    logOverride: { 'import-is-undefined': 'error' },
    plugins: [vscodeModule(join(import.meta.dirname, '../../../node_modules/@types/vscode/index.d.ts'))],
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs a bundle with this in place of the editor; what its entry exports. */
function run(program: string, editor: unknown): unknown {
  const module = { exports: {} };
  const asked: string[] = [];
  const load = new Function('module', 'exports', 'require', program);
  load(module, module.exports, (name: string) => (asked.push(name), editor));
  return { ...module.exports, asked };
}

it('vscode is required once however many files import it, and only the names they use are read from it', async () => {
  const program = await bundled(
    "import * as vscode from 'vscode'; import { second } from './second'; export const words = " +
      "[vscode.l10n.t('one'), second(), new vscode.Position(1, 2)];",
    "import * as vscode from 'vscode'; export const second = () => `${vscode.workspace.name} ${vscode.l10n.t('two')}`;",
  );
  const read: string[] = [];
  const parts = { l10n: { t: (text: string) => `<${text}>` }, workspace: { name: 'folder' }, Position: class {} };
  const editor = new Proxy(parts, {
    get: (target, name, self) => (read.push(String(name)), Reflect.get(target, name, self)),
  });
  expect(run(program, editor)).toMatchObject({ words: ['<one>', 'folder <two>', {}], asked: ['vscode'] });
  expect(read.sort()).toEqual(['Position', 'l10n', 'workspace']);
});

it('a name that vscode does not export stops the build', async () => {
  await expect(bundled("import * as vscode from 'vscode'; export const it = vscode.noSuchThing;", '')).rejects.toThrow(
    /noSuchThing/,
  );
});
