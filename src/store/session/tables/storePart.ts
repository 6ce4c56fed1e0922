import type { SqlDatabase } from '../../engine/sqlDatabase';
import type { MessageTable } from './messageTable';
import type { SessionTable } from './sessionTable';
import type { StoreTables } from './storeTables';
import type { TurnTable } from './turnTable';

/** A part of an open store: a table, a query, or an operation. It gets the other parts from the store, `S`, when it
 *  uses them. Its methods run inside their caller's transaction. */
export abstract class StorePart<S extends StoreTables = StoreTables> {
  constructor(protected readonly store: S) {}

  protected get database(): SqlDatabase {
    return this.store.database;
  }

  protected get sessions(): SessionTable {
    return this.store.sessions;
  }

  protected get messages(): MessageTable {
    return this.store.messages;
  }

  protected get turns(): TurnTable {
    return this.store.turns;
  }

  /** Seconds since the epoch. */
  protected now(): number {
    return this.store.now();
  }
}
