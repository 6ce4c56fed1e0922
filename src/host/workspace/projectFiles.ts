import * as vscode from 'vscode';
import { missingTools } from '../../agent/project/agentFiles';
import { layouts } from '../../agent/project/agentFolder';
import type { HookFile } from '../../agent/project/hookFiles';
import type { PersonalPlaces } from '../../agent/project/personalPlaces';
import {
  invocable,
  joined,
  noProject,
  type ProjectContext,
  readPersonal,
  readProject,
} from '../../agent/project/projectContext';
import { contextFiles } from '../../agent/project/projectPrompt';
import type { Clock } from '../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { withinTime } from '../../base/pause';
import { errorMessage } from '../../base/errorMessage';
import type { OfferedPrompt } from '../../protocol/chatProtocol';
import type { FileModel } from '../../models/catalog/fileModels';
import type { OfferedAgent } from '../../protocol/composerProtocol';
import type { ReadDenials } from '../../tools/secretFiles';
import { type ContextFiles, type PersonalGroup, personalGroups } from '../../transcript/contextFiles';
import type { SettingsWatcher } from '../settings/settingsWatcher';

interface ProjectFilesDeps extends ReadDenials {
  readonly personal: PersonalPlaces;
  readonly settings: Pick<SettingsWatcher, 'current' | 'onDidChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Files whose change may change the project's rules, prompt files and skills. */
const watched = [
  '**/{.hermes.md,AGENTS.md,AGENT.md,CLAUDE.md,CLAUDE.local.md,GEMINI.md}',
  '**/{.cursorrules,.windsurfrules,.clinerules,.rules}',
  '**/.github/{copilot-instructions.md,instructions/**,prompts/**,skills/**,agents/**,hooks/**}',
  '**/.claude/{settings.json,settings.local.json,rules/**,commands/**,skills/**,agents/**}',
  '**/{.cursor/rules,.windsurf/rules,.clinerules,.agents/skills,.opencode/agent,.opencode/agents}/**',
];

/** Debounce in milliseconds: changes come in bursts (a checkout, a save of several files). */
const quietMs = 400;
/** Milliseconds that the first prompt of a window waits for the project's files. */
const readyTimeoutMs = 3000;

/** Rules, prompt files and skills of the open folders and of the user, read when the window opens and again when one of
 *  the files changes. An untrusted folder provides none. */
export class ProjectFiles implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private context: ProjectContext = noProject;
  private known = JSON.stringify(noProject);
  private reading = new AbortController();
  private cancelRead: () => void = () => undefined;
  private latest: Promise<void>;
  private hooksRead: Promise<ProjectContext>;
  /** What each read has found last: a slow or failed one holds up none of the others. */
  private readonly parts = { project: noProject, own: noProject, hooks: noProject };
  private changed = 0;
  private groups: readonly PersonalGroup[];
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: ProjectFilesDeps) {
    for (const pattern of watched) {
      const watcher = this.lifetime.register(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        this.lifetime.register(event(() => this.readSoon()));
    }
    this.groups = deps.settings.current.personalFiles;
    this.watchPersonal();
    this.lifetime.register(deps.settings.onDidChange(() => this.followSetting()));
    this.lifetime.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.readNow()));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.readNow()));
    this.hooksRead = this.readHooks();
    this.latest = this.read();
  }

  get current(): ProjectContext {
    return this.context;
  }

  /** The files that are part of every request. */
  get inContext(): ContextFiles {
    return { files: contextFiles(this.context), left: this.context.left };
  }

  /** Prompt files, skills and agents, as the composer offers them. */
  get offered(): readonly OfferedPrompt[] {
    return invocable(this.context).map(({ name, description, argumentHint, kind }) => ({
      name,
      description,
      argumentHint,
      ...(kind === undefined ? {} : { kind }),
    }));
  }

  /** Agents that the user can choose for a session. `modelOf`: what becomes of the models that a file names; null while
   *  it is not known. */
  agents(modelOf: (names: readonly string[]) => FileModel | null): readonly OfferedAgent[] {
    const all = this.context.agents.filter(({ forSessions }) => forSessions);
    return all.map(({ name, description, handoffs, models, ...file }) => ({
      name,
      description,
      missingTools: missingTools(file),
      missingModel: sentenceOf(modelOf(models)),
      // One to an agent that is not there leads nowhere.
      handoffs: handoffs.filter(({ agent }) => agent === null || all.some((other) => other.name === agent)),
    }));
  }

  /** Changes when the project's content changes: agents created before are out of date. */
  get version(): number {
    return this.changed;
  }

  /** Resolves once the latest read is done, or after `readyTimeoutMs`. Never rejects. */
  async ready(): Promise<void> {
    await withinTime(this.deps.clock, readyTimeoutMs, this.latest);
  }

  /** Resolves with the files that may define hooks as soon as these were read, however long that takes. Rejects when
   *  they can't be read, and reads them again the next time. */
  async hookFiles(): Promise<readonly HookFile[]> {
    return (await this.hooksRead.catch(() => (this.hooksRead = this.readHooks()))).hooks;
  }

  dispose(): void {
    this.cancelRead();
    this.reading.abort();
    this.lifetime.dispose();
  }

  /** Only what is read: the folders of the tools also hold their histories. */
  private watchPersonal(): void {
    for (const group of personalGroups) {
      const folder = vscode.Uri.file(this.deps.personal.folders[group]);
      const { rules, prompts, skills, agents, hooks } = layouts[group];
      const patterns = [
        ...rules,
        ...hooks.files,
        ...[...prompts.map(({ folder: from }) => from), ...agents].map((each) => `${each}/*`),
        ...[...skills, ...hooks.folders].map((each) => `${each}/**`),
      ];
      for (const pattern of patterns) {
        const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, pattern));
        this.lifetime.register(watcher);
        for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
          this.lifetime.register(event(() => this.readSoon()));
      }
    }
  }

  private followSetting(): void {
    const groups = this.deps.settings.current.personalFiles;
    if (groups.join() === this.groups.join()) return;
    this.groups = groups;
    this.readNow();
  }

  private readSoon(): void {
    this.cancelRead();
    this.cancelRead = this.deps.clock.after(quietMs, () => this.readNow());
  }

  private readNow(): void {
    this.hooksRead = this.readHooks();
    this.latest = this.read();
  }

  private async readHooks(): Promise<ProjectContext> {
    const { signal } = new AbortController();
    const read = await Promise.all([this.readFolders('hooks', signal), this.readOwn('hooks', signal)]);
    return joined(read);
  }

  private async read(): Promise<void> {
    this.reading.abort();
    const { signal } = (this.reading = new AbortController());
    await Promise.all([
      this.readPart('hooks', this.hooksRead, signal),
      this.readPart('own', this.readOwn('others', signal), signal),
      this.readPart('project', this.readFolders('others', signal), signal),
    ]);
  }

  private async readPart(
    part: keyof typeof this.parts,
    read: Promise<ProjectContext>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const found = await read;
      if (signal.aborted) return;
      this.parts[part] = found;
      const { project, own, hooks } = this.parts;
      this.take(joined([project, own, hooks]));
    } catch (error) {
      if (!signal.aborted) this.deps.log.warn(`Files for agents could not be read (${part}): ${errorMessage(error)}`);
    }
  }

  private async readFolders(wanted: 'hooks' | 'others', signal: AbortSignal): Promise<ProjectContext> {
    return vscode.workspace.isTrusted ? readProject(this.deps, wanted, signal) : noProject;
  }

  private async readOwn(wanted: 'hooks' | 'others', signal: AbortSignal): Promise<ProjectContext> {
    return readPersonal(this.deps, { places: this.deps.personal, groups: this.groups }, wanted, signal);
  }

  private take(context: ProjectContext): void {
    const text = JSON.stringify(context);
    if (text === this.known) return;
    this.known = text;
    this.context = context;
    this.changed++;
    const { rules, prompts, skills, left } = context;
    this.deps.log.info(
      `The open folder and the user have ${rules.length} files of rules, ${prompts.length} prompt files and ` +
        `${skills.length} skills.`,
    );
    for (const { path, reason } of left) this.deps.log.warn(`${path} was not read (${reason}).`);
    this.changes.fire();
  }
}

function sentenceOf(model: FileModel | null): string | null {
  return model?.kind === 'missing' ? model.sentence : null;
}
