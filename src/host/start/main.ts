import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import type * as extension from '../extension';
import { runBundle, type CompiledBundle } from './compiledBundle';

/** By then a window has come up, and what it needs for that is compiled. */
const keepAfterMs = 10_000;

let window: typeof extension | null = null;

/** Entry of `dist/extension.js`: runs `dist/window.js`, compiled in an earlier start where there was one. */
export function activate(context: ExtensionContext): ReturnType<typeof extension.activate> {
  const file = join(__dirname, 'window.js');
  const bundle = runBundle(file, join(context.globalStorageUri.fsPath, 'compiled', 'window.bin'));
  if (!isExtension(bundle.exports)) throw new Error(`${file} is not the program of this version. Install the extension again.`);
  window = bundle.exports;
  if (!bundle.wasKept) keepLater(bundle, context);
  return window.activate(context);
}

export async function deactivate(): Promise<void> {
  await window?.deactivate();
}

function keepLater(bundle: CompiledBundle, context: ExtensionContext): void {
  const timer = setTimeout(() => {
    try {
      bundle.keep();
    } catch {
      // A full disk, say: the next start compiles again, and nothing else is lost.
    }
  }, keepAfterMs);
  timer.unref();
  context.subscriptions.push({ dispose: () => clearTimeout(timer) });
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isExtension(module: unknown): module is typeof extension {
  return typeof module === 'object' && module !== null && 'activate' in module && 'deactivate' in module;
}
