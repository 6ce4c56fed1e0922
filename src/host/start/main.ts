import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import type * as extension from '../extension';
import { compiledFolderOf } from './compiledFolder';
import { keepOnceUp, runBundle, upAfterMs } from './compiledBundle';

let window: typeof extension | null = null;

/** Entry of `dist/extension.js`: runs `dist/window.js`, compiled in an earlier start where there was one. */
export function activate(context: ExtensionContext): ReturnType<typeof extension.activate> {
  const file = join(__dirname, 'window.js');
  const bundle = runBundle(file, join(compiledFolderOf(context), 'window.bin'));
  if (!isExtension(bundle.exports))
    throw new Error(`${file} is not the program of this version. Install the extension again.`);
  window = bundle.exports;
  if (!bundle.wasKept) context.subscriptions.push({ dispose: keepOnceUp(bundle, upAfterMs) });
  return window.activate(context);
}

export async function deactivate(): Promise<void> {
  await window?.deactivate();
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isExtension(module: unknown): module is typeof extension {
  return typeof module === 'object' && module !== null && 'activate' in module && 'deactivate' in module;
}
