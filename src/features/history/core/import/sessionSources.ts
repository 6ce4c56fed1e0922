import { ChosenFiles } from './chosenFiles';
import { chatFileSource } from '../sources/chatFiles/chatFileSource';
import { claudeSource } from '../sources/claude/claudeSource';
import { clineSource } from '../sources/cline/clineSource';
import { codexSource } from '../sources/codex/codexSource';
import { geminiSource } from '../sources/gemini/geminiSource';
import { hermesSource } from '../sources/hermes/hermesSource';
import { OpencodeSource } from '../sources/opencode/opencodeSource';
import { piSource } from '../sources/pi/piSource';
import { qwenSource } from '../sources/qwen/qwenSource';
import { vscodeChatSource } from '../sources/vscodeChat/vscodeChatSource';
import type { HistorySource } from '../sources/historySource';
import type { ForeignDatabase, OpenForeignDatabase } from '../sources/reading/foreignDatabase';
import type { HistoryFiles } from '../sources/reading/historyFiles';
import type { SourceName } from '../../../../transcript/sourceTitles';

/** All readers. `readerOf` finds the one for a session. */
export interface SessionSources {
  /** Readers of agents that keep their sessions in places of their own. */
  readonly agents: readonly HistorySource[];
  readonly chosen: ChosenFiles;
  readerOf(source: SourceName): HistorySource;
}

export function sessionSources(files: HistoryFiles, open: OpenForeignDatabase): SessionSources {
  const chats = chatFileSource(files);
  const readers = {
    claudeCode: claudeSource(files),
    codex: codexSource(files),
    hermes: hermesSource(files, open),
    opencode: new OpencodeSource(files, open),
    pi: piSource(files),
    cline: clineSource(files),
    vscodeChat: vscodeChatSource(files),
    gemini: geminiSource(files),
    qwen: qwenSource(files),
    openai: chats,
    shareGpt: chats,
    chatGpt: chats,
    claudeAi: chats,
  } as const satisfies { readonly [S in SourceName]: HistorySource };
  const readerOf = (source: SourceName): HistorySource => readers[source];
  const agents = Object.values(readers).filter((reader) => reader !== chats);
  return { agents, chosen: new ChosenFiles(files, open, readerOf), readerOf };
}

/** Keeps the private copy of a database open while its sessions are read one after another: a copy of a large
 *  database for each session would take longer than reading it. */
export class SharedDatabases {
  private readonly opened = new Map<string, Promise<ForeignDatabase>>();

  constructor(private readonly openOne: OpenForeignDatabase) {}

  readonly open: OpenForeignDatabase = async (path) => {
    const known = this.opened.get(path) ?? this.openOne(path);
    this.opened.set(path, known);
    const database = await known;
    return { iterate: (sql, params) => database.iterate(sql, params), close: () => undefined };
  };

  /** Closes all databases, which removes their copies. */
  async close(): Promise<void> {
    const opened = [...this.opened.values()];
    this.opened.clear();
    for (const one of await Promise.allSettled(opened)) if (one.status === 'fulfilled') one.value.close();
  }
}
