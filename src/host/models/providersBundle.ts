import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as providers from '../../models/providers/index';
import type { LoadTransports } from '../../models/transport';

/** Loads `dist/providers.js` when a model is first asked: the SDK in it is large, and a window in which nobody asks should not pay for it. */
export function providersBundle(folder: string): LoadTransports {
  const load = createRequire(join(folder, 'extension.js'));
  return () =>
    new Promise((resolve) => {
      const module: unknown = load('./providers.js');
      if (!isProvidersModule(module))
        throw new Error(
          `${join(folder, 'providers.js')} is not the providers bundle of this version. Install the extension again.`,
        );
      resolve(module.createTransports());
    });
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isProvidersModule(module: unknown): module is typeof providers {
  return (
    typeof module === 'object' &&
    module !== null &&
    'createTransports' in module &&
    typeof module.createTransports === 'function'
  );
}
