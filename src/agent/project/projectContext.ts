import type { AnyTool } from '../../tools/tool';
import type { WorkspaceFiles, WorkspaceRoot } from '../../tools/workspaceFiles';
import type { LeftFile, PersonalGroup } from '../../transcript/contextFiles';
import { type AgentFolder, layouts, mostEntries } from './agentFolder';
import type { PersonalPlaces } from './personalPlaces';
import { type PromptFile, readPrompts } from './promptFiles';
import { readSkillTool } from './readSkillTool';
import { readRules, type RuleFile } from './ruleFiles';
import { readSkills, type Skill } from './skills';
import * as nodePath from 'node:path';
import { join } from 'node:path';
import { PathRefused, WorkspacePaths } from '../../tools/workspacePaths';
import { type Leave, LeftOut, ReadableFolder } from './readableFolder';
import { contains } from '../../tools/accessPaths';

/** Reads one group of the user's own files for agents. Follows links that stay in the home folder or in the group's
 *  folder: such files are often kept in a repository. */
class PersonalFolder extends ReadableFolder {
  readonly layout;
  private readonly base: string;

  constructor(
    files: WorkspaceFiles,
    private readonly places: PersonalPlaces,
    readonly origin: PersonalGroup,
    signal: AbortSignal,
    left: Leave,
  ) {
    super(files, signal, left);
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
    entry: Awaited<ReturnType<WorkspaceFiles['list']>>[number],
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
  private readonly paths: WorkspacePaths;

  constructor(
    files: WorkspaceFiles,
    private readonly root: WorkspaceRoot,
    signal: AbortSignal,
    left: Leave,
  ) {
    super(files, signal, left);
    this.paths = new WorkspacePaths(files);
  }

  override shown(path: string): string {
    return this.paths.display(join(this.root.path, path));
  }

  override async below(name: string): Promise<readonly string[]> {
    const folder = this.root.path;
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
    const found = await this.paths.resolveExisting(join(this.root.path, path)).catch((error: unknown) => {
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
  /** Files that were found and not read. */
  readonly left: readonly LeftFile[];
}

/** Also used for a folder that is not trusted. */
export const noProject: ProjectContext = { rules: [], prompts: [], skills: [], left: [] };

/** Reads the files of the open folders. Rejects when `signal` is aborted. */
export async function readProject(files: WorkspaceFiles, signal: AbortSignal): Promise<ProjectContext> {
  return readFolders(files.roots(), (root, left) => new ProjectFolder(files, root, signal, left));
}

interface PersonalSources {
  readonly places: PersonalPlaces;
  /** Groups that the user has not turned off. */
  readonly groups: readonly PersonalGroup[];
}

/** Reads the user's own files, in the order of the groups. Otherwise like `readProject`. */
export async function readPersonal(
  files: WorkspaceFiles,
  { places, groups }: PersonalSources,
  signal: AbortSignal,
): Promise<ProjectContext> {
  return readFolders(groups, (group, left) => new PersonalFolder(files, places, group, signal, left));
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
    left,
  };
}

interface Named {
  readonly name: string;
  readonly path: string;
}

async function readFolders<T>(
  all: readonly T[],
  open: (one: T, left: (file: LeftFile) => void) => AgentFolder,
): Promise<ProjectContext> {
  const left = new Map<string, LeftFile>();
  const found = await Promise.all(
    all.map(async (one) => {
      const folder = open(one, (file) => left.set(file.path, file));
      const [rules, prompts, skills] = await Promise.all([readRules(folder), readPrompts(folder), readSkills(folder)]);
      return { rules, prompts, skills, left: [] };
    }),
  );
  const context = joined(found);
  return {
    ...context,
    left: [...left.values(), ...context.left].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Returns the tools that a project adds. */
export function projectTools({ skills }: ProjectContext): readonly AnyTool[] {
  return skills.length === 0 ? [] : [readSkillTool(skills)];
}
