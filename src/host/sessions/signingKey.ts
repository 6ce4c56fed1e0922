import { generateKeyPairSync } from 'node:crypto';
import type * as vscode from 'vscode';

const secretName = 'hermes.exportSigningKey';

/** Ed25519 key, PEM, that signs the evidence of exports. It is made when first needed, and kept in secret storage. */
export class SigningKey {
  private made: Promise<string> | null = null;

  constructor(private readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store'>) {}

  get(): Promise<string> {
    return (this.made ??= this.readOrMake().catch((error: unknown) => {
      this.made = null;
      throw error;
    }));
  }

  private async readOrMake(): Promise<string> {
    const kept = await this.secrets.get(secretName);
    if (kept !== undefined) return kept;
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await this.secrets.store(secretName, key);
    // Another window may have stored its own meanwhile.
    return (await this.secrets.get(secretName)) ?? key;
  }
}
