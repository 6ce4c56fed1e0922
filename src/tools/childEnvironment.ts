import { maskSecrets } from '../models/secrecy/secrecy';
import { isSecretVariable } from '../models/secrecy/secretTable';

/** Environment for a third-party process. Drops credentials and variables without a value. */
export function withoutCredentials(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !isSecretVariable(name) && maskSecrets(value) === value) kept[name] = value;
  return kept;
}
