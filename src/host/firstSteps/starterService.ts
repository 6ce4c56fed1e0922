import { join } from 'node:path';
import type { Log } from '../../base/log';
import type { Translate } from '../../base/translate';
import type { RunGitQuery } from '../../tools/knowledge/git/gitCommand';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { describeError } from '../common/describeError';
import { starterPrompts } from './starterPrompts';

export interface StarterServiceDeps {
  readonly files: Pick<WorkspaceFiles, 'roots' | 'list' | 'read' | 'size'>;
  readonly git: RunGitQuery;
  /** Git obeys the configuration of a repository, so it runs only in folders that the user trusts. */
  readonly isTrusted: () => boolean;
  readonly t: Translate;
  readonly log: Log;
}

/** Milliseconds that the empty state waits for facts about the folder. */
const timeoutMs = 3000;
const mostPackageBytes = 200_000;

/** Suggests first prompts for the open folder. Reads the names in it and package.json, and runs Git to check for
 *  changes. */
export class StarterService {
  constructor(private readonly deps: StarterServiceDeps) {}

  /** Never rejects: without suggestions, users simply write their own prompt. */
  async prompts(): Promise<readonly string[]> {
    const { files, log, t } = this.deps;
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
      return starterPrompts({ entries, packageJson, hasChanges }, t);
    } catch (error) {
      log.info(`Nothing is suggested in ${root}: ${describeError(error).sentence}`);
      return [];
    }
  }

  private async packageJson(path: string, signal: AbortSignal): Promise<string | null> {
    const { files } = this.deps;
    if ((await files.size(path)) > mostPackageBytes) return null;
    return new TextDecoder().decode(await files.read(path, signal));
  }

  private async hasChanges(root: string, signal: AbortSignal): Promise<boolean> {
    if (!this.deps.isTrusted()) return false;
    // Without Git, outside a repository, or in a folder that is not on a disk, there is nothing to review.
    const answer = await this.deps
      .git(root, ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty', '--', '.'], signal)
      .catch(() => null);
    return answer?.code === 0 && answer.text.trim() !== '';
  }
}
