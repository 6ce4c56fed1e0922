import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as hindsight from '../../memory/hindsight/client/index';
import type { CreateHindsightApi } from '../../memory/hindsight/hindsightApi';

/** Loads `dist/hindsight.js` when a server is first asked: a window without one should not pay for the client. */
export function hindsightBundle(folder: string): () => CreateHindsightApi {
  const load = createRequire(join(folder, 'extension.js'));
  return () => {
    const module: unknown = load('./hindsight.js');
    if (!isHindsightModule(module))
      throw new Error(
        `${join(folder, 'hindsight.js')} is not the Hindsight bundle of this version. Install the extension again.`,
      );
    return module.createHindsightApi;
  };
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isHindsightModule(module: unknown): module is typeof hindsight {
  return (
    typeof module === 'object' &&
    module !== null &&
    'createHindsightApi' in module &&
    typeof module.createHindsightApi === 'function'
  );
}
