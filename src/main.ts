import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import type * as extension from './extension';
import { compiledFolderOf, keepOnceUp, runBundle, upAfterMs } from './host/start/compiledBundle';

let window: typeof extension | null = null;

/** Entry of `dist/extension.js`: runs `dist/window.js`, with code compiled in an earlier start if there is any. */
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

/** The file is our own, built together with this one; check only that it is complete. */
function isExtension(module: unknown): module is typeof extension {
  return typeof module === 'object' && module !== null && 'activate' in module && 'deactivate' in module;
}
