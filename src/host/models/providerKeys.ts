import type { SecretStorage } from 'vscode';
import { knownKeys } from '../../models/secrecy/secrecy';

/** The part of the editor's secret storage that keys need. */
export type Secrets = Pick<SecretStorage, 'get' | 'store' | 'delete'>;

/** API keys in the editor's secret storage. A key belongs to the provider's name and the origin it was entered for: when a setting moves the
 *  provider to another address, the key does not go with it. From when it is read or set it is masked by its value. */
export class ProviderKeys {
  constructor(private readonly secrets: Secrets) {}

  async get(provider: string, origin: string): Promise<string | undefined> {
    const key = await this.secrets.get(secretName(provider, origin));
    if (key !== undefined) knownKeys.add(key);
    return key;
  }

  /** Keeps a key as it was pasted, without the spaces and line ends that come with pasting. */
  async set(provider: string, origin: string, key: string): Promise<void> {
    knownKeys.add(key.trim());
    await this.secrets.store(secretName(provider, origin), key.trim());
  }

  async delete(provider: string, origin: string): Promise<void> {
    await this.secrets.delete(secretName(provider, origin));
  }
}

/** `origin` is an endpoint's or a whole URL of it; only scheme, host and port count. Throws for what is not a URL. */
export function secretName(provider: string, origin: string): string {
  return `key ${new URL(origin).origin} ${provider}`;
}
