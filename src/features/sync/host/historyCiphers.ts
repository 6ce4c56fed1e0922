import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import { parseConnectionString } from '../core/postgres/connectionString';
import { describeKey, orderOf } from '../core/encryption/cipherDescription';
import { withServer } from '../core/syncServer';
import { EncryptionError } from '../core/encryption/encryptionError';
import type { PostgresServer, PostgresServerOptions } from '../core/postgres/postgresServer';
import { askNewPassphrase, showRecoveryKey } from './cipherQuestions';
import type { SyncMemory } from './syncMemory';
import type { ChosenSync } from './syncSetup';

/** Keys of encrypted histories: here in the editor's secret storage, and on the server as what a passphrase opens. */
export class HistoryCiphers {
  constructor(
    private readonly memory: SyncMemory,
    private readonly open: (options: PostgresServerOptions) => PostgresServer,
  ) {}

  /** Stores the key that the user chose. Throws `invalid` when another machine has begun to encrypt the history
   *  meanwhile: its key is another one. */
  async keep({ address, history, cipher }: ChosenSync): Promise<void> {
    const { key, description } = cipher;
    if (key === null) return;
    if (description !== null) {
      const kept = await withServer(this.open({ address, history: history.key }), (server) =>
        server.keepSeal(description),
      );
      if (kept !== description)
        throw new GatewayError(
          'invalid',
          t('Another machine began to encrypt this history just now. Set up sync again.'),
        );
    }
    await this.memory.keepCipherKey(history.key, key);
    if (description !== null) await this.memory.keepSealDescription(history.key, description);
  }

  /** Asks for another passphrase. The key stays the same: machines that have it need nothing. Throws an
   *  `EncryptionError`, changedMeanwhile, when another machine was first. */
  async changePassphrase(): Promise<void> {
    const present = await this.present();
    const passphrase = present === null ? null : await askNewPassphrase();
    if (present === null || passphrase === null) return;
    const { history, address, key } = present;
    await withServer(this.open({ address, history }), async (server) => {
      const there = await server.sealDescription();
      const known = [there, await this.memory.sealDescription(history)].filter((one) => one !== null);
      const orders = await Promise.all(known.map((one) => orderOf(one, key)));
      const next = await describeKey(key, passphrase, { order: 1 + Math.max(0, ...orders.map((order) => order ?? 0)) });
      const isDone = there === null ? (await server.keepSeal(next)) === next : await server.changeSeal(there, next);
      if (!isDone) throw new EncryptionError({ kind: 'changedMeanwhile' });
      await this.memory.keepSealDescription(history, next);
    });
  }

  /** Shows the recovery key of the history that is synchronized here. */
  async showKey(): Promise<void> {
    const present = await this.present();
    if (present === null) return;
    const { address, name, key } = present;
    await showRecoveryKey({ host: address.host, database: address.database, history: name, key });
  }

  /** The encrypted history that is synchronized here, its server and its key; null for none. */
  private async present() {
    const [choice, text] = [await this.memory.choice(), await this.memory.connection()];
    const key = choice === null ? null : await this.memory.cipherKey(choice.history);
    if (choice === null || text === null || key === null) return null;
    return { ...choice, address: parseConnectionString(text), key };
  }
}
