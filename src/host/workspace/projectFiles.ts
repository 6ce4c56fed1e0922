import * as vscode from 'vscode';
import { noProject, type ProjectContext, readProject } from '../../agent/project/projectContext';
import type { Clock } from '../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { withinTime } from '../../base/pause';
import type { OfferedPrompt } from '../../protocol/chatProtocol';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';

export interface ProjectFilesNeeds {
  readonly files: WorkspaceFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** Files whose change may change the project's rules, prompt files and skills. */
const watched = [
  '**/{.hermes.md,AGENTS.md,AGENT.md,CLAUDE.md,GEMINI.md,.cursorrules,.windsurfrules,.clinerules,.rules}',
  '**/.github/{copilot-instructions.md,instructions/**,prompts/**,skills/**}',
  '**/.claude/{rules/**,commands/**,skills/**}',
  '**/{.cursor/rules,.windsurf/rules,.clinerules,.agents/skills}/**',
];

/** Debounce in milliseconds: changes come in bursts (a checkout, a save of several files). */
const restMs = 400;
/** Milliseconds that the first prompt of a window waits for the project's files. */
const readyPatienceMs = 3000;

/** Project rules, prompt files and skills of the open folders, read when the window opens and again when one of the
 *  files changes. An untrusted folder provides none. */
export class ProjectFiles implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private context: ProjectContext = noProject;
  private known = JSON.stringify(noProject);
  private reading = new AbortController();
  private cancelRest: () => void = () => undefined;
  private latest: Promise<void>;
  private changed = 0;
  readonly onDidChange = this.changes.event;

  constructor(private readonly needs: ProjectFilesNeeds) {
    for (const pattern of watched) {
      const watcher = this.lifetime.register(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        this.lifetime.register(event(() => this.readSoon()));
    }
    this.lifetime.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.readNow()));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.readNow()));
    this.latest = this.read();
  }

  get current(): ProjectContext {
    return this.context;
  }

  /** The project's prompt files, as the composer offers them. */
  get offered(): readonly OfferedPrompt[] {
    return this.context.prompts.map(({ name, description, argumentHint }) => ({ name, description, argumentHint }));
  }

  /** Changes when the project's content changes: agents created before are out of date. */
  get version(): number {
    return this.changed;
  }

  /** Resolves once the latest read is done, or after `readyPatienceMs`. Never rejects. */
  async ready(): Promise<void> {
    await withinTime(this.needs.clock, readyPatienceMs, this.latest);
  }

  dispose(): void {
    this.cancelRest();
    this.reading.abort();
    this.lifetime.dispose();
  }

  private readSoon(): void {
    this.cancelRest();
    this.cancelRest = this.needs.clock.after(restMs, () => this.readNow());
  }

  private readNow(): void {
    this.latest = this.read();
  }

  private async read(): Promise<void> {
    this.reading.abort();
    const reading = (this.reading = new AbortController());
    const { files, log } = this.needs;
    const unreadable = (what: string, error: unknown): void =>
      log.warn(`The ${what} could not be read: ${error instanceof Error ? error.message : String(error)}`);
    try {
      const context = vscode.workspace.isTrusted ? await readProject(files, reading.signal, unreadable) : noProject;
      if (!reading.signal.aborted) this.take(context);
    } catch (error) {
      if (!reading.signal.aborted) unreadable('files of the project', error);
    }
  }

  private take(context: ProjectContext): void {
    const text = JSON.stringify(context);
    if (text === this.known) return;
    this.known = text;
    this.context = context;
    this.changed++;
    const { rules, prompts, skills } = context;
    this.needs.log.info(
      `The open folder has ${rules.length} files of rules, ${prompts.length} prompt files and ${skills.length} skills.`,
    );
    this.changes.fire();
  }
}
