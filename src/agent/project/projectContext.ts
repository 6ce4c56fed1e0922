import type { AnyTool } from '../../tools/tool';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { LeftFile, PersonalGroup } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';
import { PersonalFolder } from './personalFolder';
import type { PersonalPlaces } from './personalPlaces';
import { ProjectFolder } from './projectFolder';
import { type PromptFile, readPrompts } from './promptFiles';
import { readSkillTool } from './readSkillTool';
import { readRules, type RuleFile } from './ruleFiles';
import { readSkills, type Skill } from './skills';

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
  const rules = contexts.flatMap((context) => context.rules);
  return {
    rules: rules.filter(
      ({ text, origin }, index) =>
        origin === 'folder' || !rules.slice(0, index).some((earlier) => earlier.text === text),
    ),
    prompts: onceEach(contexts.flatMap(({ prompts }) => prompts)),
    skills: onceEach(contexts.flatMap(({ skills }) => skills)),
    left: contexts.flatMap(({ left }) => left),
  };
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
  return { ...joined(found), left: [...left.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Returns the tools that a project adds. */
export function projectTools({ skills }: ProjectContext): readonly AnyTool[] {
  return skills.length === 0 ? [] : [readSkillTool(skills)];
}

function onceEach<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}
