import { randomUUID } from 'node:crypto';
import { SyncRound } from '../../src/features/sync/core/syncRound';
import type { SyncServer } from '../../src/features/sync/core/syncServer';

type Deps = ConstructorParameters<typeof SyncRound>[0];

/** An exchange of a machine that holds no lease. `origin` is its name, too. */
export const roundOf = (
  db: { readonly synced: Deps['store'] },
  server: SyncServer,
  origin: string,
  more: Partial<Deps> = {},
): SyncRound =>
  new SyncRound({ store: db.synced, server, origin, machine: origin, newId: randomUUID, fenceOf: () => null, ...more });
