import type { SecretStorage } from 'vscode';
import { knownKeys } from '../../models/secrecy/secrecy';

/** The used part of the editor's secret storage. */
export type Secrets = Pick<SecretStorage, 'get' | 'store' | 'delete'>;

/** API keys in the editor's secret storage. A key belongs to the provider's name and the origin it was entered for:
 *  if a setting moves the provider to another address, the key does not follow. Masks a key's value in logs from its
 *  first read or write. */
export class ProviderKeys {
  constructor(private readonly secrets: Secrets) {}

  async get(provider: string, origin: string): Promise<string | undefined> {
    const key = await this.secrets.get(secretName(provider, origin));
    if (key !== undefined) knownKeys.add(key);
    return key;
  }

  /** Stores a pasted key without surrounding spaces and line breaks. */
  async set(provider: string, origin: string, key: string): Promise<void> {
    knownKeys.add(key.trim());
    await this.secrets.store(secretName(provider, origin), key.trim());
  }

  async delete(provider: string, origin: string): Promise<void> {
    await this.secrets.delete(secretName(provider, origin));
  }
}

/** `origin`: an endpoint's origin or any URL of it; only scheme, host and port count. Throws when it is not a URL. */
function secretName(provider: string, origin: string): string {
  return `key ${new URL(origin).origin} ${provider}`;
}
