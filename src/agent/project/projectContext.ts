import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import type { AnyTool } from '../../tools/tool';
import { type ReadDenials, withheldFor } from '../../tools/secretFiles';
import { type WorkspaceRoot, FileNotFound, type WorkspaceFiles } from '../../tools/workspaceFiles';
import { type LeftFile, type PersonalGroup, type FileOrigin, leftSentence } from '../../transcript/contextFiles';
import { type AgentFile, readAgents } from './agentFiles';
import { type AgentFolder, layouts, mostEntries, type FolderLayout, largestFile, type Use } from './agentFolder';
import type { PersonalPlaces } from './personalPlaces';
import { type HookFile, readHookFiles } from './hookFiles';
import { commandName, type PromptFile, readPrompts } from './promptFiles';
import { readSkillTool, skillText } from './readSkillTool';
import { readRules, type RuleFile } from './ruleFiles';
import { readSkills, type Skill } from './skills';
import * as nodePath from 'node:path';
import { join } from 'node:path';
import { contains, PathRefused, WorkspacePaths } from '../../tools/workspacePaths';

import { t } from '../../base/translate';
import { decodeText } from '../../tools/readFile';

/** Takes each file that exists and is not read. */
type Leave = (file: LeftFile) => void;

/** Reads the files for agents of one folder, each by itself: one that cannot be read is left out and reported. One
 *  that may define hooks rejects then, because a guard may be in it, and says why. */
abstract class ReadableFolder implements AgentFolder {
  abstract readonly origin: FileOrigin;
  abstract readonly layout: FolderLayout;
  abstract readonly root: string | null;

  protected readonly files: WorkspaceFiles;

  constructor(
    private readonly denials: ReadDenials,
    protected readonly signal: AbortSignal,
    private readonly left: Leave,
  ) {
    this.files = denials.files;
  }

  abstract shown(path: string): string;
  abstract below(name: string): Promise<readonly string[]>;
  /** Absolute path. Null when there is nothing of this kind. Rejects with `LeftOut` when it must not be read. */
  protected abstract find(path: string, kind: 'file' | 'directory'): Promise<string | null>;

  async size(path: string): Promise<number | null> {
    return this.reading(path, async () => {
      const found = await this.find(path, 'file');
      return found === null ? null : this.files.size(found);
    });
  }

  async text(path: string, use: Use = 'model'): Promise<string | null> {
    return this.reading(
      path,
      async () => {
        const found = await this.find(path, 'file');
        if (found === null) return null;
        const reason = use === 'model' ? await withheldFor(this.denials, found) : null;
        if (reason !== null) throw new LeftOut(reason);
        if ((await this.files.size(found)) > largestFile) throw new LeftOut('size');
        const text = decodeText(await this.files.read(found, this.signal));
        if (text === null) throw new LeftOut('text');
        return text;
      },
      use,
    );
  }

  async names(path: string, kind: 'file' | 'directory', use: Use = 'model'): Promise<readonly string[]> {
    const found = await this.reading(
      path,
      async () => {
        const folder = await this.find(path, 'directory');
        if (folder === null) return null;
        const entries = await this.files.list(folder, this.signal);
        const kinds = await Promise.all(entries.map((entry) => this.kindOf(folder, entry)));
        return entries.filter((_, index) => kinds[index] === kind).map(({ name }) => name);
      },
      use,
    );
    return (found ?? []).toSorted().slice(0, mostEntries);
  }

  leave(path: string, reason: LeftFile['reason']): void {
    this.left({ path: this.shown(path), reason });
  }

  /** Kind of an entry. Null for one that is not followed. */
  protected kindOf(
    _folder: string,
    entry: Awaited<ReturnType<WorkspaceFiles['list']>>[number],
  ): Promise<string | null> {
    return Promise.resolve(entry.kind);
  }

  private async reading<T>(path: string, read: () => Promise<T | null>, use: Use = 'model'): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof FileNotFound) return null;
      const file = { path: this.shown(path), reason: error instanceof LeftOut ? error.reason : 'unreadable' } as const;
      // A link in a circle holds nothing.
      const isLoop = error instanceof Error && 'code' in error && error.code === 'ELOOP';
      if (use === 'hooks' && !isLoop) throw error instanceof LeftOut ? new Error(leftSentence(file, t)) : error;
      this.left(file);
      return null;
    }
  }
}

class LeftOut extends Error {
  override readonly name = 'LeftOut';

