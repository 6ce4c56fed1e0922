import { StoreTables } from '../tables/storeTables';
import { TranscriptReading } from './transcriptReading';
import { SessionList } from './sessionList';
import { SessionFinder } from './sessionFinder';
import { BranchTree } from './branchTree';
import { RawRows } from './rawRows';
import { MessageSearch } from './messageSearch';

/** The tables of a store, and what reads several of them. */
export class StoreQueries extends StoreTables {
  readonly reading = new TranscriptReading(this);
  readonly list = new SessionList(this.database);
  readonly finder = new SessionFinder(this);
  readonly tree = new BranchTree(this);
  readonly stored = new RawRows(this);
  readonly messageSearch = new MessageSearch(this);
}
