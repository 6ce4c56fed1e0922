import type { AnyTool } from '../../tools/tool';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { ProjectFolder } from './projectFolder';
import { type PromptFile, readPrompts } from './promptFiles';
import { readSkillTool } from './readSkillTool';
import { readRules, type RuleFile } from './ruleFiles';
import { readSkills, type Skill } from './skills';

/** Rules, prompts and skills of the open folders, in folder order. */
export interface ProjectContext {
  readonly rules: readonly RuleFile[];
  /** Each name once. */
  readonly prompts: readonly PromptFile[];
  /** Each name once. */
  readonly skills: readonly Skill[];
}

/** Also used for a folder that is not trusted. */
export const noProject: ProjectContext = { rules: [], prompts: [], skills: [] };

/** Reads all project files. Reports unreadable ones and leaves them out. Rejects when `signal` is aborted. */
export async function readProject(
  files: WorkspaceFiles,
  signal: AbortSignal,
  unreadable: (what: string, error: unknown) => void,
): Promise<ProjectContext> {
  const orNothing = async <T>(what: string, read: Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await read;
    } catch (error) {
      signal.throwIfAborted();
      unreadable(what, error);
      return [];
    }
  };
  const folders = await Promise.all(
    files.roots().map(async (root) => {
      const folder = new ProjectFolder(files, root, signal);
      const [rules, prompts, skills] = await Promise.all([
        orNothing(`rules of ${root.path}`, readRules(folder)),
        orNothing(`prompt files of ${root.path}`, readPrompts(folder)),
        orNothing(`skills of ${root.path}`, readSkills(folder)),
      ]);
      return { rules, prompts, skills };
    }),
  );
  return {
    rules: folders.flatMap(({ rules }) => rules),
    prompts: onceEach(folders.flatMap(({ prompts }) => prompts)),
    skills: onceEach(folders.flatMap(({ skills }) => skills)),
  };
}

/** Returns the tools that a project adds. */
export function projectTools({ skills }: ProjectContext): readonly AnyTool[] {
  return skills.length === 0 ? [] : [readSkillTool(skills)];
}

function onceEach<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}