  constructor(readonly reason: LeftFile['reason']) {
    super(reason);
  }
}
/** Reads one group of the user's own files for agents. Follows links that stay in the home folder or in the group's
 *  folder: such files are often kept in a repository. */
class PersonalFolder extends ReadableFolder {
  readonly layout;
  readonly root = null;
  private readonly base: string;

  constructor(
    denials: ReadDenials,
    private readonly places: PersonalPlaces,
    readonly origin: PersonalGroup,
    signal: AbortSignal,
    left: Leave,
  ) {
    super(denials, signal, left);
    this.base = places.folders[origin];
    this.layout = layouts[origin];
  }

  override shown(path: string): string {
    const absolute = nodePath.join(this.base, path);
    return contains(nodePath, this.places.home, absolute)
      ? `~/${nodePath.relative(this.places.home, absolute).split(nodePath.sep).join('/')}`
      : absolute;
  }

  override below(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  protected override async find(path: string, kind: 'file' | 'directory'): Promise<string | null> {
    const absolute = nodePath.join(this.base, path);
    if ((await this.files.kindOf(absolute)) !== kind) return null;
    if (!(await this.staysInside(absolute))) throw new LeftOut('link');
    return absolute;
  }

  /** The kind of a link is that of its target. */
  protected override async kindOf(
    folder: string,
    entry: Parameters<ReadableFolder['kindOf']>[1],
  ): Promise<string | null> {
    return entry.kind === 'other' ? this.files.kindOf(nodePath.join(folder, entry.name)).catch(() => null) : entry.kind;
  }

  private async staysInside(absolute: string): Promise<boolean> {
    const real = await this.files.realPath(absolute);
    const allowed = await Promise.all([this.places.home, this.base].map((folder) => this.files.realPath(folder)));
    return allowed.some((folder) => contains(nodePath, folder, real));
  }
}

/** Reads an open folder's files for agents, none from outside of the open folders. */
class ProjectFolder extends ReadableFolder {
  readonly origin = 'folder';
  readonly layout = layouts.folder;
  readonly root: string;
  private readonly paths: WorkspacePaths;

  constructor(denials: ReadDenials, { path }: WorkspaceRoot, signal: AbortSignal, left: Leave) {
    super(denials, signal, left);
    this.root = path;
    this.paths = new WorkspacePaths(denials.files);
  }

  override shown(path: string): string {
    return this.paths.display(join(this.root, path));
  }

  override async below(name: string): Promise<readonly string[]> {
    const folder = this.root;
    const search = { pattern: name, order: 'name', maxFiles: mostEntries, folder } as const;
    // Some file systems cannot be searched.
    const { paths } = await this.files.findFiles(search, this.signal).catch(() => ({ paths: [] }));
    this.signal.throwIfAborted();
    return paths
      .map((path) => nodePath.relative(folder, path).split(nodePath.sep).join('/'))
      .filter((path) => path.includes('/') && !path.split('/').some((part) => part.startsWith('.')))
      .toSorted();
  }

