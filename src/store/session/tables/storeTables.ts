import type { SqlDatabase } from '../../engine/sqlDatabase';
import { SessionTable } from './sessionTable';
import { MessageTable } from './messageTable';
import { TurnTable } from './turnTable';
import { ApprovalTable } from './approvalTable';
import { FileChangeTable } from './fileChangeTable';
import { OutboxTable } from './outboxTable';
import { WireTextTable } from './wireTextTable';
import { MetaTable } from './metaTable';
import { ActiveRows } from './activeRows';
import { SearchIndex } from './searchIndex';

/** The tables of a store. `now`: seconds since the epoch. */
export class StoreTables {
  readonly sessions = new SessionTable(this);
  readonly messages = new MessageTable(this);
  readonly turns = new TurnTable(this);
  readonly approvals = new ApprovalTable(this);
  readonly files = new FileChangeTable(this);
  readonly outbox = new OutboxTable(this);
  readonly wireTexts = new WireTextTable(this);
  readonly meta = new MetaTable(this);
  readonly rows = new ActiveRows(this);
  readonly index: SearchIndex;

  constructor(
    readonly database: SqlDatabase,
    readonly now: () => number,
  ) {
    this.index = new SearchIndex(database);
  }
}
