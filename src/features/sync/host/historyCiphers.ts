import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import { parseConnectionString } from '../core/postgres/connectionString';
import type { DescriptionServer } from '../core/encryption/keyDescription';
import { describeKey, orderOf } from '../core/encryption/cipherDescription';
import { EncryptionError } from '../core/encryption/encryptionError';
import type { PostgresServer, PostgresServerDeps } from '../core/postgres/postgresServer';
import { askNewPassphrase, showRecoveryKey } from './cipherQuestions';
import type { SyncMemory } from './syncMemory';
import type { ChosenSync } from './syncSetup';

interface HistoryCiphersDeps {
  readonly memory: Pick<
    SyncMemory,
    'choice' | 'connection' | 'cipherKey' | 'keepCipherKey' | 'sealDescription' | 'keepSealDescription'
  >;
  readonly open: (deps: PostgresServerDeps) => DescriptionServer & Pick<PostgresServer, 'dispose'>;
}

/** Keys of encrypted histories: here in the editor's secret storage, and on the server as what a passphrase opens. */
export class HistoryCiphers {
  constructor(private readonly deps: HistoryCiphersDeps) {}

  /** Stores the key that the user chose. Throws `invalid` when another machine has begun to encrypt the history
   *  meanwhile: its key is another one. */
  async keep({ address, history, cipher }: ChosenSync): Promise<void> {
    if (cipher.key === null) return;
    if (cipher.description !== null) {
      const server = this.deps.open({ address, history: history.key });
      try {
        if ((await server.keepSeal(cipher.description)) !== cipher.description)
          throw new GatewayError(
            'invalid',
            t('Another machine began to encrypt this history just now. Set up sync again.'),
          );
      } finally {
        void server.dispose();
      }
    }
    await this.deps.memory.keepCipherKey(history.key, cipher.key);
    if (cipher.description !== null) await this.deps.memory.keepSealDescription(history.key, cipher.description);
  }

  /** Asks for another passphrase. The key stays the same: machines that have it need nothing. Throws an
   *  `EncryptionError`, changedMeanwhile, when another machine was first. */
  async changePassphrase(): Promise<void> {
    const { memory } = this.deps;
    const [choice, text] = [await memory.choice(), await memory.connection()];
    const key = choice === null ? null : await memory.cipherKey(choice.history);
    if (choice === null || text === null || key === null) return;
    const passphrase = await askNewPassphrase();
    if (passphrase === null) return;
    const server = this.deps.open({ address: parseConnectionString(text), history: choice.history });
    try {
      const there = await server.sealDescription();
      const known = [there, await memory.sealDescription(choice.history)].filter((one) => one !== null);
      const orders = await Promise.all(known.map((one) => orderOf(one, key)));
      const next = await describeKey(key, passphrase, { order: 1 + Math.max(0, ...orders.map((order) => order ?? 0)) });
      const isDone = there === null ? (await server.keepSeal(next)) === next : await server.changeSeal(there, next);
      if (!isDone) throw new EncryptionError({ kind: 'changedMeanwhile' });
      await memory.keepSealDescription(choice.history, next);
    } finally {
      void server.dispose();
    }
  }

  /** Shows the recovery key of the history that is synchronized here. */
  async showKey(): Promise<void> {
    const { memory } = this.deps;
    const [choice, text] = [await memory.choice(), await memory.connection()];
    const key = choice === null ? null : await memory.cipherKey(choice.history);
    if (choice === null || text === null || key === null) return;
    const { host, database } = parseConnectionString(text);
    await showRecoveryKey({ host, database, history: choice.name, key });
  }
}
