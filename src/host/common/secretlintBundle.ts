import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as secretlint from '../../models/secretlint/index';
import type { FindSecrets } from '../../models/secrecy/secretRules';

/** Loads `dist/secretlint.js` when a text is masked: a window should come up without it. */
export function secretlintBundle(folder: string): () => FindSecrets {
  const load = createRequire(join(folder, 'extension.js'));
  return () => {
    const module: unknown = load('./secretlint.js');
    if (!isSecretlintModule(module))
      throw new Error(
        `${join(folder, 'secretlint.js')} is not the secretlint bundle of this version. Install the extension again.`,
      );
    return module.findSecrets;
  };
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isSecretlintModule(module: unknown): module is typeof secretlint {
  return (
    typeof module === 'object' && module !== null && 'findSecrets' in module && typeof module.findSecrets === 'function'
  );
}