  protected override async find(path: string, kind: 'file' | 'directory'): Promise<string | null> {
    // Another open folder has rules of its own.
    if (/^\.\.(?:\/|$)/.test(nodePath.posix.normalize(path))) throw new LeftOut('outside');
    const found = await this.paths.resolveExisting(join(this.root, path)).catch((error: unknown) => {
      throw error instanceof PathRefused ? new LeftOut('outside') : error;
    });
    return (await this.files.kindOf(found)) === kind ? found : null;
  }
}

/** Rules, prompts and skills of the open folders, in folder order, and then of the user. */
export interface ProjectContext {
  readonly rules: readonly RuleFile[];
  /** Each name once. */
  readonly prompts: readonly PromptFile[];
  /** Each name once. */
  readonly skills: readonly Skill[];
  /** Each name once. */
  readonly agents: readonly AgentFile[];
  readonly hooks: readonly HookFile[];
  /** Files that were found and are not used. */
  readonly left: readonly LeftFile[];
}

/** Also used for a folder that is not trusted. */
export const noProject: ProjectContext = { rules: [], prompts: [], skills: [], agents: [], hooks: [], left: [] };

/** Which files are read. hooks: those that may define hooks, so that however much a folder holds, guards are known
 *  at once. */
type Wanted = 'hooks' | 'others';

/** Reads the files of the open folders. Rejects when `signal` is aborted. */
export async function readProject(denials: ReadDenials, wanted: Wanted, signal: AbortSignal): Promise<ProjectContext> {
  return readFolders(denials.files.roots(), wanted, (root, left) => new ProjectFolder(denials, root, signal, left));
}

interface PersonalSources {
  readonly places: PersonalPlaces;
  /** Groups that the user has not turned off. */
  readonly groups: readonly PersonalGroup[];
}

/** Reads the user's own files, in the order of the groups. Otherwise like `readProject`. */
export async function readPersonal(
  denials: ReadDenials,
  { places, groups }: PersonalSources,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ProjectContext> {
  return readFolders(groups, wanted, (group, left) => new PersonalFolder(denials, places, group, signal, left));
}

/** Joins contexts: of two prompts or skills with one name, and of two rules with one text, the first counts. */
export function joined(contexts: readonly ProjectContext[]): ProjectContext {
  const left = contexts.flatMap((context) => context.left);
  const rules = contexts.flatMap((context) => context.rules);
  const isDouble = ({ text, origin }: RuleFile, index: number): boolean =>
    origin !== 'folder' && rules.slice(0, index).some((earlier) => earlier.text === text);
  const onceEach = <T extends Named>(all: readonly T[]): readonly T[] => {
    const seen = new Set<string>();
    return all.filter(({ name, path }) => {
      const isFirst = !seen.has(name);
      if (isFirst) seen.add(name);
      else left.push({ path, reason: 'name' });
      return isFirst;
    });
  };
  for (const { path } of rules.filter(isDouble)) left.push({ path, reason: 'double' });
  return {
    rules: rules.filter((rule, index) => !isDouble(rule, index)),
    prompts: onceEach(contexts.flatMap(({ prompts }) => prompts)),
    skills: onceEach(contexts.flatMap(({ skills }) => skills)),
    agents: onceEach(contexts.flatMap(({ agents }) => agents)),
    hooks: contexts.flatMap(({ hooks }) => hooks),
    left,
  };
}

interface Named {
  readonly name: string;
  readonly path: string;
}

async function readFolders<T>(
  all: readonly T[],
  wanted: Wanted,
  open: (one: T, left: (file: LeftFile) => void) => AgentFolder,
): Promise<ProjectContext> {
  const left = new Map<string, LeftFile>();
  const found = await Promise.all(
    all.map(async (one) => {
      const folder = open(one, (file) => left.set(file.path, file));
      if (wanted === 'hooks') return { ...noProject, hooks: await readHookFiles(folder) };
      const [rules, prompts, skills, agents] = await Promise.all([
        readRules(folder),
        readPrompts(folder),
        readSkills(folder),
        readAgents(folder),
      ]);
      return { ...noProject, rules, prompts, skills, agents };
    }),
  );
  const context = joined(found);
  return {
    ...context,
    left: [...left.values(), ...context.left].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Returns the tools that a project adds, or gives in place of one with the same name. */
export function projectTools({ skills, agents }: ProjectContext): readonly AnyTool[] {
  const [forModel, types] = [skills.filter(isForModel), agents.filter(isForModel)];
  return [
    ...(forModel.length === 0 ? [] : [readSkillTool(forModel)]),
    ...(types.length === 0 ? [] : [delegateTaskTool(types)]),
  ];
}

function isForModel({ forModel }: { readonly forModel: boolean }): boolean {
  return forModel;
}

/** What the user may call after a "/": prompt files, then skills and agents of other names. */
export function invocable({ prompts, skills, agents }: ProjectContext): readonly PromptFile[] {
  const skillPrompts = skills.filter(({ forUser }) => forUser).map(skillPrompt);
  const agentPrompts = agents.filter(({ forUser }) => forUser).map(agentPrompt);
  return [...prompts, ...skillPrompts, ...agentPrompts].filter(
    ({ name }, index, all) => all.findIndex((earlier) => earlier.name === name) === index,
  );
}

function skillPrompt(skill: Skill): PromptFile {
  const { name, description, argumentHint, path, origin, isForked } = skill;
  const body = isForked
    ? `Hand this to a sub-agent with delegate_task, whole, and report what comes back:\n\n${skillText(skill)}`
    : skillText(skill);
  const common = { description, argumentHint, path, body, placeholders: 'claude', origin } as const;
  return { name: commandName(name), kind: 'skill', ...common };
}

function agentPrompt({ name, description, path, origin }: AgentFile): PromptFile {
  const body = `Hand this to the sub-agent "${name}" with delegate_task (agent: "${name}"), and report its answer:`;
  return { name, kind: 'agent', description, argumentHint: null, path, body, placeholders: 'claude', origin };
}
