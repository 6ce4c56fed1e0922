import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import { parseConnectionString } from '../../sync/postgres/connectionString';
import type { DescriptionServer } from '../../sync/sealing/keyDescription';
import { describeKey, orderOf } from '../../sync/sealing/sealDescription';
import { SealError } from '../../sync/sealing/sealError';
import type { PostgresServer, PostgresServerDeps } from '../../sync/postgres/postgresServer';
import { askNewPassphrase, showRecoveryKey } from './sealQuestions';
import type { SyncMemory } from './syncMemory';
import type { ChosenSync } from './syncSetup';

interface HistorySealsDeps {
  readonly memory: Pick<
    SyncMemory,
    'choice' | 'connection' | 'sealKey' | 'keepSealKey' | 'sealDescription' | 'keepSealDescription'
  >;
  readonly open: (deps: PostgresServerDeps) => DescriptionServer & Pick<PostgresServer, 'dispose'>;
}

/** Keys of encrypted histories: here in the editor's secret storage, and on the server as what a passphrase opens. */
export class HistorySeals {
  constructor(private readonly deps: HistorySealsDeps) {}

  /** Stores the key that the user chose. Throws `invalid` when another machine has begun to encrypt the history
   *  meanwhile: its key is another one. */
  async keep({ address, history, seal }: ChosenSync): Promise<void> {
    if (seal.key === null) return;
    if (seal.description !== null) {
      const server = this.deps.open({ address, history: history.key });
      try {
        if ((await server.keepSeal(seal.description)) !== seal.description)
          throw new GatewayError(
            'invalid',
            t('Another machine began to encrypt this history just now. Set up sync again.'),
          );
      } finally {
        void server.dispose();
      }
    }
    await this.deps.memory.keepSealKey(history.key, seal.key);
    if (seal.description !== null) await this.deps.memory.keepSealDescription(history.key, seal.description);
  }

  /** Asks for another passphrase. The key stays the same: machines that have it need nothing. Throws a `SealError`,
   *  changedMeanwhile, when another machine was first. */
  async changePassphrase(): Promise<void> {
    const { memory } = this.deps;
    const [choice, text] = [await memory.choice(), await memory.connection()];
    const key = choice === null ? null : await memory.sealKey(choice.history);
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
      if (!isDone) throw new SealError({ kind: 'changedMeanwhile' });
      await memory.keepSealDescription(choice.history, next);
    } finally {
      void server.dispose();
    }
  }

  /** Shows the recovery key of the history that is synchronized here. */
  async showKey(): Promise<void> {
    const { memory } = this.deps;
    const [choice, text] = [await memory.choice(), await memory.connection()];
    const key = choice === null ? null : await memory.sealKey(choice.history);
    if (choice === null || text === null || key === null) return;
    const { host, database } = parseConnectionString(text);
    await showRecoveryKey({ host, database, history: choice.name, key });
  }
}
