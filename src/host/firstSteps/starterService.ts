import { join } from 'node:path';
import type { Log } from '../../base/log';
import type { Translate } from '../../base/translate';
import type { RunGit } from '../../tools/knowledge/git/gitCommand';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { describeError } from '../common/describeError';
import { starterPrompts } from './starterPrompts';

export interface StarterServiceNeeds {
  readonly files: Pick<WorkspaceFiles, 'roots' | 'list' | 'read' | 'size'>;
  readonly git: RunGit;
  /** Git follows what a repository says of itself, so it is only asked in folders that the person trusts. */
  readonly isTrusted: () => boolean;
  readonly t: Translate;
  readonly log: Log;
}

/** How long the empty state waits for what a folder is about. */
const patienceMs = 3000;
const mostPackageBytes = 200_000;

/** What there is to begin with in the folder that is open. Looks at the names in it, at package.json, and asks git whether anything is changed. */
export class StarterService {
  constructor(private readonly needs: StarterServiceNeeds) {}

  /** Never rejects: without suggestions the person writes what they came for. */
  async prompts(): Promise<readonly string[]> {
    const { files, log, t } = this.needs;
    const root = files.roots()[0]?.path;
    if (root === undefined) return [];
    const signal = AbortSignal.timeout(patienceMs);
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
    const { files } = this.needs;
    if ((await files.size(path)) > mostPackageBytes) return null;
    return new TextDecoder().decode(await files.read(path, signal));
  }

  private async hasChanges(root: string, signal: AbortSignal): Promise<boolean> {
    if (!this.needs.isTrusted()) return false;
    // Without git, outside a repository and in a folder that is no place on a disk there is nothing to review.
    const answer = await this.needs
      .git(root, ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty', '--', '.'], signal)
      .catch(() => null);
    return answer?.code === 0 && answer.text.trim() !== '';
  }
}
