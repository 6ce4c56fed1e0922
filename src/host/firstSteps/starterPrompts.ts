import * as v from 'valibot';
import type { Translate } from '../../base/translate';
import type { DirectoryEntry } from '../../tools/workspaceFiles';

/** Facts about the first open folder, from its file names, its package.json and Git alone. */
interface FolderFacts {
  readonly entries: readonly DirectoryEntry[];
  /** Text of the package.json at the root. Null: there is none. */
  readonly packageJson: string | null;
  /** True when Git reports uncommitted changes. */
  readonly hasChanges: boolean;
}

const mostPrompts = 3;
const testFolders = ['test', 'tests', '__tests__', 'spec', 'specs', 'e2e'];
/** Scripts worth a prompt, likeliest first. */
const scriptsAskedAbout = ['build', 'start', 'dev', 'test', 'lint'];
const projectFiles =
  /^(?:package\.json|pyproject\.toml|setup\.py|cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|gemfile|composer\.json|makefile|cmakelists\.txt|.*\.(?:sln|csproj))$/i;
const packageJson = v.object({ scripts: v.optional(v.record(v.string(), v.string())) });

/** Suggests first prompts that mention only things that exist. The same folder always gets the same prompts; an
 *  empty folder gets none. */
export function starterPrompts(facts: FolderFacts, t: Translate): readonly string[] {
  const names = facts.entries.filter(({ name }) => !name.startsWith('.'));
  const readme = names.find(({ name, kind }) => kind === 'file' && /^readme(?:\.\w+)?$/i.test(name));
  const isProject = readme !== undefined || names.some(({ name, kind }) => kind === 'file' && projectFiles.test(name));
  const tests = testFolders.find((folder) => names.some(({ name, kind }) => kind === 'directory' && name === folder));
  const script = scriptsAskedAbout.find((name) => scriptNames(facts.packageJson).includes(name));
  const prompts = [
    isProject ? t('Explain what this project does and where to start reading') : null,
    tests === undefined ? null : t('What do the tests in {folder}/ cover?', { folder: tests }),
    facts.hasChanges ? t('Review my uncommitted changes') : null,
    script === undefined ? null : t('What does “npm run {script}” do, step by step?', { script }),
    names.length === 0 || isProject ? null : t('What is in this folder?'),
    readme === undefined ? null : t('Is {file} still accurate? Compare it with the code', { file: readme.name }),
  ];
  return prompts.filter((prompt) => prompt !== null).slice(0, mostPrompts);
}

function scriptNames(text: string | null): readonly string[] {
  if (text === null) return [];
  try {
    const parsed = v.safeParse(packageJson, JSON.parse(text));
    return parsed.success ? Object.keys(parsed.output.scripts ?? {}) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
