import type { SqlDatabase } from '../engine/sqlDatabase';
import { MessageSearch } from '../search/messageSearch';
import { SearchIndex } from '../search/searchIndex';
import { OutboxTable } from '../outbox/outboxTable';
import { ActiveRows } from './activeRows';
import { ApprovalTable } from './approvalTable';
import { Branching } from './branching';
import { BranchTree } from './branchTree';
import { Compression } from './compression';
import { FileChangeTable } from './fileChangeTable';
import { Forgetting } from './forgetting';
import { MessageTable } from './messageTable';
import { PromptQueue } from './promptQueue';
import { VersionsOfPrompts } from './promptVersions';
import { Rewinding } from './rewinding';
import { SessionEffort } from './sessionEffort';
import { SessionFinder } from './sessionFinder';
import { SessionList } from './sessionList';
import { SessionMarks } from './sessionMarks';
import { SessionTable } from './sessionTable';
import { StoredRows } from './storedRows';
import { SpillFolding } from './spillFolding';
import { Titling } from './titling';
import { TranscriptReading } from './transcriptReading';
import { TranscriptRewriting } from './transcriptRewriting';
import { TurnClosing } from './turnClosing';
import { TurnLife } from './turnLife';
import { TurnTable } from './turnTable';
import { WireTextTable } from './wireTextTable';

export type Rooms = ReturnType<typeof roomsOver>;

/** What a `SessionDb` is made of, over one database. `now`: seconds since the epoch. */
export function roomsOver(database: SqlDatabase, now: () => number) {
  const sessions = new SessionTable(database);
  const messages = new MessageTable(database, now);
  const turns = new TurnTable(database);
  const effort = new SessionEffort(database, sessions);
  const approvals = new ApprovalTable(database, sessions, turns);
  const closing = new TurnClosing(database, messages);
  const reading = new TranscriptReading(database, sessions, messages);
  const rewriting = new TranscriptRewriting(sessions, messages, turns, reading);
  const compression = new Compression(database, sessions, messages, turns, reading);
  const rows = new ActiveRows(database, messages);
  const versions = new VersionsOfPrompts(database, sessions, messages, turns, rows, rewriting);
  const life = new TurnLife(database, sessions, messages, turns, closing, rows, versions);
  const list = new SessionList(database);
  const finder = new SessionFinder(database, sessions, list);
  const marks = new SessionMarks(database, sessions, turns);
  const tree = new BranchTree(database, sessions);
  const titling = new Titling(database, sessions, tree);
  const branching = new Branching(database, sessions, messages, turns, reading, rows, closing, titling);
  const rewinding = new Rewinding(sessions, messages, turns, rows);
  const files = new FileChangeTable(database);
  const stored = new StoredRows(database, sessions, messages, files);
  const forgetting = new Forgetting(database, sessions, list, files);
  const outbox = new OutboxTable(database);
  const wireTexts = new WireTextTable(database);
  const folding = new SpillFolding(database, sessions, messages, turns, life, rewriting, now);
  const prompts = new PromptQueue(database, sessions);
  const index = new SearchIndex(database);
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
    versions,
    files,
    stored,
    forgetting,
    messages,
    turns,
    approvals,
    effort,
    life,
    closing,
    reading,
    rewriting,
    compression,
    folding,
    prompts,
    outbox,
    wireTexts,
    index,
    messageSearch,
  };
}
