import { parsedAs } from '../../../transcript/json';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { gitCommand, type RunGitQuery } from '../../../tools/knowledge/git/gitCommand';
import type { WorkspaceFiles, DirectoryEntry } from '../../../tools/workspaceFiles';
import { describeError } from '../../../host/common/describeError';
import { gitExecutable } from '../../../host/knowledge/gitExecutable';
import * as v from 'valibot';

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
function starterPrompts(facts: FolderFacts): readonly string[] {
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
  return Object.keys(parsedAs(packageJson, text)?.scripts ?? {});
}

/** Milliseconds that the empty state waits for facts about the folder. */
const timeoutMs = 3000;
const mostPackageBytes = 200_000;

/** Suggests first prompts for the open folder. Reads the names in it and package.json, and runs Git to check for
 *  changes. */
export class StarterService {
  constructor(
    private readonly files: Pick<WorkspaceFiles, 'roots' | 'list' | 'read' | 'size'>,
    private readonly log: Log,
    private readonly git: RunGitQuery = gitCommand({
      executable: gitExecutable,
      startIn: homedir(),
      environment: process.env,
    }),
  ) {}

  /** Never rejects: without suggestions, users simply write their own prompt. */
  async prompts(): Promise<readonly string[]> {
    const { files } = this;
    const root = files.roots()[0]?.path;
    if (root === undefined) return [];
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const entries = await files.list(root, signal);
      const hasPackage = entries.some(({ name, kind }) => name === 'package.json' && kind === 'file');
      const [packageJson, hasChanges] = await Promise.all([
        hasPackage ? this.packageJson(join(root, 'package.json'), signal) : null,
        this.hasChanges(root, signal),
      ]);
      return starterPrompts({ entries, packageJson, hasChanges });
    } catch (error) {
      this.log.info(`Nothing is suggested in ${root}: ${describeError(error).sentence}`);
      return [];
    }
  }

  private async packageJson(path: string, signal: AbortSignal): Promise<string | null> {
    const { files } = this;
    if ((await files.size(path)) > mostPackageBytes) return null;
    return new TextDecoder().decode(await files.read(path, signal));
  }

  private async hasChanges(root: string, signal: AbortSignal): Promise<boolean> {
    // Git obeys the configuration of a repository, so it runs only in folders that the user trusts.
    if (!vscode.workspace.isTrusted) return false;
    // Without Git, outside a repository, or in a folder that is not on a disk, there is nothing to review.
    const answer = await this.git(
      root,
      ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty', '--', '.'],
      signal,
    ).catch(() => null);
    return answer?.code === 0 && answer.text.trim() !== '';
  }
}
