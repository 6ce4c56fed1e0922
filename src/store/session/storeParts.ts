import type { SqlDatabase } from '../engine/sqlDatabase';
import { MetaTable } from './tables/metaTable';
import { MessageSearch } from './queries/messageSearch';
import { SearchIndex } from './tables/searchIndex';
import { OutboxTable } from './tables/outboxTable';
import { ActiveRows } from './tables/activeRows';
import { ApprovalTable } from './tables/approvalTable';
import { Branching } from './operations/branching';
import { BranchTree } from './queries/branchTree';
import { SegmentCompression } from './operations/segmentCompression';
import { FileChangeTable } from './tables/fileChangeTable';
import { Forgetting } from './operations/forgetting';
import { JoinedPrompts } from './operations/joinedPrompts';
import { MessageTable } from './tables/messageTable';
import { QueuedPrompts } from './operations/queuedPrompts';
import { PromptVersionTable } from './operations/promptVersions';
import { Rewinding } from './operations/rewinding';
import { SpendingTable } from './operations/spending';
import { SessionFinder } from './queries/sessionFinder';
import { SessionList } from './queries/sessionList';
import { SessionMarks } from './operations/sessionMarks';
import { SessionTable } from './tables/sessionTable';
import { RawRows } from './queries/rawRows';
import { RowSteps } from './operations/repair/rowSteps';
import { SessionRepair } from './operations/repair/sessionRepair';
import { SessionSteps } from './operations/repair/sessionSteps';
import { RangeHiding } from './operations/rangeHiding';
import { ForeignImport } from './import/foreignImport';
import { EarlierSpills } from './import/earlierSpill';
import { Titling } from './operations/titling';
import { TranscriptReading } from './queries/transcriptReading';
import { TranscriptRewriting } from './operations/transcriptRewriting';
import { TurnClosing } from './operations/turnClosing';
import { TurnLifecycle } from './operations/turnLifecycle';
import { TurnTable } from './tables/turnTable';
import { WireTextTable } from './tables/wireTextTable';

export type DbOperations = ReturnType<typeof createDbOperations>;

/** Creates the tables and operations of a `SessionDb` over one database. `now`: seconds since the epoch. */
export function createDbOperations(database: SqlDatabase, now: () => number) {
  const sessions = new SessionTable(database, now);
  const messages = new MessageTable(database, now);
  const turns = new TurnTable(database);
  const spending = new SpendingTable(database, sessions);
  const approvals = new ApprovalTable(database, sessions, turns);
  const closing = new TurnClosing(database, messages);
  const reading = new TranscriptReading(database, sessions, messages);
  const rewriting = new TranscriptRewriting(sessions, messages, turns, reading);
  const compression = new SegmentCompression(database, sessions, messages, turns, reading);
  const rows = new ActiveRows(database, messages);
  const ranges = new RangeHiding(database, sessions, rows);
  const versions = new PromptVersionTable(
    database,
    sessions,
    messages,
    turns,
    rows,
    new JoinedPrompts(database, messages, rows),
    ranges,
  );
  const queuedPrompts = new QueuedPrompts(database, sessions);
  const turnLifecycle = new TurnLifecycle(
    database,
    sessions,
    messages,
    turns,
    closing,
    rows,
    versions,
    queuedPrompts,
    ranges,
  );
  const list = new SessionList(database);
  const finder = new SessionFinder(database, sessions, list);
  const marks = new SessionMarks(database, sessions, turns);
  const tree = new BranchTree(database, sessions);
  const titling = new Titling(database, sessions, tree);
  const foreignImport = new ForeignImport(database, sessions, titling, now);
  const branching = new Branching(database, sessions, messages, turns, rows, closing, titling);
  const rewinding = new Rewinding(sessions, turns, rows, ranges);
  const files = new FileChangeTable(database);
  const index = new SearchIndex(database);
  const stored = new RawRows(database, sessions, messages, files);
  const forgetting = new Forgetting(database, sessions, list, turns, files, index);
  const outbox = new OutboxTable(database);
  const wireTexts = new WireTextTable(database);
  const earlierSpills = new EarlierSpills(database, messages, turns, turnLifecycle, rewriting, now);
  const repair = new SessionRepair(
    database,
    new RowSteps(database, messages),
    new SessionSteps(database, sessions, turns, closing, rewriting, index),
  );
  const meta = new MetaTable(database);
  const messageSearch = new MessageSearch(database, messages, now);
  return {
    sessions,
    list,
    finder,
    marks,
    tree,
    titling,
    branching,
    rewinding,
    ranges,
    versions,
    files,
    stored,
    forgetting,
    messages,
    turns,
    approvals,
    spending,
    turnLifecycle,
    closing,
    reading,
    rewriting,
    compression,
    earlierSpills,
    foreignImport,
    queuedPrompts,
    outbox,
    wireTexts,
    index,
    messageSearch,
    meta,
    repair,
  };
}
