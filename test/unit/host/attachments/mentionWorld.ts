import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import * as path from 'node:path';
import { type Clock, systemClock } from '../../../../src/base/clock';
import { FileNames } from '../../../../src/host/attachments/fileNames';
import type { MentionDeps, Selection, TerminalText } from '../../../../src/host/attachments/mentionDeps';
import { MentionReading } from '../../../../src/host/attachments/mentionReading';
import { MentionSearch } from '../../../../src/host/attachments/mentionSearch';
import type { MentionableSessions } from '../../../../src/host/attachments/sessionMention';
import { AccessPaths } from '../../../../src/tools/accessPaths';
import type { CodeSymbol, Problem } from '../../../../src/tools/knowledge/editorKnowledge';
import { gitCommand } from '../../../../src/tools/knowledge/git/gitCommand';
import { WorkspacePaths } from '../../../../src/tools/workspacePaths';
import type { SentPart } from '../../../../src/transcript/draftPart';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { RecordingLog } from '../recordingLog';

/** A real folder on disk with an editor around it that the test describes. */
export class MentionWorld {
  readonly home = mkdtempSync(path.join(tmpdir(), 'hermes-mentions-'));
  readonly folder = path.join(this.home, 'w');
  readonly log = new RecordingLog();
  open: string[] = [];
  problems: Problem[] = [];
  symbols: CodeSymbol[] | null = [];
  selection: Selection | null = null;
  terminal: TerminalText | null = null;
  isTrusted = true;
  lists = 0;
  /** Held before a list of files is given. */
  listing: Promise<void> = Promise.resolve();
  readonly names: FileNames;
  /** How many times longer than in the product a search waits for what is late: a busy machine may take that long
   *  to list six files. */
  patience = 20;
  private readonly clock: Clock = {
    ...systemClock,
    after: (delayMs, callback) => systemClock.after(delayMs * this.patience, callback),
  };
  readonly search: MentionSearch;
  readonly reading: MentionReading;
  readonly places: MentionDeps;

  constructor(files: Readonly<Record<string, string | Uint8Array>>, sessions: Partial<MentionableSessions> = {}) {
    mkdirSync(this.folder);
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    const onDisk = new FolderOnDisk([{ name: 'w', path: this.folder }]);
    const paths = new WorkspacePaths(onDisk);
    this.names = new FileNames(async () => {
      this.lists++;
      await this.listing;
      const found = await onDisk.findFiles(
        { pattern: '**/*', order: 'name', maxFiles: 50_000 },
        new AbortController().signal,
      );
      return { paths: found.paths.map((file) => paths.display(file)), limited: found.limited };
    }, this.log);
    this.places = {
      files: onDisk,
      paths,
      names: this.names,
      clock: this.clock,
      access: new AccessPaths(onDisk),
      knowledge: {
        problems: (file) => this.problems.filter((problem) => file === null || problem.path === file),
        documentSymbols: async (file) => this.symbols?.filter(({ place }) => place.path === file) ?? null,
        workspaceSymbols: async (query) =>
          (this.symbols ?? []).filter(({ name }) => name.toLowerCase().includes(query)),
        openEditors: () => ({
          editors: this.open.map((name, index) => ({
            path: path.join(this.folder, name),
            isFile: true,
            isActive: index === 0,
            hasUnsavedChanges: false,
          })),
          selection: null,
        }),
      },
      selection: () => this.selection,
      terminal: async () => this.terminal,
      hasTerminal: () => this.terminal !== null,
      git: {
        git: gitCommand({ executable: () => 'git', startIn: homedir(), environment: process.env }),
        roots: () => onDisk.roots(),
        isTrusted: () => this.isTrusted,
      },
      sessions: {
        listSessions: async () => [],
        getSession: async () => null,
        conversationTip: async (id) => id,
        readTranscript: async () => ({ messages: [], turns: [], versions: [], hasEarlier: false, later: 0, total: 0 }),
        ...sessions,
      },
      servers: () => null,
    };
    this.search = new MentionSearch(this.places);
    this.reading = new MentionReading(this.places, (file) => this.search.isTypedInFull(file));
  }

  write(name: string, content: string | Uint8Array): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  git(...args: readonly string[]): void {
    execFileSync(
      'git',
      [
        '-c',
        'user.name=A',
        '-c',
        'user.email=a@example.com',
        '-c',
        'commit.gpgsign=false',
        '-c',
        'init.defaultBranch=main',
        ...args,
      ],
      { cwd: this.folder, stdio: 'ignore' },
    );
  }

  /** The source of a commit, asked for until git has answered. */
  async commit(word: string): Promise<string> {
    for (;;) {
      const found = (await this.found(`git: ${word}`)).find((source) => /^git:[0-9a-f]+$/.test(source));
      if (found !== undefined) return found;
    }
  }

  /** Resolves once the folder is known to be a repository. */
  async repository(): Promise<void> {
    while (!(await this.found('git')).includes('git:diff'));
  }

  symbol(name: string, file: string, line: number, endLine: number): CodeSymbol {
    return {
      name,
      kind: 'function',
      place: { path: path.join(this.folder, file), line, column: 1 },
      endLine,
      container: '',
      children: [],
    };
  }

  problem(file: string, line: number, severity: Problem['severity'], message: string): Problem {
    return { path: path.join(this.folder, file), line, column: 1, severity, message, source: 'ts' };
  }

  async found(text: string, limit = 10, signal = new AbortController().signal): Promise<readonly string[]> {
    return (await this.search.search(text, limit, signal)).mentions.map(({ source }) => source);
  }

  /** What is read of a source, or the sentence that says why not. */
  async read(source: string, label = source): Promise<SentPart | string> {
    return this.reading
      .read({ kind: 'mention', source, label })
      .catch((error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
