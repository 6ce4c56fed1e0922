import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as secretlint from '../../models/secretlint/index';
import type { FindSecrets } from '../../models/secrecy/secretRules';

/** Loads `dist/secretlint.js` when a text is first masked, so that the window starts without it. */
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

/** The file is our own, built together with this one; check only that it is complete. */
function isSecretlintModule(module: unknown): module is typeof secretlint {
  return (
    typeof module === 'object' && module !== null && 'findSecrets' in module && typeof module.findSecrets === 'function'
  );
}
